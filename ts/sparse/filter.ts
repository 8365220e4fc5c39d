import {RetrievalError} from '../core/errors.ts';
import {checkRecord, checkText, isScalar, refuse} from './fields.ts';

/** One text, finite number or truth value. Values of different kinds are never equal, nor in a range of each other. */
export type Scalar = string | number | boolean;

/** Bounds of a field's values: one or two, not both `gte` and `gt`, nor both `lte` and `lt`. */
export interface Range<T extends string | number> {
	readonly field: string;
	/** The least value. */
	readonly gte?: T | undefined;
	/** What values are greater than. */
	readonly gt?: T | undefined;
	/** The greatest value. */
	readonly lte?: T | undefined;
	/** What values are less than. */
	readonly lt?: T | undefined;
}

/**
Which passages a search may find, by their ids and fields.

- `ids`: those with one of these ids; unknown ones are passed over.
- `equals`, `in`: those whose field is this value, or one of these.
- `range`: those whose field is between two numbers or two texts, which are ordered by code points.
- `exists`: those that have the field.
- `and`, `or`, `not`: those that meet all, one, or not this. `{and: []}` is every passage, `{or: []}` none.

If a passage lacks a field, every condition on that field is false, so `not` of it is true. A field with several texts meets a
condition if one of its texts does; a field with an empty list of texts counts as missing.

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

/** Filters within filters. */
const DEEPEST = 32;

/** A filter as JSON, checked: an error names the path to what is wrong, as in `filter.and[1].range`. */
export function filterJson(filter: Filter | undefined): string | undefined {
	if (filter === undefined) {
		return undefined;
	}
	checkFilter('filter', filter, 1);
	return JSON.stringify(filter);
}

/** How each kind of filter is checked: its path, what it says, and how deep it stands. */
const kinds: Readonly<Record<string, (path: string, said: unknown, depth: number) => void>> = {
	ids: (path, ids) => checkEach(path, ids, 'an array of strings', checkText),
	equals(path, said) {
		checkCondition(path, said, ['value']);
		checkScalar(`${path}.value`, said['value']);
	},
	in(path, said) {
		checkCondition(path, said, ['values']);
		checkEach(`${path}.values`, said['values'], 'an array of strings, finite numbers and booleans', checkScalar);
	},
	range: checkRange,
	exists: (path, said) => checkCondition(path, said, []),
	and: checkParts,
	or: checkParts,
	not: (path, part, depth) => checkFilter(path, part, depth + 1),
};

function checkFilter(path: string, filter: unknown, depth: number): void {
	if (depth > DEEPEST) {
		throw new RetrievalError('ERR_ARGUMENT', `${path}: expected at most ${DEEPEST} filters within each other, got more`);
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
	// A hole in an array is not passed over.
	for (const [i, value] of values.entries()) {
		check(`${path}[${i}]`, value);
	}
}

/** A field's name, and nothing beside it but the properties named. */
function checkCondition(
	path: string,
	said: unknown,
	properties: readonly string[],
	shape = properties.join(', '),
): asserts said is Readonly<Record<string, unknown>> {
	const expected = shape === '' ? '{field}' : `{field, ${shape}}`;
	checkRecord(path, said, expected);
	checkText(`${path}.field`, said['field']);
	const unknown = Object.keys(said).find(name => name !== 'field' && !properties.includes(name));
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
