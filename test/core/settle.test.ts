// Tests that calls that end at the same time are settled over several iterations of the event loop, each with the right result.
import {Worker} from 'node:worker_threads';
import {setImmediate} from 'node:timers/promises';
import test from 'ava';
import {packageRoot} from '../../ts/core/native/addon.ts';
import {FlatIndex} from '../../ts/index.ts';
import {highestOfThreeCounts} from '../support/event-loop.ts';

/** A search with this option runs on another thread. */
const onThreadPool = {onProgress: (): void => undefined};

test('calls that end at the same time are settled over several iterations of the event loop', async t => {
	const calls = 2000;
	const index = new FlatIndex({dim: 2});
	await index.add(
		Array.from({length: calls}, (_, i) => `p${i}`),
		{data: Float32Array.from({length: 2 * calls}, (_, i) => (i % 2 === 0 ? i / 2 : -((i >> 1) ** 2) / 2)), rows: calls, dim: 2},
	);
	const iterations = await highestOfThreeCounts(calls / 256, async () => {
		const settled = new Set<number>();
		let failed = 0;
		let busyIterations = 0;
		const searches = Array.from({length: calls}, async (_, i) => {
			if (i % 10 === 0) {
				await t.throwsAsync(FlatIndex.open('missing'), {code: 'ERR_IO'});
				failed++;
			} else {
				// The largest inner product of (n, -n²/2) with (i, 1) is that of n = i.
				t.is((await index.search(Float32Array.of(i, 1), {k: 1, ...onThreadPool}))[0]?.id, `p${i}`);
			}
			settled.add(i);
		});
		// Blocks this thread, so that the calls end on other threads but are not settled.
		Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
		while (settled.size < calls) {
			const before = settled.size;
			await setImmediate();
			busyIterations += settled.size > before ? 1 : 0;
		}
		await Promise.all(searches);
		t.is(failed, calls / 10);
		return busyIterations;
	});
	t.true(iterations >= calls / 256, `${iterations} iterations`);
	index.close();
});

test('a thread that ends while many of its calls wait to be settled does not disturb the others', async t => {
	const source = `
		import {workerData} from 'node:worker_threads';
		const {FlatIndex} = await import(workerData.module);
		const index = new FlatIndex({dim: 1});
		await index.add(['a'], {data: Float32Array.of(1), rows: 1, dim: 1});
		for (let i = 0; i < 1000; i++) {
			index.search(Float32Array.of(1), {k: 1, onProgress() {}}).catch(() => {});
		}
		Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
		setImmediate(() => process.exit());
	`;
	// The workers import the built package, because they cannot load TypeScript.
	const url = new URL(`data:text/javascript,${encodeURIComponent(source)}`);
	const module = new URL('dist/ts/index.js', `file://${packageRoot}/`).href;
	const index = new FlatIndex({dim: 1});
	await index.add(['a'], {data: Float32Array.of(1), rows: 1, dim: 1});
	for (let round = 0; round < 3; round++) {
		const worker = new Worker(url, {workerData: {module}});
		const exit = new Promise<number>((resolve, reject) => {
			worker.once('error', reject).once('exit', resolve);
		});
		t.is(await exit, 0);
		t.deepEqual(await index.search(Float32Array.of(2), {k: 1, ...onThreadPool}), [{id: 'a', score: 2}]);
	}
	index.close();
});
