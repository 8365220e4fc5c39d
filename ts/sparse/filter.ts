import {RetrievalError} from '../core/errors.ts';
import {checkRecord, checkText, isScalar, refuse} from './fields.ts';

/** A string, a finite number or a boolean. Values of different types are never equal, and never within a range of each other. */
export type Scalar = string | number | boolean;

/** Bounds of the values of a field: at most one of `gte` and `gt`, and at most one of `lte` and `lt`. */
export interface Range<T extends string | number> {
	readonly field: string;
	/** Minimum, included. */
	readonly gte?: T | undefined;
	/** Minimum, excluded. */
	readonly gt?: T | undefined;
	/** Maximum, included. */
	readonly lte?: T | undefined;
	/** Maximum, excluded. */
	readonly lt?: T | undefined;
}

/**
Selects passages by their ids and fields.

- `ids`: passages with one of these ids; unknown ids are ignored.
- `equals`, `in`: passages whose field has this value, or one of these values.
- `range`: passages whose field is between two numbers, or between two strings in code point order.
- `exists`: passages that have the field.
- `and`, `or`, `not`: passages that match all of the filters, any of them, or not this one. `{and: []}` matches every passage, `{or: []}`
  none.

If a passage lacks a field, every condition on that field is false, so `not` of it is true. A field with several strings matches a
condition if one of them does; a field with an empty array counts as missing.

`equals`, `in` and `range` are rejected with `ERR_ARGUMENT` if no passage of the index has the field, or if the field never has
values of the given type, for example `lt: '50'` where all values are numbers: such filters would match nothing, or everything
with `not`. `exists` accepts any field, and an index without passages accepts any filter. Deleted passages count until they are
merged away.

@example
```
const filter: Filter = {
	and: [{equals: {field: 'language', value: 'en'}}, {range: {field: 'year', gte: 2000, lt: 2010}}, {not: {ids: ['p7']}}],
};
await index.search('who built the bridge?', {k: 10, filter});
```
*/
export type Filter =
	| {readonly ids: readonly string[]}
	| {readonly equals: {readonly field: string; readonly value: Scalar}}
	| {readonly in: {readonly field: string; readonly values: readonly Scalar[]}}
	| {readonly range: Range<number> | Range<string>}
	| {readonly exists: {readonly field: string}}
	| {readonly and: readonly Filter[]}
	| {readonly or: readonly Filter[]}
	| {readonly not: Filter};

const BOUNDS = ['gte', 'gt', 'lte', 'lt'] as const;

/** Maximum depth of nested filters. */
const MAX_DEPTH = 32;

/** A checked filter as JSON. Errors name the path to the invalid part, as in `filter.and[1].range`. */
export function filterJson(filter: Filter | undefined): string | undefined {
	if (filter === undefined) {
		return undefined;
	}
	checkFilter('filter', filter, 1);
	return JSON.stringify(filter);
}

/** How each kind of filter is checked: by its path, its operand, and its depth. */
const kinds: Readonly<Record<string, (path: string, operand: unknown, depth: number) => void>> = {
	ids: (path, ids) => checkEach(path, ids, 'an array of strings', checkText),
	equals(path, operand) {
		checkCondition(path, operand, ['value']);
		checkScalar(`${path}.value`, operand['value']);
	},
	in(path, operand) {
		checkCondition(path, operand, ['values']);
		checkEach(`${path}.values`, operand['values'], 'an array of strings, finite numbers and booleans', checkScalar);
	},
	range: checkRange,
	exists: (path, operand) => checkCondition(path, operand, []),
	and: checkParts,
	or: checkParts,
	not: (path, part, depth) => checkFilter(path, part, depth + 1),
};

function checkFilter(path: string, filter: unknown, depth: number): void {
	if (depth > MAX_DEPTH) {
		throw new RetrievalError('ERR_ARGUMENT', `${path}: expected at most ${MAX_DEPTH} filters within each other, got more`);
	}
	const expected = `an object with one of ${Object.keys(kinds).join(', ')}`;
	checkRecord(path, filter, expected);
	const [kind, ...others] = Object.keys(filter);
	if (kind === undefined || others.length > 0 || !Object.hasOwn(kinds, kind)) {
		throw new RetrievalError('ERR_ARGUMENT', `${path}: expected ${expected}, got {${Object.keys(filter).join(', ')}}`);
	}
	kinds[kind]!(`${path}.${kind}`, filter[kind], depth);
}

function checkParts(path: string, parts: unknown, depth: number): void {
	checkEach(path, parts, 'an array of filters', (at, part) => checkFilter(at, part, depth + 1));
}

function checkEach(path: string, values: unknown, expected: string, check: (at: string, value: unknown) => void): void {
	if (!Array.isArray(values)) {
		refuse(path, expected, values);
	}
	// `entries` also visits the holes of an array.
	for (const [i, value] of values.entries()) {
		check(`${path}[${i}]`, value);
	}
}

/** Checks that a condition has the name of a field, and no properties except those named. */
function checkCondition(
	path: string,
	operand: unknown,
	properties: readonly string[],
	shape = properties.join(', '),
): asserts operand is Readonly<Record<string, unknown>> {
	const expected = shape === '' ? '{field}' : `{field, ${shape}}`;
	checkRecord(path, operand, expected);
	checkText(`${path}.field`, operand['field']);
	const unknown = Object.keys(operand).find(name => name !== 'field' && !properties.includes(name));
	if (unknown !== undefined) {
		throw new RetrievalError('ERR_ARGUMENT', `${path}: expected ${expected}, got "${unknown}" too`);
	}
}

function checkScalar(path: string, value: unknown): void {
	if (!isScalar(value)) {
		refuse(path, 'a string, a finite number or a boolean', value);
	}
	if (typeof value === 'string') {
		checkText(path, value);
	}
}

function checkRange(path: string, range: unknown): void {
	checkCondition(path, range, BOUNDS, 'gte or gt, lte or lt');
	for (const bound of BOUNDS) {
		const value = range[bound];
		if (value === undefined) {
			continue;
		}
		if (!isScalar(value) || typeof value === 'boolean') {
			refuse(`${path}.${bound}`, 'a finite number or a string', value);
		}
		checkScalar(`${path}.${bound}`, value);
	}
}
