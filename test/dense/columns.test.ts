// Tests searches that return columns, that is, an array of ids and an array of scores (`searchColumns`, `searchManyColumns`), and compares
// searches that run on the JavaScript thread with searches that run on other threads.
import test from 'ava';
import {HitLists, RetrievalError, type Vectors} from '../../ts/index.ts';
import {idsOf, kinds, names, random, row, vectors} from '../support/vectors.ts';

for (const [kind, {make}] of Object.entries(kinds)) {
	test(`${kind}: searchColumns and searchManyColumns return the same ids and scores as search`, async t => {
		const index = make(2);
		await index.add(['a', 'b', 'c'], vectors(2, [1, 0], [0, 1], [2, 2]));
		// The scores are 3·2 + 1·2, 3·1 and 1·1.
		t.deepEqual(await index.searchColumns(Float32Array.of(3, 1)), {ids: ['c', 'a', 'b'], scores: Float32Array.of(8, 3, 1)});
		t.deepEqual(await index.searchColumns(Float32Array.of(3, 1), {k: 0}), {ids: [], scores: new Float32Array()});
		const lists = await index.searchManyColumns(vectors(2, [3, 1], [0, 1]), {k: 2});
		t.true(lists instanceof HitLists);
		t.is(lists.size, 2);
		t.deepEqual(lists.scores, Float32Array.of(8, 3, 2, 1));
		t.deepEqual(lists.offsets, Uint32Array.of(0, 2, 4));
		t.deepEqual(lists.get(1), {ids: ['c', 'b'], scores: Float32Array.of(2, 1)});
		t.is(lists.get(2), undefined);
		t.deepEqual(
			[...lists].map(({ids}) => ids),
			[
				['c', 'a'],
				['c', 'b'],
			],
		);
		t.is((await index.searchManyColumns(vectors(2))).size, 0);
	});

	test(`${kind}: searchManyColumns returns the same columns as single searches, on any number of threads`, async t => {
		const index = make(12);
		await index.add(names(2000), random(2000, 12));
		const queries = random(300, 12, 3);
		for (const threads of [1, 2]) {
			const lists = await index.searchManyColumns(queries, {k: 5, threads});
			for (let q = 0; q < 300; q++) {
				t.deepEqual(lists.get(q), await index.searchColumns(row(queries, q), {k: 5}));
			}
		}
	});

	test(`${kind}: the lists of searchManyColumns keep their ids while the index is changed, compacted and closed`, async t => {
		const index = make(4);
		await index.add(names(1000), random(1000, 4));
		const queries = random(20, 4, 9);
		const expected = await index.searchMany(queries, {k: 4});
		const lists = await index.searchManyColumns(queries, {k: 4});
		await index.delete(names(500));
		await index.add(names(3000, 5000), random(3000, 4, 2));
		await index.compact();
		index.close();
		t.deepEqual(
			[...lists].map(({ids}) => ids),
			expected.map(hits => idsOf(hits)),
		);
	});

	test(`${kind}: ids that contain U+0000 are returned complete`, async t => {
		const index = make(1);
		await index.add(['a\0b', 'c', '\0'], vectors(1, [3], [2], [1]));
		t.deepEqual((await index.searchColumns(Float32Array.of(1))).ids, ['a\0b', 'c', '\0']);
		t.deepEqual((await index.searchManyColumns(vectors(1, [1]))).get(0)!.ids, ['a\0b', 'c', '\0']);
		t.true(await index.has('a\0b'));
		const seen: string[] = [];
		for await (const id of index.ids()) {
			seen.push(id);
		}
		t.deepEqual(seen, ['a\0b', 'c', '\0']);
		t.deepEqual(idsOf(await index.search(Float32Array.of(1), {filter: {ids: ['\0', 'a\0b']}})), ['a\0b', '\0']);
		t.is(await index.delete(['a\0b']), 1);
	});

	test(`${kind}: searches on the JavaScript thread and on other threads return the same hits`, async t => {
		const index = make(16);
		await index.add(names(300), random(300, 16));
		const query = row(random(1, 16, 4), 0);
		// With `onProgress`, a search always runs on another thread.
		const expected = await index.search(query, {k: 9, onProgress() {}});
		for (let i = 0; i < 50; i++) {
			t.deepEqual(await index.search(query, {k: 9}), expected);
		}
		// These are more searches than fit into the time budget of one event-loop tick, so some of them run on other threads.
		for (const hits of await Promise.all(Array.from({length: 500}, async () => index.search(query, {k: 9})))) {
			t.deepEqual(hits, expected);
		}
		const aborted = AbortSignal.abort(new Error('enough'));
		await t.throwsAsync(index.search(query, {signal: aborted}), {message: 'enough'});
	});

	test(`${kind}: a search that waits has its own copy of the query, and completes even if the index is closed meanwhile`, async t => {
		const index = make(16);
		await index.add(names(300), random(300, 16));
		const query = row(random(1, 16, 4), 0);
		const expected = await index.search(query, {k: 9, onProgress() {}});
		await index.search(query, {k: 9});
		const given = query.slice();
		const searches: Array<Promise<unknown>> = [];
		// Starts searches for 3 ms. After the time budget of 1 ms per event-loop tick, one search waits for the next tick, and the others run
		// on other threads.
		for (const began = performance.now(); performance.now() - began < 3; ) {
			searches.push(index.search(given, {k: 9}), index.searchColumns(given, {k: 9}));
		}
		given.fill(0);
		index.close();
		const columns = {ids: idsOf(expected), scores: Float32Array.from(expected, ({score}) => score)};
		for (const [i, hits] of (await Promise.all(searches)).entries()) {
			t.deepEqual(hits, i % 2 === 0 ? expected : columns);
		}
	});

	test(`${kind}: a search that is aborted while it waits either completes or rejects with the reason`, async t => {
		const index = make(16);
		await index.add(names(300), random(300, 16));
		const query = row(random(1, 16, 4), 0);
		const expected = await index.search(query, {k: 9});
		const controller = new AbortController();
		const searches: Array<Promise<unknown>> = [];
		for (const began = performance.now(); performance.now() - began < 3; ) {
			searches.push(index.search(query, {k: 9, signal: controller.signal}));
		}
		const reason = new Error('enough');
		controller.abort(reason);
		for (const settled of await Promise.allSettled(searches)) {
			t.deepEqual(settled, settled.status === 'fulfilled' ? {status: 'fulfilled', value: expected} : {status: 'rejected', reason});
		}
	});

	test(`${kind}: result lists of any length are complete, whatever characters the ids contain`, async t => {
		const index = make(12);
		const ids = names(1500);
		await index.add(ids, random(1500, 12));
		// The 70 lists are more than one batch holds (64). With the largest k, a list has more hits than the preallocated buffer has space
		// for (1,024).
		const queries = random(70, 12, 3);
		const check = async (k: number): Promise<void> => {
			const expected = await index.search(row(queries, 69), {k, efSearch: 2000, onProgress() {}});
			const lists = await index.searchMany(queries, {k, efSearch: 2000});
			t.is(lists.length, 70);
			t.deepEqual(lists[69], expected);
			t.deepEqual(await index.search(row(queries, 69), {k, efSearch: 2000}), expected);
			const columns = await index.searchManyColumns(queries, {k, efSearch: 2000});
			t.deepEqual(columns.get(69)!.ids, idsOf(expected));
			t.deepEqual(
				lists.map(hits => idsOf(hits)),
				[...columns].map(({ids}) => ids),
			);
		};
		for (const k of [0, 1, 3, 100, 300, 1024, 1025, 1500]) {
			await check(k);
		}
		await index.delete(['p7']);
		await index.add(['seven\0', '\0', 'ä\0𝒳'], random(3, 12, 5));
		await check(5);
		// The hits are all 1,500 − 1 + 3 vectors.
		await check(1502);
	});

	test(`${kind}: vectors and queries are accepted as any Float32Array, including views of a SharedArrayBuffer`, async t => {
		const index = make(2);
		const whole = Float32Array.of(9, 1, 0, 0, 2, 9);
		const shared = new Float32Array(new SharedArrayBuffer(24), 4, 4);
		shared.set([3, 3, 4, -4]);
		await index.add(['a', 'b'], {data: whole.subarray(1, 5), rows: 2, dim: 2});
		await index.add(['c', 'd'], {data: shared, rows: 2, dim: 2});
		shared.fill(0);
		// For the query (7, 5), the scores of a, b, c and d are 7, 2·5, 3·7 + 3·5 and 4·7 − 4·5.
		const expected = [
			{id: 'c', score: 36},
			{id: 'b', score: 10},
			{id: 'd', score: 8},
			{id: 'a', score: 7},
		];
		const query = new Float32Array(new SharedArrayBuffer(12), 4, 2);
		query.set([7, 5]);
		for (const view of [Float32Array.of(0, 7, 5).subarray(1), query, new Float32Array(Float32Array.of(0, 7, 5, 0).buffer, 4, 2)]) {
			t.deepEqual(await index.search(view), expected);
			t.deepEqual(await index.search(view, {onProgress() {}}), expected);
			t.deepEqual(await index.searchMany({data: view, rows: 1, dim: 2}), [expected]);
		}
	});

	test(`${kind}: any value but a Float32Array is refused; for arrays of numbers, the error says how to convert them`, async t => {
		const index = make(2);
		/** Asserts that search, searchMany and add refuse this value. */
		const refused = async (value: unknown, message: string): Promise<void> => {
			await t.throwsAsync(index.search(value as Float32Array), {
				instanceOf: RetrievalError,
				code: 'ERR_ARGUMENT',
				message: `search: ${message}`,
			});
			const bulk = {data: value, rows: 1, dim: 2} as Vectors;
			await t.throwsAsync(index.searchMany(bulk), {code: 'ERR_ARGUMENT', message: `searchMany: data: ${message}`});
			await t.throwsAsync(index.add(['x'], bulk), {code: 'ERR_ARGUMENT', message: `add: data: ${message}`});
		};
		await refused([1, 2], 'expected a Float32Array, got an Array; pass Float32Array.from(it)');
		await refused(Float64Array.of(1, 2), 'expected a Float32Array, got a Float64Array; pass Float32Array.from(it)');
		await refused('1,2', 'expected a Float32Array, got string');
		await refused(null, 'expected a Float32Array, got null');
		await refused(new ArrayBuffer(8), 'expected a Float32Array, got an ArrayBuffer');
	});
}
