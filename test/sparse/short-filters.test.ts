// Tests the short form of filters, such as `{price: {lt: 50}}`, and dates in fields and filters, with a BM25 index.
import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import test, {type ExecutionContext} from 'ava';
import * as fc from 'fast-check';
import {Bm25Index, type Filter, type Passage, RetrievalError} from '../../ts/index.ts';
import {randomFields, randomFilter, selects} from '../support/filters.ts';

type Fields = NonNullable<Passage['fields']>;

/** The fields of five passages, by passage id. */
const lamps: Record<string, Fields> = {
	a: {price: 20, category: 'light', inStock: true, tags: ['red', 'sale'], added: new Date('2023-05-01T10:00:00Z')},
	b: {price: 50, category: 'light', inStock: false, tags: ['blue'], added: new Date('2024-01-01T00:00:00Z')},
	c: {price: 80, category: 'desk', inStock: true, added: new Date('2024-06-30T23:59:59.999Z')},
	d: {price: 50.5, category: 'chair', inStock: true, tags: [], not: 'reserved'},
	e: {},
};

/** Builds a BM25 index of passages with these fields. The text of every passage is `lamp`. */
async function built(t: ExecutionContext, passages: Readonly<Record<string, Fields>>): Promise<Bm25Index> {
	const folder = await mkdtemp(join(tmpdir(), 'passagekit-short-filters-'));
	t.teardown(async () => rm(folder, {recursive: true, force: true}));
	const contents = Object.entries(passages).map(([id, fields]) => ({id, text: 'lamp', fields}));
	return Bm25Index.build(join(folder, 'index'), contents);
}

/** Returns the ids of the passages that a filter selects, in alphabetical order, joined into one string. */
async function found(index: Bm25Index, filter: Filter): Promise<string> {
	const hits = await index.search('lamp', {filter});
	return hits
		.map(({id}) => id)
		.toSorted()
		.join('');
}

test('a short filter selects the passages that match all of its conditions', async t => {
	const index = await built(t, lamps);
	const cases: [Filter, string][] = [
		[{}, 'abcde'],
		[{category: 'light'}, 'ab'],
		[{price: 50}, 'b'],
		[{inStock: false}, 'b'],
		[{category: ['light', 'desk']}, 'abc'],
		[{price: []}, ''],
		[{price: {lt: 50}}, 'a'],
		[{price: {lte: 50}}, 'ab'],
		[{price: {gt: 50}}, 'cd'],
		[{price: {gte: 50}}, 'bcd'],
		[{price: {gte: 50, lt: 80}}, 'bd'],
		[{price: {gt: 20, lt: undefined}}, 'bcd'],
		[{category: {gt: 'chair', lte: 'desk'}}, 'c'],
		[{category: {equals: 'desk'}}, 'c'],
		[{category: {in: ['desk', 'chair']}}, 'cd'],
		[{category: {not: 'light'}}, 'cde'],
		[{category: {not: 'light', exists: true}}, 'cd'],
		[{category: {not: ['light', 'desk']}}, 'de'],
		[{price: {not: {gt: 20, lt: 80}}}, 'ace'],
		[{price: {not: {not: 50}}}, 'b'],
		[{price: {not: {gt: 20, in: [80, 50]}}}, 'ade'],
		[{tags: {exists: true}}, 'ab'],
		[{tags: {exists: false}}, 'cde'],
		[{nothing: {exists: false}}, 'abcde'],
		[{tags: 'sale'}, 'a'],
		[{tags: ['sale', 'blue']}, 'ab'],
		// The bounds of one object form one range, and one of the tags must be in it. Neither "red" nor "sale" is.
		[{tags: {gt: 'red', lt: 'sale'}}, ''],
		[{and: [{tags: {gt: 'red'}}, {tags: {lt: 'sale'}}]}, 'a'],
		[{price: {lt: 60}, category: ['light', 'desk'], inStock: true}, 'a'],
		[{inStock: true, not: {category: 'light'}}, 'cd'],
		[{inStock: true, or: [{price: {lt: 50}}, {category: 'desk'}]}, 'ac'],
		[{ids: ['a', 'b', 'c'], inStock: true}, 'ac'],
		[{and: [{inStock: true}, {price: {gt: 50}}], not: {category: 'desk'}}, 'd'],
		[{range: {field: 'price', gte: 50}, category: 'light'}, 'b'],
		[{equals: {field: 'not', value: 'reserved'}}, 'd'],
		[{not: {}}, ''],
		[{or: [{}, {price: 20}]}, 'abcde'],
	];
	for (const [filter, expected] of cases) {
		t.is(await found(index, filter), expected, JSON.stringify(filter));
	}
});

test('dates are stored as strings, and filters compare them in time order', async t => {
	const index = await built(t, lamps);
	t.is((await index.fields('c'))['added'], '2024-06-30T23:59:59.999Z');
	const cases: [Filter, string][] = [
		[{added: new Date('2024-01-01')}, 'b'],
		[{added: {gte: new Date('2024-01-01')}}, 'bc'],
		[{added: {gt: new Date('2024-01-01'), lt: new Date('2024-07-01')}}, 'c'],
		[{added: {gte: '2023', lt: new Date('2024-01-01')}}, 'a'],
		[{added: {in: [new Date(1), new Date('2023-05-01T10:00:00Z')]}}, 'a'],
		[{added: {not: {lt: new Date('2024-01-01')}}}, 'bcde'],
		[{equals: {field: 'added', value: new Date('2024-01-01')}}, 'b'],
		[{range: {field: 'added', lte: new Date('2024-01-01')}}, 'ab'],
	];
	for (const [filter, expected] of cases) {
		t.is(await found(index, filter), expected, JSON.stringify(filter));
	}
	const edges = await built(t, {
		a: {at: new Date('0000-01-01T00:00:00Z'), all: [new Date(0), 'x']},
		b: {at: new Date('9999-12-31T23:59:59.999Z')},
	});
	t.deepEqual(await edges.fields('a'), {at: '0000-01-01T00:00:00.000Z', all: ['1970-01-01T00:00:00.000Z', 'x']});
	t.is(await found(edges, {at: {lt: new Date(0)}}), 'a');
	t.is(await found(edges, {all: new Date(0)}), 'a');
});

test('the error for an invalid part of a filter names the part as the caller wrote it', async t => {
	const index = await built(t, lamps);
	const expectedField = 'expected a field that passages of the index have ("added", "category", "inStock", "not", "price", "tags")';
	const expectedNumber = 'expected a number like all values of "price", got the string "50"';
	const cases: [Filter, string][] = [
		[{prise: 50}, `filter.prise: ${expectedField}, got "prise"; did you mean "price"?`],
		[{inStock: true, nothing: {lt: 50}}, `filter.nothing: ${expectedField}, got "nothing"`],
		[{'no such': {not: [1]}}, `filter["no such"].not: ${expectedField}, got "no such"`],
		[{price: '50'}, `filter.price: ${expectedNumber}`],
		[{price: [1, '50']}, `filter.price[1]: ${expectedNumber}`],
		[{inStock: true, price: {gt: '50'}}, `filter.price.gt: ${expectedNumber}`],
		[{price: {equals: '50'}}, `filter.price.equals: ${expectedNumber}`],
		[{price: {exists: true, in: [1, '50']}}, `filter.price.in[1]: ${expectedNumber}`],
		[{price: {not: '50'}}, `filter.price.not: ${expectedNumber}`],
		[{or: [{price: 1}, {not: {price: {not: {lte: '50'}}}}]}, `filter.or[1].not.price.not.lte: ${expectedNumber}`],
		[{inStock: true, equals: {field: 'price', value: '50'}}, `filter.equals.value: ${expectedNumber}`],
		[{inStock: true, not: {in: {field: 'price', values: ['50']}}}, `filter.not.in.values[0]: ${expectedNumber}`],
		[{and: [{range: {field: 'price', lt: '50'}}], price: 5}, `filter.and[0].range.lt: ${expectedNumber}`],
	];
	for (const [filter, message] of cases) {
		const expected = {instanceOf: RetrievalError, code: 'ERR_ARGUMENT', message};
		await t.throwsAsync(index.search('lamp', {filter}), expected, JSON.stringify(filter));
		await t.throwsAsync(index.searchMany([{id: 'q', text: 'lamp'}], {filter}), expected);
		await t.throwsAsync(index.searchTerms([{term: 'lamp', weight: 1}], {filter}), expected);
	}
});

test('any short filter selects the passages for which a JavaScript predicate is true', async t => {
	let selected = 0;
	let total = 0;
	await fc.assert(
		fc.asyncProperty(
			fc.array(randomFields, {minLength: 1, maxLength: 12}),
			fc.array(randomFilter(2), {minLength: 20, maxLength: 20}),
			async (fieldsOfPassages, filters) => {
				// The passage `all` has every field, because a search refuses conditions (except `exists`) on fields that no
				// passage has.
				const passages: Record<string, Fields> = {all: {n: 1, s: 'a', b: true, t: ['a', 'b']}};
				for (const [i, fields] of fieldsOfPassages.entries()) {
					passages[String(i)] = fields as Fields;
				}
				const index = await built(t, passages);
				for (const filter of filters) {
					const expected = Object.keys(passages).filter(id => selects(filter as Record<string, unknown>, id, passages[id]!));
					t.is(await found(index, filter), expected.toSorted().join(''), JSON.stringify(filter));
					selected += expected.length;
					total += Object.keys(passages).length;
				}
				index.close();
			},
		),
		{numRuns: 15},
	);
	t.true(selected > 0.05 * total && selected < 0.95 * total, `the filters select ${selected} of ${total} passages`);
});
