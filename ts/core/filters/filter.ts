/**
The types of filters by ids and fields. `normalize.ts` checks a filter and converts it to the long form, which the addon reads; this file
has no code of its own.
*/

/** A string, a finite number or a boolean. Values of different types are never equal. A range has only values of the type of its bounds. */
export type Scalar = string | number | boolean;

/** A value that a filter compares with fields. A `Date` stands for its ISO 8601 string (`toISOString()`), as in the fields of passages. */
export type FilterValue = Scalar | Date;

/** The operators `equals`, `in`, `not` and `exists`, for all types. */
export interface EqualityOperators<Value extends FilterValue = FilterValue> {
	/** The field has this value. */
	readonly equals?: Value;
	/** The field has one of these values. */
	readonly in?: readonly Value[];
	/**
	A condition that must not hold: a value, an array of values, or operators. A passage without the field meets only
	`exists: false`, and `not` with a condition that it does not meet; so it matches `{not: 'light'}`.
	*/
	readonly not?: Value | readonly Value[] | OperatorsOf<Value>;
	/** `true`: the passage has the field; `false`: it does not. */
	readonly exists?: boolean;
}

/** Bounds for a value: at most one of `gte` and `gt`, and at most one of `lte` and `lt`. `undefined` is no bound. */
export interface Bounds<T extends number | string | Date> {
	/** Minimum, included. */
	readonly gte?: T | undefined;
	/** Minimum, excluded. */
	readonly gt?: T | undefined;
	/** Maximum, included. */
	readonly lte?: T | undefined;
	/** Maximum, excluded. */
	readonly lt?: T | undefined;
}

/** The operator `prefix`, for strings only. */
export interface PrefixOperator {
	/** The field has a value that starts with this string. */
	readonly prefix?: string;
}

/** Bounds for the values of a field, in the long form. */
export interface Range<T extends string | number | Date, Name extends string = string> extends Bounds<T> {
	/** The name of the field. */
	readonly field: Name;
}

/** The operators for values of a type: those for all types, bounds for numbers, strings and dates, and `prefix` for strings and dates. */
type OperatorsOf<Value extends FilterValue> = EqualityOperators<Value> & OrderOperators<Value>;

type OrderOperators<Value extends FilterValue> = [Exclude<Value, boolean>] extends [never]
	? unknown
	:
			| ([Extract<Value, number>] extends [never]
					? never
					: [Extract<Value, string>] extends [never]
						? Bounds<number>
						: Bounds<number> & PrefixOperator)
			| ([Extract<Value, string>] extends [never] ? never : Bounds<Text<Value>> & PrefixOperator);

/** The values that strings are compared with; also `Date` if the field has dates. Bounds can be strings that the field's type excludes. */
type Text<Value extends FilterValue> = string | Extract<Value, Date>;

/** The values that a field of type `Field` can be compared with. The elements of an array are compared one by one. */
type ValueOf<Field> = 0 extends 1 & Field
	? FilterValue
	: Field extends readonly (infer Element)[]
		? ValueOf<Element>
		: Field extends Date
			? Date | string
			: Extract<Field, Scalar>;

/**
A condition on a field of type `Field`: a value, which the field must have; an array of values, of which the field must have one; or an
object of operators, which must all hold. The bounds in one object form a single range: if the field has several strings, one of the strings
must be within all of the bounds.
*/
// oxlint-disable-next-line no-explicit-any -- without an argument, values of every type are accepted
export type FieldCondition<Field = any> = ConditionOf<ValueOf<Field>>;

type ConditionOf<Value extends FilterValue> = Value | readonly Value[] | OperatorsOf<Value>;

type NameOf<Fields> = keyof Fields & string;

/** Names of fields with strings or dates. */
type TextNameOf<Fields> = {
	[Name in NameOf<Fields>]: [Extract<ValueOf<Fields[Name]>, string>] extends [never] ? never : Name;
}[NameOf<Fields>];

type RangeOf<Name extends string, Value extends FilterValue> =
	| ([Extract<Value, number>] extends [never] ? never : Range<number, Name>)
	| ([Extract<Value, string>] extends [never] ? never : Range<Text<Value>, Name>);

/** The parts of a filter with reserved names: combinations of filters, filters by ids, and the long forms of conditions. */
interface ReservedParts<Fields> {
	/** Passages with one of these ids; unknown ids are ignored. */
	readonly ids: readonly string[];
	/** Passages of one of these documents; unknown ids are ignored. */
	readonly documents: readonly string[];
	/** Passages that match all of the filters; `{and: []}` matches every passage. */
	readonly and: readonly Filter<Fields>[];
	/** Passages that match at least one of the filters; `{or: []}` matches no passage. */
	readonly or: readonly Filter<Fields>[];
	/** Passages that do not match the filter. */
	readonly not: Filter<Fields>;
	/** Passages in which the field has this value. */
	readonly equals: {[Name in NameOf<Fields>]: {readonly field: Name; readonly value: ValueOf<Fields[Name]>}}[NameOf<Fields>];
	/** Passages in which the field has one of these values. */
	readonly in: {[Name in NameOf<Fields>]: {readonly field: Name; readonly values: readonly ValueOf<Fields[Name]>[]}}[NameOf<Fields>];
	/** Passages in which the field is between two numbers, two strings in code point order, or two dates. */
	readonly range: {[Name in NameOf<Fields>]: RangeOf<Name, ValueOf<Fields[Name]>>}[NameOf<Fields>];
	/** Passages that have the field. */
	readonly exists: {readonly field: NameOf<Fields>};
	/** Passages in which the field has a value that starts with this string. */
	readonly prefix: {readonly field: TextNameOf<Fields>; readonly value: string};
}

/** Names of the parts of a filter that are not conditions on the field of that name. */
type ReservedName = keyof ReservedParts<never>;

/** Marks the fields of a filter, so that a `Filter<Lamp>` is also a `Filter`. No filter has this property. */
declare const fieldsOf: unique symbol;

/** A filter of passages whose fields are declared. The compiler refuses other names, and values of other types. */
type TypedFilter<Fields> = {readonly [Name in Exclude<NameOf<Fields>, ReservedName>]?: FieldCondition<Fields[Name]>} & Partial<
	ReservedParts<Fields>
> & {readonly [fieldsOf]?: (fields: Fields) => void};

/** The reserved names whose parts cannot be mistaken for the condition of a field. An array of ids looks like an array of values. */
type DistinctName = Exclude<ReservedName, 'ids' | 'documents'>;

// oxlint-disable-next-line no-explicit-any -- the fields are not declared
type AnyReservedParts = ReservedParts<any>;

/**
A filter of passages whose fields are not declared. An index signature cannot exclude the reserved names, so the compiler accepts some
filters that a search refuses, such as `{exists: true}`, or unknown operators beside a reserved part. The first member of the union is not
an intersection, because the compiler would then accept unknown operators in it.
*/
type UntypedFilter =
	| {readonly [name: string]: FieldCondition}
	| ({readonly [name: string]: FieldCondition | Filter | readonly Filter[]} & Partial<AnyReservedParts> &
			{[Name in DistinctName]: Pick<AnyReservedParts, Name>}[DistinctName])
	| {readonly [fieldsOf]?: (fields: never) => void};

/**
Selects passages by their fields and ids. A passage matches if all parts of the filter match, so `{}` matches every passage.

A key is the name of a field, and its value is a condition on that field: a value, which the field must have; an array of values, of which
the field must have one; or an object of operators, which must all hold: `equals`, `in`, `not`, `lt`, `lte`, `gt`, `gte`, `exists` and
`prefix`. `not` takes a value, an array or an object of operators. `prefix` is for strings; bounds are numbers, strings in code point order,
or dates.

Some names are reserved for other parts:

- `ids`: passages with one of these ids; unknown ids are ignored.
- `documents`: passages of one of these documents; unknown ids are ignored.
- `and`: passages that match all of the filters; `{and: []}` matches every passage.
- `or`: passages that match at least one of the filters; `{or: []}` matches no passage.
- `not`: passages that do not match the filter.
- `equals`, `in`, `range`, `exists`, `prefix`: the long form of conditions, in which `field` is the name of the field:
  `{equals: {field, value}}`, `{in: {field, values}}`, `{range: {field, gte, gt, lte, lt}}`, `{exists: {field}}`,
  `{prefix: {field, value}}`. A field with a reserved name needs the long form: `{equals: {field: 'not', value: true}}`.

If a passage does not have a field, comparisons with its values (`equals`, `in`, `prefix` and bounds) are false, so `not` of a comparison is
true. A field with several strings matches a condition if one of the strings does. A field with an empty array counts as missing. A `Date`
stands for its ISO 8601 string (`toISOString()`).

A search with a condition other than `exists` fails with `ERR_ARGUMENT` if no passage of the index has the field, or if no value of the
field has the given type, as with `lt: '50'` for a field of numbers: such a filter would match nothing, or everything with `not`. An index
without passages accepts any filter. For this rule, deleted passages count until a merge removes them. Filters may be nested 32 levels
deep; a filter with several parts counts as two levels.

`Filter<Fields>` declares the names and types of the fields. The compiler then refuses other names, and values of other types.

@example
```
const cheap: Filter = {price: {lt: 50}, category: ['light', 'desk'], inStock: true};
await index.search('lamp', {k: 10, filter: cheap});

interface Lamp {
	price: number;
	category: 'light' | 'desk';
	added: Date;
}
const recent: Filter<Lamp> = {or: [{added: {gte: new Date('2024-01-01')}}, {price: {lt: 10}}], not: {category: 'desk'}};
await index.search('lamp', {k: 10, filter: recent});
```
*/
// oxlint-disable-next-line no-explicit-any -- without an argument, all fields are accepted
export type Filter<Fields = any> = string extends keyof Fields ? UntypedFilter : TypedFilter<Fields>;
