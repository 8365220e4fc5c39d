// Tests filters of dense indexes: lists of ids, predicates, and precomputed `VectorFilter` objects.
import {setImmediate as eventLoopTick} from 'node:timers/promises';
import test from 'ava';
import {
	DenseSearcher,
	type Encoder,
	FlatIndex,
	type IdFilter,
	RetrievalError,
	type VectorFilter,
	type VectorIndex,
} from '../../ts/index.ts';
import {highestOfThreeCounts} from '../support/event-loop.ts';
import {best, during, idsOf, kinds, names, random, row, slice, vectors} from '../support/vectors.ts';

const query = Float32Array.of(1, 1);

for (const [kind, {make}] of Object.entries(kinds)) {
	/** Makes an index with four vectors. */
	const smallIndex = async () => {
		const index = make(2);
		// For the query (1, 1), the scores are 6, 5, 4 and 3.
		await index.add(['a', 'b', 'c', 'd'], vectors(2, [3, 3], [3, 2], [2, 2], [2, 1]));
		return index;
	};

	test(`${kind}: each kind of filter selects the ids that it describes`, async t => {
		const index = await smallIndex();
		const found = async (filter: IdFilter): Promise<string> => idsOf(await index.search(query, {filter})).join('');
		t.is(await found({ids: ['d', 'b', 'nobody']}), 'bd');
		t.is(await found({where: id => id > 'b'}), 'cd');
		t.is(await found({not: {ids: ['a']}}), 'bcd');
		t.is(await found({and: [{where: id => id < 'd'}, {not: {ids: ['b']}}]}), 'ac');
		t.is(await found({or: [{ids: ['d']}, {ids: ['a']}, {ids: ['d']}]}), 'ad');
		t.is(await found({and: []}), 'abcd');
		t.is(await found({or: []}), '');
		t.is(await found({ids: []}), '');
		t.is(await found({not: {and: []}}), '');
		const compiled = await index.filter({ids: ['a', 'c', 'x', 'y']});
		t.deepEqual([compiled.size, compiled.unknown], [2, 2]);
		t.is(await found(compiled), 'ac');
		t.is(await found({and: [compiled, {not: {ids: ['a']}}]}), 'c');
		t.is(await index.filter(compiled), compiled);
	});

	test(`${kind}: a filtered search returns the best allowed vectors, whatever share of the vectors the filter allows`, async t => {
		const rows = 6000;
		const data = random(rows, 16, 3);
		const index = make(16);
		await index.add(names(rows), data);
		for (const divisor of [2, 10, 100, 1500]) {
			const filter = await index.filter({where: id => Number(id.slice(1)) % divisor === 0});
			t.is(filter.size, rows / divisor);
			let foundCount = 0;
			const k = Math.min(10, rows / divisor);
			for (let q = 0; q < 20; q++) {
				const query = row(random(20, 16, 99), q);
				const expected = best(data, query, 10, i => i % divisor === 0);
				const hits = idsOf(await index.search(query, {k: 10, filter}));
				t.is(hits.length, k);
				foundCount += hits.filter(id => expected.includes(id)).length;
			}
			t.true(kind === 'flat' ? foundCount === 20 * k : foundCount >= 0.95 * 20 * k, `1 in ${divisor}: ${foundCount} of ${20 * k}`);
		}
	});

	test(`${kind}: searchMany accepts a filter and returns the same hits as search`, async t => {
		const data = random(3000, 8);
		const index = make(8);
		await index.add(names(3000), data);
		const filter = await index.filter({where: id => id.endsWith('7')});
		const queries = random(150, 8, 5);
		const lists = await index.searchMany(queries, {k: 7, filter});
		for (let q = 0; q < queries.rows; q++) {
			t.deepEqual(lists[q], await index.search(row(queries, q), {k: 7, filter}));
		}
	});

	test(`${kind}: a filter keeps selecting the same ids while the index changes`, async t => {
		const index = await smallIndex();
		const [onlyAC, exceptD] = [await index.filter({ids: ['a', 'c']}), await index.filter({not: {ids: ['d']}})];
		const found = async (filter: VectorFilter): Promise<string> => idsOf(await index.search(query, {filter})).join('');
		await index.add(['e'], vectors(2, [9, 9]));
		t.is(await found(exceptD), 'abc', 'a vector added later is not selected');
		await index.update(['c'], vectors(2, [8, 8]));
		t.is(await found(onlyAC), 'ca', 'an updated vector stays selected');
		await index.delete(['a']);
		t.is(await found(onlyAC), 'c', 'a deleted vector is not a hit');
		await index.compact();
		t.deepEqual([await found(onlyAC), await found(exceptD)], ['c', 'cb'], 'compacting does not change the selection');
		t.deepEqual([onlyAC.size, exceptD.size], [1, 2]);
		await index.add(['a'], vectors(2, [9, 9]));
		t.is(await found(onlyAC), 'c', 'a vector that reuses a deleted id is not selected');
	});

	test(`${kind}: a filter of another index is refused`, async t => {
		const [index, other] = [await smallIndex(), await smallIndex()];
		const filter = await other.filter({ids: ['a']});
		const message = 'filter: expected a filter made by this index, got one made by another';
		for (const work of [
			index.search(query, {filter}),
			index.searchColumns(query, {filter}),
			index.searchMany(vectors(2, [1, 1]), {filter}),
			index.search(query, {filter: {not: filter}}),
			index.search(query, {filter: {and: [filter, {ids: []}]}}),
		]) {
			await t.throwsAsync(work, {instanceOf: RetrievalError, code: 'ERR_ARGUMENT', message});
		}
		other.close();
		await t.throwsAsync(index.search(query, {filter}), {message});
		index.close();
		await t.throwsAsync(index.search(query, {filter}), {code: 'ERR_CLOSED'});
	});
}

test('a malformed filter is refused with the path of the invalid part', async t => {
	const index = new FlatIndex({dim: 2});
	await index.add(['a'], vectors(2, [1, 1]));
	const cyclic: {not?: unknown} = {};
	cyclic.not = cyclic;
	const kindsOfFilter = 'a VectorFilter or an object with one of ids, where, and, or, not';
	const cases: [unknown, string | RegExp][] = [
		['a', `filter: expected ${kindsOfFilter}, got string`],
		[null, `filter: expected ${kindsOfFilter}, got null`],
		[['a'], `filter: expected ${kindsOfFilter}, got an array`],
		[(id: string) => id === 'a', `filter: expected ${kindsOfFilter}, got function`],
		[{}, `filter: expected ${kindsOfFilter}, got {}`],
		[{ids: [], not: {ids: []}}, /got \{ids, not\}$/u],
		[{equals: {field: 'x', value: 1}}, /got \{equals\}$/u],
		[{constructor: []}, /got \{constructor\}$/u],
		[new Map(), /got a Map$/u],
		[{ids: 'a'}, 'filter.ids: expected an array of strings, got string'],
		[{ids: new Set(['a'])}, 'filter.ids: expected an array of strings, got a Set'],
		[{and: [{ids: ['a', 7]}]}, 'filter.and[0].ids[1]: expected a string, got number'],
		[{or: {ids: []}}, 'filter.or: expected an array of filters, got an object'],
		[{not: undefined}, /^filter\.not: expected .*, got undefined$/u],
		[{where: 'a'}, 'filter.where: expected a function of an id, got string'],
		[{where: async () => true}, 'filter.where: expected true or false for "a", got a Promise'],
		[{where: () => 1}, 'filter.where: expected true or false for "a", got number'],
		[cyclic, /expected at most 32 levels of nested filters, got more$/u],
	];
	for (const [filter, message] of cases) {
		const options = {filter: filter as IdFilter};
		const error = await t.throwsAsync(index.search(Float32Array.of(1, 1), options), {instanceOf: RetrievalError, message}, String(message));
		t.is(error.code, 'ERR_ARGUMENT');
		await t.throwsAsync(index.searchMany(vectors(2, [1, 1]), options), {code: 'ERR_ARGUMENT', message}, String(message));
	}
	t.is((await index.search(Float32Array.of(1, 1), {filter: undefined})).length, 1);
});

test('a search rejects with the error that its predicate throws, and the index still works', async t => {
	const index = new FlatIndex({dim: 1});
	await index.add(names(1000), random(1000, 1));
	const thrown = new TypeError('error of the predicate');
	const filter: IdFilter = {
		where(id) {
			if (id === 'p500') {
				throw thrown;
			}
			return true;
		},
	};
	t.is(await t.throwsAsync(index.filter(filter)), thrown);
	t.is(await t.throwsAsync(index.search(Float32Array.of(1), {filter})), thrown);
	t.is((await index.search(Float32Array.of(1), {k: 3})).length, 3);
});

test('a predicate is called for the ids of a snapshot even if it changes the index, and closing the index waits for the call', async t => {
	const index = new FlatIndex({dim: 1});
	await index.add(names(5000), random(5000, 1));
	const changes: Promise<unknown>[] = [];
	const seen = new Set<string>();
	const filter = await index.filter({
		where(id) {
			seen.add(id);
			if (id === 'p100') {
				changes.push(
					index.delete(['p3000', 'p5']),
					index.update(['p7'], vectors(1, [100])),
					index.compact(),
					index.add(['new'], vectors(1, [50])),
				);
			}
			return true;
		},
	});
	await Promise.all(changes);
	t.is(seen.size, 5000);
	const hits = idsOf(await index.search(Float32Array.of(1), {k: 10_000, filter}));
	t.is(hits[0], 'p7');
	// Two vectors of the snapshot have been deleted since, and `new` is not part of the snapshot.
	t.is(hits.length, 4998);
	const closing = new FlatIndex({dim: 1});
	await closing.add(names(2000), random(2000, 1));
	const closed = closing.filter({
		where(id) {
			if (id === 'p3') {
				closing.close();
			}
			return true;
		},
	});
	await t.notThrowsAsync(closed);
	await t.throwsAsync(closing.filter({where: () => true}), {code: 'ERR_CLOSED'});
});

test('filters of a hundred thousand ids do not block the event loop', async t => {
	const rows = 100_000;
	const index = new FlatIndex({dim: 4});
	await index.add(names(rows), random(rows, 4));
	for (const filter of [{ids: names(rows)}, {where: (id: string) => id.length > 3}]) {
		// A list is copied in slices of 1,000 ids, at most one per tick; a predicate is called for about 1 ms per tick.
		const minTicks = 'ids' in filter ? 40 : 5;
		const ticks = await highestOfThreeCounts(minTicks - 1, async () => {
			let count = 0;
			const compiled = await during(index.filter(filter), async () => {
				count++;
				await eventLoopTick();
			});
			// The predicate is false for the 100 ids from `p0` to `p99`.
			t.is(compiled.size, 'ids' in filter ? rows : rows - 100);
			return count;
		});
		t.true(ticks >= minTicks, `${ticks} ticks`);
	}
	const abort = AbortSignal.abort(new Error('enough'));
	await t.throwsAsync(index.filter({ids: names(rows)}, {signal: abort}), {message: 'enough'});
});

test('a dense searcher accepts a filter only if its index supports filters', async t => {
	const encoder: Encoder = {
		dim: 2,
		encode: async inputs => ({data: new Float32Array(2 * inputs.length).fill(1), rows: inputs.length, dim: 2}),
	};
	const index = new FlatIndex({dim: 2});
	await index.add(['a', 'b', 'c'], vectors(2, [3, 3], [2, 2], [1, 1]));
	const searcher = new DenseSearcher({encoder, index});
	const filter = await index.filter({ids: ['b', 'c']});
	t.deepEqual(idsOf(await searcher.search('?', {filter})), ['b', 'c']);
	t.deepEqual(idsOf(await searcher.search('?', {filter: {ids: ['c']}})), ['c']);
	const run = await searcher.searchMany([{id: 'q', text: '?'}], {filter, k: 1});
	t.deepEqual(idsOf(run.get('q')!), ['b']);
	const foreign = {dim: 2, metadata: {}, search: async () => [], searchMany: async () => []} as unknown as VectorIndex;
	await t.throwsAsync(new DenseSearcher({encoder, index: foreign}).search('?', {filter}), {
		code: 'ERR_ARGUMENT',
		message: 'filter: expected a search of a FlatIndex or an HnswIndex, got another index',
	});
});

test('a filter that is compiled while vectors are added selects either all of these vectors or none', async t => {
	const data = random(20_000, 8);
	const index = kinds['hnsw']!.make(8);
	await index.add(names(10_000), slice(data, 0, 10_000));
	const adding = index.add(names(10_000, 10_000), slice(data, 10_000, 20_000));
	await during(adding, async () => {
		const filter = await index.filter({and: []});
		t.true(filter.size === 10_000 || filter.size === 20_000, String(filter.size));
	});
	t.is((await index.filter({and: []})).size, 20_000);
});
