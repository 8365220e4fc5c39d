/**
Writes the fields of a document as strings, to filter by. All strings are in one keyword field of the index, so that documents may have any
field names, and values of several types in one field, without changes of the mapping:

- `price␀n` says that the field `price` has a number, `price␀s` a string, `price␀b` a boolean;
- `price␀n:C04E000000000000` is a number; the hexadecimal digits have the order of the numbers;
- `color␀s:red` is a string, and `inStock␀b:true` a boolean.

The order of these strings, by their UTF-8 bytes, is the order of the values: code point order for strings.
*/
import type {Scalar} from '../../core/filters/filter.ts';
import type {StoredFields} from '../../core/types.ts';

/** The letter of each type. */
type TypeLetter = 'n' | 's' | 'b';

const letters: Readonly<Record<string, TypeLetter>> = {number: 'n', string: 's', boolean: 'b'};

/** Returns the string of the type of a field's values. */
export function typeAttribute(field: string, value: Scalar): string {
	return `${field}\u0000${letters[typeof value]!}`;
}

/** Returns the strings that say that a field has values, one per type. */
export function existenceAttributes(field: string): string[] {
	return Object.values(letters).map(letter => `${field}\u0000${letter}`);
}

/** Returns the string of a value. */
export function valueAttribute(field: string, value: Scalar): string {
	return `${typeAttribute(field, value)}:${typeof value === 'number' ? ordered(value) : String(value)}`;
}

/** Returns the range of the strings of all values of a type: from the first string (included) to the second (excluded). */
export function typeRange(field: string, value: Scalar): readonly [from: string, to: string] {
	const type = typeAttribute(field, value);
	// The character after the colon in ASCII is the semicolon.
	return [`${type}:`, `${type};`];
}

/** Returns the strings of all fields of a document. */
export function attributesOf(fields: StoredFields): string[] {
	const attributes = new Set<string>();
	for (const [name, value] of Object.entries(fields)) {
		for (const one of typeof value === 'object' ? value : [value]) {
			attributes.add(typeAttribute(name, one));
			attributes.add(valueAttribute(name, one));
		}
	}
	return [...attributes];
}

/** Writes a number as 16 hexadecimal digits with the order of the numbers. */
function ordered(value: number): string {
	const view = new DataView(new ArrayBuffer(8));
	// −0 becomes 0.
	view.setFloat64(0, value + 0);
	const bits = view.getBigUint64(0);
	const sign = 1n << 63n;
	// The bits of negative numbers are inverted, because a larger magnitude is a smaller number.
	const sortable = (bits & sign) === 0n ? bits | sign : ~bits & ((1n << 64n) - 1n);
	return sortable.toString(16).padStart(16, '0').toUpperCase();
}
