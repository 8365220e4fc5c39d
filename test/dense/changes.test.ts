// Tests changes of dense indexes: updates, deletions, compaction, and searches that run at the same time.
import {join} from 'node:path';
import {setImmediate as eventLoopTick} from 'node:timers/promises';
import test from 'ava';
import {RetrievalError} from '../../ts/index.ts';
import {highestOfThreeCounts} from '../support/event-loop.ts';
import {during, folder, idsOf, kinds, names, random, row, slice, vectors} from '../support/vectors.ts';

for (const [kind, {make, open}] of Object.entries(kinds)) {
	test(`${kind}: update replaces either all vectors or none`, async t => {
		const index = make(2);
		await index.add(['a', 'b', 'c'], vectors(2, [1, 0], [0, 1], [1, 1]));
		await index.update(['c', 'a'], vectors(2, [7, 7], [5, 5]));
		t.is(index.size, 3);
		t.deepEqual(await index.search(Float32Array.of(1, 1)), [
			{id: 'c', score: 14},
			{id: 'a', score: 10},
			{id: 'b', score: 1},
		]);
		/** Asserts that an update with these ids and vectors fails. */
		const refused = async (ids: string[], rows: number[][], code: string, message: string): Promise<void> => {
			const error = await t.throwsAsync(index.update(ids, vectors(2, ...rows)), {instanceOf: RetrievalError, message});
			t.is(error.code, code as typeof error.code);
		};
		await refused(
			['a', 'x'],
			[
				[1, 1],
				[1, 1],
			],
			'ERR_ARGUMENT',
			'update: expected ids that are in the index, got "x" at row 1',
		);
		await refused(
			['a', 'a'],
			[
				[1, 1],
				[1, 1],
			],
			'ERR_DUPLICATE_ID',
			'update: expected an id that is new, got "a" at row 1, which is also at row 0',
		);
		await refused(
			['a', 'b'],
			[
				[1, 1],
				[1, Number.NaN],
			],
			'ERR_ARGUMENT',
			'update: expected finite numbers, got NaN at row 1, column 1',
		);
		await refused([''], [[1, 1]], 'ERR_ARGUMENT', 'update: expected an id of one character or more, got an empty one at row 0');
		await t.throwsAsync(index.update(['a'], vectors(3, [1, 1, 1])), {
			code: 'ERR_DIMENSION',
			message: 'update: expected vectors of dimension 2, got 3',
		});
		await t.throwsAsync(index.update(['a'], vectors(2, [1, 1]), {upsert: 1 as unknown as boolean}), {
			message: 'update: upsert: expected a boolean, got 1',
		});
		t.deepEqual(await index.get('a'), Float32Array.of(5, 5));
		await index.update(['x', 'a'], vectors(2, [9, 9], [0, 0]), {upsert: true});
		t.deepEqual(idsOf(await index.search(Float32Array.of(1, 1))), ['x', 'c', 'b', 'a']);
		await index.update([], vectors(2));
		t.is(index.size, 4);
	});

	test(`${kind}: has, get and vectors report what is stored`, async t => {
		const index = make(2);
		await index.add(['a', 'b'], vectors(2, [1, 2], [3, 4]));
		t.deepEqual([await index.has('a'), await index.has('x')], [true, false]);
		t.deepEqual([await index.get('b'), await index.get('x')], [Float32Array.of(3, 4), undefined]);
		t.deepEqual(await index.vectors(['b', 'a', 'b']), vectors(2, [3, 4], [1, 2], [3, 4]));
		t.deepEqual(await index.vectors([]), vectors(2));
		await t.throwsAsync(index.vectors(['a', 'x']), {
			code: 'ERR_ARGUMENT',
			message: 'vectors: expected ids that are in the index, got "x" at row 1',
		});
		await t.throwsAsync(index.has(7 as unknown as string), {code: 'ERR_ARGUMENT', message: 'has: id: expected a string, got number'});
		await t.throwsAsync(index.get(null as unknown as string), {code: 'ERR_ARGUMENT', message: 'get: id: expected a string, got null'});
		await t.throwsAsync(index.delete('a' as unknown as string[]), {message: 'delete: ids: expected an array of strings, got string'});
		await index.delete(['a']);
		t.deepEqual([await index.has('a'), await index.get('a')], [false, undefined]);
		index.close();
		await t.throwsAsync(index.has('b'), {code: 'ERR_CLOSED'});
		await t.throwsAsync(index.get('b'), {code: 'ERR_CLOSED'});
	});

	test(`${kind}: ids() iterates, in insertion order, over a snapshot that is taken when the first id is requested`, async t => {
		const index = make(1);
		await index.add(names(7000), random(7000, 1));
		await index.delete(['p3', 'p6999']);
		await index.update(['p1'], vectors(1, [2]));
		const seen: string[] = [];
		for await (const id of index.ids()) {
			if (seen.push(id) === 10) {
				await index.delete(names(6000));
				await index.compact();
				await index.add(['late'], vectors(1, [1]));
			}
		}
		// Two of the 7,000 ids were deleted before the iteration. An updated id counts as inserted last.
		t.is(seen.length, 6998);
		t.deepEqual(seen.slice(0, 4), ['p0', 'p2', 'p4', 'p5']);
		t.is(seen.at(-1), 'p1');
		t.is(new Set(seen).size, 6998);
	});

	test(`${kind}: compact frees the memory of deleted vectors and does not change the hits`, async t => {
		const index = make(64);
		const data = random(4000, 64);
		await index.add(names(4000), data);
		const before = index.memoryBytes;
		t.is(await index.delete(names(3000)), 3000);
		const expected = await index.search(row(data, 3500), {k: 5, efSearch: 200});
		let reported = {done: 0, total: 0};
		await index.compact({
			onProgress(progress) {
				reported = progress;
			},
		});
		t.deepEqual(reported, {done: 1000, total: 1000});
		// A quarter of the vectors remain.
		t.true(index.memoryBytes < 0.4 * before, `${index.memoryBytes} of ${before}`);
		t.deepEqual(await index.search(row(data, 3500), {k: 5, efSearch: 200}), expected);
		const path = join(await folder(t), 'index');
		await index.save(path);
		const opened = await open(path);
		t.deepEqual(await opened.search(row(data, 3500), {k: 5, efSearch: 200}), expected);
		t.is(await opened.delete(['p3500']), 1);
		await opened.compact();
		t.is(opened.size, 999);
		const reason = new Error('enough');
		t.is(await t.throwsAsync(opened.compact({signal: AbortSignal.abort(reason)})), reason);
	});

	test(`${kind}: searches run while vectors are added, and see either all of them or none`, async t => {
		const [firstCount, allCount] = [2000, 22_000];
		const data = random(allCount, 48);
		const firstIds = new Set(names(firstCount));
		let longest = 0;
		const searches = await highestOfThreeCounts(3, async () => {
			const index = make(48);
			await index.add(names(firstCount), slice(data, 0, firstCount));
			let count = 0;
			await during(index.add(names(allCount - firstCount, firstCount), slice(data, firstCount, allCount)), async () => {
				const began = performance.now();
				// With `onProgress`, a search runs on another thread.
				const hits = idsOf(await index.search(row(data, (count * 37) % allCount), {k: 10, onProgress() {}}));
				longest = Math.max(longest, performance.now() - began);
				const firstHits = hits.filter(id => firstIds.has(id)).length;
				t.true(firstHits === 10 || index.size === allCount, 'a search saw a partial change');
				t.true(index.size === firstCount || index.size === allCount);
				count++;
				await eventLoopTick();
			});
			t.is(index.size, allCount);
			const found = idsOf(await index.search(row(data, allCount - 1), {k: allCount}));
			t.is(new Set(found).size, allCount);
			return count;
		});
		t.log(`${searches} searches, the longest ${longest.toFixed(1)} ms`);
		t.true(searches > 3, `${searches} searches`);
	});

	test(`${kind}: an upsert that is aborted while it runs changes nothing, and its new ids can be added later`, async t => {
		const index = make(32);
		const data = random(30_000, 32);
		await index.add(names(1000), slice(data, 0, 1000));
		const expected = await index.search(row(data, 3), {k: 20, efSearch: 400});
		const reason = new Error('enough');
		const controller = new AbortController();
		// The first 500 of these ids are in the index.
		const upserting = index.update(names(29_500, 500), slice(data, 500, 30_000), {
			upsert: true,
			signal: controller.signal,
			onProgress({done}) {
				if (done > 100) {
					controller.abort(reason);
				}
			},
		});
		const result = await upserting.then(
			() => 'done',
			(error: unknown) => error,
		);
		if (result === 'done') {
			// A flat index may finish before its progress is reported.
			t.is(index.size, 30_000);
			return;
		}
		t.is(result, reason);
		t.is(index.size, 1000);
		t.deepEqual(await index.search(row(data, 3), {k: 20, efSearch: 400}), expected);
		const path = join(await folder(t), 'index');
		await index.save(path);
		t.is((await open(path)).size, 1000);
		await index.compact();
		await index.add(['p1000'], vectors(32, [...row(data, 1000)]));
		t.is(index.size, 1001);
	});

	test(`${kind}: changes are applied in the order of their calls`, async t => {
		const index = make(1);
		const path = join(await folder(t), 'index');
		const done = await Promise.all([
			index.add(['a'], vectors(1, [1])),
			index.update(['a'], vectors(1, [2])),
			index.save(path),
			index.delete(['a']),
			index.add(['a', 'b'], vectors(1, [3], [4])),
			index.delete(['b', 'b', 'nobody']),
			index.compact(),
			index.update(['a'], vectors(1, [5])),
		]);
		t.deepEqual([done[3], done[5]], [1, 1]);
		t.deepEqual(await index.search(Float32Array.of(1)), [{id: 'a', score: 5}]);
		t.deepEqual(await (await open(path)).search(Float32Array.of(1)), [{id: 'a', score: 2}]);
	});

	test(`${kind}: a hundred changes that wait for a long change do not delay searches`, async t => {
		const data = random(12_000, 48);
		// Adding to a flat index is so quick that there may be time for only one search.
		const minSearches = kind === 'flat' ? 1 : 10;
		const searches = await highestOfThreeCounts(minSearches - 1, async () => {
			const index = make(48);
			await index.add(names(100), slice(data, 0, 100));
			const long = index.add(names(11_900, 100), slice(data, 100, 12_000));
			const waiting = Array.from({length: 100}, async () => index.delete(['nobody']));
			let count = 0;
			await during(Promise.all([long, ...waiting]), async () => {
				await index.search(row(data, 0), {k: 3, onProgress() {}});
				count++;
			});
			return count;
		});
		t.true(searches >= minSearches, `${searches} searches`);
	});

	test(`${kind}: if the index is closed during changes and searches, each of them finishes or rejects with ERR_CLOSED`, async t => {
		const data = random(5000, 32);
		const index = make(32);
		await index.add(names(1000), slice(data, 0, 1000));
		const work = [
			index.search(row(data, 0), {onProgress() {}}),
			index.searchMany(slice(data, 0, 50), {k: 3}),
			index.add(names(1000, 1000), slice(data, 1000, 2000)),
			index.save(join(await folder(t), 'index')),
		];
		index.close();
		for (const result of await Promise.allSettled(work)) {
			t.true(
				result.status === 'fulfilled' || (result.reason as RetrievalError).code === 'ERR_CLOSED',
				String((result as PromiseRejectedResult).reason),
			);
		}
		await t.throwsAsync(index.compact(), {code: 'ERR_CLOSED'});
		await t.throwsAsync(index.update([], vectors(32)), {code: 'ERR_CLOSED'});
	});
}
