// Helpers for tests of filters: random fields, random filters, and a predicate that decides in JavaScript which passages a filter selects.
import * as fc from 'fast-check';
import {Bm25Index, type Encoder, type Filter, FlatIndex, type PassageFields} from '../../ts/index.ts';

const numbers = fc.integer({min: -3, max: 3}).map(n => n / 2);
const strings = fc.constantFrom('', 'a', 'ab', 'b', 'B', 'é', '\u{1F600}', '\uFFFD');
/** Values of the fields of random passages: numbers in `n`, strings in `s`, booleans in `b`, and the strings in the arrays of `t`. */
const values = {n: numbers, s: strings, b: fc.boolean(), t: strings};
/** Generates the fields of a passage. Each field may be missing. */
export const randomFields = fc.record({...values, t: fc.array(strings, {maxLength: 3})}, {requiredKeys: []});

/** Generates objects with `minLength` to two of the properties. Few passages would match a filter with more properties. */
function upToTwo(minLength: number, properties: Readonly<Record<string, fc.Arbitrary<unknown>>>): fc.Arbitrary<Record<string, unknown>> {
	const entries = Object.entries(properties).map(([name, value]) => fc.tuple(fc.constant(name), value));
	return fc.uniqueArray(fc.oneof(...entries), {minLength, maxLength: 2, selector: ([name]) => name}).map(Object.fromEntries);
}

/** Generates conditions on a field: a value, an array of values, or operators. Bounds need `isOrdered`, prefixes `hasPrefixes`. */
function randomCondition(value: fc.Arbitrary<unknown>, isOrdered: boolean, depth: number, hasPrefixes = false): fc.Arbitrary<unknown> {
	const array = fc.array(value, {maxLength: 3});
	const operators = upToTwo(1, {
		equals: value,
		in: array,
		exists: fc.boolean(),
		...(depth > 0 && {not: randomCondition(value, isOrdered, depth - 1, hasPrefixes)}),
		...(isOrdered && {gte: value, gt: value, lte: value, lt: value}),
		...(hasPrefixes && {prefix: value}),
	});
	const isValid = (o: object): boolean => !('gte' in o && 'gt' in o) && !('lte' in o && 'lt' in o);
	return fc.oneof(value, array, operators.filter(isValid));
}

/**
Generates filters in the short form, such as `{n: {gt: 1}}`: by the ids `0`, `1`, `2` and `all`, by `documents` if there are any, and by the
fields of random passages.
*/
export function randomFilter(depth: number, documents: readonly string[] = []): fc.Arbitrary<Filter> {
	const parts = depth > 0 ? fc.array(randomFilter(depth - 1, documents), {maxLength: 2}) : undefined;
	const filter = upToTwo(0, {
		n: randomCondition(values.n, true, 2),
		s: randomCondition(values.s, true, 2, true),
		b: randomCondition(values.b, false, 2),
		t: randomCondition(values.t, true, 2, true),
		ids: fc.subarray(['0', '1', '2', 'all']),
		...(documents.length > 0 && {documents: fc.subarray([...documents])}),
		...(parts && {and: parts, or: parts, not: randomFilter(depth - 1, documents)}),
	});
	return filter as fc.Arbitrary<Filter>;
}

/** Whether a value is within a bound. `order` is negative, 0 or positive if the value is below, at or above the bound. */
const boundOperators: Record<string, (order: number) => boolean> = {gte: o => o >= 0, gt: o => o > 0, lte: o => o <= 0, lt: o => o < 0};

/** Whether a field with these values matches a condition in the short form. */
function matches(held: readonly unknown[], condition: unknown): boolean {
	if (typeof condition !== 'object') {
		return held.includes(condition);
	}
	if (Array.isArray(condition)) {
		return held.some(value => condition.includes(value));
	}
	const {equals, in: among, not, exists, prefix, ...bounds} = condition as Record<string, unknown>;
	return (
		(equals === undefined || held.includes(equals)) &&
		(among === undefined || held.some(value => (among as unknown[]).includes(value))) &&
		(not === undefined || !matches(held, not)) &&
		(exists === undefined || held.length > 0 === exists) &&
		(prefix === undefined || held.some(value => (value as string).startsWith(prefix as string))) &&
		(Object.keys(bounds).length === 0 ||
			held.some(value => Object.entries(bounds).every(([name, bound]) => boundOperators[name]!(order(value, bound)))))
	);
}

/** Compares two numbers, or two strings by their code points, which is the order of their UTF-8 bytes. */
function order(a: unknown, b: unknown): number {
	return typeof a === 'number' ? a - (b as number) : Buffer.compare(Buffer.from(a as string), Buffer.from(b as string));
}

/** Whether a filter in the short form selects a passage. */
export function selects(filter: Record<string, unknown>, id: string, fields: Record<string, unknown>): boolean {
	return Object.entries(filter).every(([name, operand]) => {
		const filters = operand as Record<string, unknown>[];
		switch (name) {
			case 'ids':
				return (operand as string[]).includes(id);
			case 'documents':
				return (operand as string[]).some(
					document => id === document || (/^#[^#]*$/u.test(id.slice(document.length)) && id.startsWith(document)),
				);
			case 'and':
				return filters.every(each => selects(each, id, fields));
			case 'or':
				return filters.some(each => selects(each, id, fields));
			case 'not':
				return !selects(operand as Record<string, unknown>, id, fields);
			default: {
				const held = fields[name];
				return matches(held === undefined ? [] : Array.isArray(held) ? held : [held], operand);
			}
		}
	});
}

/** Passages with random fields, in a BM25 index and in a flat index of vectors, with an encoder for queries. */
export interface FilteredCorpus {
	readonly ids: readonly string[];
	readonly bm25: Bm25Index;
	readonly flat: FlatIndex;
	readonly encoder: Encoder;
	/** Returns the ids of the passages that a filter selects, as decided by the predicate `selects`. */
	selected(filter: Filter): Set<string>;
}

/** Ids of documents for filters of `filteredCorpus`: `d` is split into passages, `0` is a single passage, and `none` does not exist. */
export const documents: readonly string[] = ['d', '0', 'none'];

/**
Builds both indexes of passages with these fields; the BM25 index is in `folder`. One more passage, `all`, has every field, because a search
refuses conditions (except `exists`) on fields that no passage has. The components of vectors are small integers, so many scores are equal.
*/
export async function filteredCorpus(folder: string, fieldSets: ReadonlyArray<Readonly<Record<string, unknown>>>): Promise<FilteredCorpus> {
	const fields = new Map<string, Record<string, unknown>>([['all', {n: 1, s: 'a', b: true, t: ['a', 'b']}]]);
	for (const [i, each] of fieldSets.entries()) {
		fields.set(i % 4 === 3 ? `d#${i}` : String(i), each);
	}
	const ids = [...fields.keys()];
	const bm25 = await Bm25Index.build(
		folder,
		[...fields].map(([id, each], i) => ({id, text: `lamp ${'desk '.repeat(i % 3)}`, fields: each as PassageFields})),
		{overwrite: true},
	);
	const flat = new FlatIndex({dim: 2});
	await flat.add(ids, {data: Float32Array.from(ids.flatMap((_, i) => [i % 3, i % 5])), rows: ids.length, dim: 2});
	const encoder: Encoder = {
		dim: 2,
		encode: async inputs => ({
			data: Float32Array.from(inputs.flatMap(input => (input === 'lamp' ? [1, 0.5] : [-1, 2]))),
			rows: inputs.length,
			dim: 2,
		}),
	};
	const selected = (filter: Filter): Set<string> =>
		new Set(ids.filter(id => selects(filter as Record<string, unknown>, id, fields.get(id)!)));
	return {ids, bm25, flat, encoder, selected};
}

/** Generates the fields of 1 to 12 passages, and ten filters to search the passages with. */
export const randomCase: fc.Arbitrary<[Array<Readonly<Record<string, unknown>>>, Filter[]]> = fc.tuple(
	fc.array(randomFields, {minLength: 1, maxLength: 12}),
	fc.array(randomFilter(2, documents), {minLength: 10, maxLength: 10}),
);

/** Whether a filter has a property with this name at any level. */
export function hasPart(filter: unknown, name: string): boolean {
	return (
		typeof filter === 'object' &&
		filter !== null &&
		(Object.hasOwn(filter, name) || Object.values(filter).some(part => hasPart(part, name)))
	);
}
