// Tests the filters of `DenseSearcher`, which select passages by their ids, documents and fields. The vector index knows only the ids of
// the passages. Their fields are in a BM25 index of the same passages, which is the option `fields` of the searcher.
import {join} from 'node:path';
import {setImmediate as eventLoopTick} from 'node:timers/promises';
import test from 'ava';
import * as fc from 'fast-check';
import {DenseSearcher, type FieldIndex, type Filter, FlatIndex, HnswIndex, RetrievalError, type VectorIndex} from '../../ts/index.ts';
import {filteredCorpus, randomCase} from '../support/filters.ts';
import {folder, idsOf} from '../support/vectors.ts';

const queries = [
	{id: 'q1', text: 'lamp'},
	{id: 'q2', text: 'something else'},
];

test('a filtered dense search returns the best k of the matching passages, in the order of an unfiltered search', async t => {
	const path = await folder(t);
	let selectedCount = 0;
	let total = 0;
	await fc.assert(
		fc.asyncProperty(randomCase, fc.integer({min: 1, max: 14}), async ([fields, filters], k) => {
			const {ids, bm25, flat, encoder, selected} = await filteredCorpus(join(path, 'bm25'), fields);
			const searcher = new DenseSearcher({encoder, index: flat, fields: bm25});
			for (const filter of filters) {
				const matching = selected(filter);
				selectedCount += matching.size;
				total += ids.length;
				const run = await searcher.searchMany(queries, {k, filter});
				for (const {id, text} of queries) {
					const all = await searcher.search(text, {k: ids.length});
					const expected = all.filter(hit => matching.has(hit.id)).slice(0, k);
					t.deepEqual(await searcher.search(text, {k, filter}), expected, JSON.stringify(filter));
					t.deepEqual(run.get(id), expected, JSON.stringify(filter));
				}
			}
			bm25.close();
			flat.close();
		}),
		{numRuns: 12},
	);
	t.true(selectedCount > 0.05 * total && selectedCount < 0.95 * total, `the filters select ${selectedCount} of ${total} passages`);
});

test('without the option fields, filters by ids and documents work, and the error for a condition on a field has its path', async t => {
	// The ids of these four passages are 0, 1, 2 and d#3, the last of which belongs to the document d. The corpus also has the passage all.
	const {flat, encoder, bm25} = await filteredCorpus(join(await folder(t), 'bm25'), [{n: 1}, {n: 2}, {n: 3}, {n: 4}]);
	const searcher = new DenseSearcher({encoder, index: flat});
	const found = async (filter: Filter): Promise<string[]> => idsOf(await searcher.search('lamp', {filter})).toSorted();
	t.deepEqual(await found({}), ['0', '1', '2', 'all', 'd#3']);
	t.deepEqual(await found({ids: ['1', 'nobody', 'd#3']}), ['1', 'd#3']);
	t.deepEqual(await found({documents: ['d', '0']}), ['0', 'd#3']);
	t.deepEqual(await found({ids: ['0', '1'], not: {documents: ['0']}}), ['1']);
	t.deepEqual(await found({or: [{documents: ['d']}, {and: [{ids: ['0', '1']}, {ids: ['1']}]}]}), ['1', 'd#3']);
	for (const [filter, path] of [
		[{n: 1}, 'filter.n'],
		[{n: {gt: 1}}, 'filter.n'],
		[{ids: ['0'], or: [{documents: ['d']}, {not: {'no name': {exists: true}}}]}, 'filter.or[1].not["no name"].exists'],
		[{range: {field: 'n', gt: 1}}, 'filter.range'],
	] as const satisfies ReadonlyArray<readonly [Filter, string]>) {
		const expected = {
			instanceOf: RetrievalError,
			code: 'ERR_ARGUMENT',
			message: `${path}: expected ids or documents, since the DenseSearcher has no fields, got a condition on a field; create it with the option fields, a Bm25Index of the same passages`,
		};
		t.throws(() => searcher.checkFilter(filter), expected);
		await t.throwsAsync(searcher.search('lamp', {filter}), expected);
		await t.throwsAsync(searcher.searchMany(queries, {filter}), expected);
	}
	t.throws(() => new DenseSearcher({encoder, index: flat, fields: flat as never}), {
		code: 'ERR_ARGUMENT',
		message: 'DenseSearcher: fields: expected a Bm25Index, or another object with the method matching, got a FlatIndex',
	});
	const foreign = {dim: 2, metadata: {}, search: async () => [], searchMany: async () => []} as unknown as VectorIndex;
	t.throws(() => new DenseSearcher({encoder, index: foreign, fields: bm25}).checkFilter({ids: ['0']}), {
		code: 'ERR_ARGUMENT',
		message: 'filter: expected a search of a FlatIndex or an HnswIndex, got another index',
	});
});

test('an unknown field, operator or value is refused before the query is encoded, and the error has its path', async t => {
	const {flat, bm25, encoder} = await filteredCorpus(join(await folder(t), 'bm25'), [{n: 1}]);
	let encoded = 0;
	const encode: typeof encoder.encode = async (...args) => {
		encoded += 1;
		return encoder.encode(...args);
	};
	const searcher = new DenseSearcher({encoder: {dim: 2, encode}, index: flat, fields: bm25});
	for (const [filter, message] of [
		[{m: 1}, /^filter\.m: expected a field that passages of the index have \("b", "n", "s", "t"\), got "m"/u],
		[{ids: ['0'], or: [{n: 1}, {n: {gt: '1'}}]}, /^filter\.or\[1\]\.n\.gt: expected a number/u],
		[{n: {less: 1}}, /^filter\.n: expected operators among .*, got "less"/u],
		[{and: 5}, /^filter\.and: expected an array of filters, got 5/u],
		['n', /^filter: expected a filter such as \{price: \{lt: 50\}\}, got string/u],
	] as unknown as ReadonlyArray<readonly [Filter, RegExp]>) {
		await t.throwsAsync(searcher.search('lamp', {filter}), {instanceOf: RetrievalError, code: 'ERR_ARGUMENT', message});
		await t.throwsAsync(searcher.searchMany(queries, {filter}), {instanceOf: RetrievalError, code: 'ERR_ARGUMENT', message});
	}
	t.is(encoded, 0);
	// A filter that contains a function (`where`) must be an `IdFilter` of the vector index, and an `IdFilter` has no conditions on fields.
	const mixed = {and: [{n: 1}, {where: (id: string) => id === '0'}]} as never;
	await t.throwsAsync(searcher.search('lamp', {filter: mixed}), {
		code: 'ERR_ARGUMENT',
		message: /^filter\.and\[0\]: expected a VectorFilter or an object with one of/u,
	});
});

/** Returns a `FieldIndex` with one field, `n`, that counts the calls of `matching`. `values` has the value of the field for each id. */
function countingFields(values: ReadonlyMap<string, number>): FieldIndex & {calls: number; generation: number} {
	return {
		calls: 0,
		generation: 0,
		async matching(ids, filter) {
			this.calls += 1;
			const {equals} = filter as unknown as {equals: {value: number}};
			return ids.filter(id => values.get(id) === equals.value);
		},
	};
}

test('a filter is compiled once while neither the vectors nor the fields change, and again after a change', async t => {
	for (const make of [() => new FlatIndex({dim: 2}), () => new HnswIndex({dim: 2})]) {
		const values = new Map([
			['a', 1],
			['b', 2],
			['c', 1],
		]);
		const fields = countingFields(values);
		const index = make();
		await index.add(['a', 'b'], {data: Float32Array.of(1, 0, 2, 0), rows: 2, dim: 2});
		const {encoder} = await filteredCorpus(join(await folder(t), 'bm25'), []);
		const searcher = new DenseSearcher({encoder, index, fields});
		const found = async (n: number): Promise<string[]> => idsOf(await searcher.search('lamp', {filter: {n}}));

		t.deepEqual(await Promise.all([found(1), found(1), found(2)]), [['a'], ['a'], ['b']]);
		t.deepEqual([await found(1), await found(2), fields.calls], [['a'], ['b'], 2]);
		await index.add(['c'], {data: Float32Array.of(3, 0), rows: 1, dim: 2});
		t.deepEqual([await found(1), fields.calls], [['c', 'a'], 3]);
		values.set('a', 2);
		fields.generation += 1;
		t.deepEqual([await found(1), await found(2), fields.calls], [['c'], ['b', 'a'], 5]);
		for (let n = 3; n < 40; n++) {
			await found(n);
		}
		t.deepEqual([await found(1), fields.calls], [['c'], 43], 'only the 16 most recently used filters are kept');

		// Another thread may change a shared index at any time, so filters of a shared index are compiled for each search.
		index.share();
		t.deepEqual([await found(1), await found(1), fields.calls], [['c'], ['c'], 45]);
		index.close();
	}
});

/** Waits until a condition holds. */
async function until(holds: () => boolean): Promise<void> {
	while (!holds()) {
		await eventLoopTick();
	}
}

test('the compilation of a filter stops only when every search that waits for it is aborted', async t => {
	const {encoder} = await filteredCorpus(join(await folder(t), 'bm25'), []);
	const index = new FlatIndex({dim: 2});
	await index.add(['a', 'b'], {data: Float32Array.of(1, 0, 2, 0), rows: 2, dim: 2});
	/** Lets the waiting call of `matching` return; `undefined` if no call waits. */
	let release: (() => void) | undefined;
	let abortedCount = 0;
	const fields: FieldIndex = {
		generation: 0,
		async matching(ids, _, options) {
			await new Promise<void>((resolve, reject) => {
				release = () => {
					release = undefined;
					resolve();
				};
				options!.signal!.addEventListener('abort', () => {
					abortedCount += 1;
					release = undefined;
					reject(options!.signal!.reason as Error);
				});
			});
			return ids.slice(0, 1);
		},
	};
	const searcher = new DenseSearcher({encoder, index, fields});
	const [one, other, last] = [new AbortController(), new AbortController(), new AbortController()];
	const first = searcher.search('lamp', {filter: {n: 1}, signal: one.signal});
	const second = searcher.search('lamp', {filter: {n: 1}, signal: other.signal});
	await until(() => release !== undefined);
	one.abort(new Error('enough'));
	release!();
	await t.throwsAsync(first, {message: 'enough'});
	t.deepEqual(idsOf(await second), ['a']);
	t.is(abortedCount, 0);

	const alone = searcher.search('lamp', {filter: {n: 2}, signal: last.signal});
	await until(() => release !== undefined);
	last.abort(new Error('too long'));
	await t.throwsAsync(alone, {message: 'too long'});
	t.is(abortedCount, 1);
	const again = searcher.search('lamp', {filter: {n: 2}});
	await until(() => release !== undefined);
	release!();
	t.deepEqual(idsOf(await again), ['a'], 'the filter is compiled again');
});

test('a change of the filter or the queries right after a call does not affect the call', async t => {
	const {flat, bm25, encoder} = await filteredCorpus(join(await folder(t), 'bm25'), [{n: 1}, {n: 2}]);
	const searcher = new DenseSearcher({encoder, index: flat, fields: bm25});
	const filter = {n: 2};
	const many = [{id: 'q', text: 'lamp'}];
	const [one, run] = [searcher.search('lamp', {filter}), searcher.searchMany(many, {filter})];
	filter.n = 1;
	many[0]!.id = 'other';
	t.deepEqual(idsOf(await one), ['1']);
	t.deepEqual(idsOf((await run).get('q')!), ['1']);
});
