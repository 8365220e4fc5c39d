/**
The types of fields whose names and values the program declares, as in `Collection.open<Product>`. `any` stands for fields that are not
declared. These types are checked when a program is compiled, never when it runs. This file has no code of its own.
*/
import type {FieldValue, PassageFields, StoredFields} from './types.ts';

/** The constraint on a declared type of fields: each field has a type that a `FieldValue` can have. Fields may be optional. */
export type AllowedFields<Fields> = {readonly [Name in keyof Fields]?: FieldValue};

/** The names of declared fields; any string if the fields are not declared. */
export type FieldName<Fields> = keyof Fields & string;

/** The fields of a document that is added. A string may stand for a `Date`, because a collection returns dates as strings. */
// A conditional type, because a mapped type over `any` would also accept values that are not valid fields.
export type GivenFields<Fields> = 0 extends 1 & Fields ? PassageFields : {readonly [Name in keyof Fields]: GivenValue<Fields[Name]>};

/** A value as it is added: a string may stand for a `Date`. */
export type GivenValue<Value> = Value extends Date
	? Date | string
	: Value extends readonly (infer Element)[]
		? readonly GivenValue<Element>[]
		: Value;

/** The fields of a document as a collection returns them: a `Date` is its ISO 8601 string (`toISOString()`). */
export type StoredFieldsOf<Fields> = 0 extends 1 & Fields ? StoredFields : {readonly [Name in keyof Fields]: StoredValueOf<Fields[Name]>};

/** A value as a collection returns it: a `Date` is a string. */
export type StoredValueOf<Value> = Value extends Date
	? string
	: Value extends readonly (infer Element)[]
		? readonly StoredValueOf<Element>[]
		: Value;

/** The values of a field as `facets` counts them: the elements of an array are counted separately. */
export type CountedValue<Value> = 0 extends 1 & Value
	? string | number | boolean
	: Value extends Date
		? string
		: Value extends readonly (infer Element)[]
			? CountedValue<Element>
			: Extract<Value, string | number | boolean>;
