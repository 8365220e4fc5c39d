// Tests dense indexes that the main thread shares with worker threads by sending them handles.
import {once} from 'node:events';
import {setTimeout as sleep} from 'node:timers/promises';
import {Worker} from 'node:worker_threads';
import test, {type ExecutionContext} from 'ava';
import {FlatIndex, HnswIndex, type IndexHandle, RetrievalError} from '../../ts/index.ts';
import {kinds, names, random, row, vectors} from '../support/vectors.ts';

/**
Starts a worker that attaches to the index of a handle. Returns the worker and its first message: the size, dimension and similarity of the
index, or an error.
*/
async function attach(t: ExecutionContext, handle: IndexHandle, dim: number): Promise<{worker: Worker; first: unknown}> {
	const worker = new Worker(new URL('attached-worker.mjs', import.meta.url), {workerData: {handle, dim}});
	t.teardown(async () => worker.terminate());
	const [first] = (await once(worker, 'message')) as [unknown];
	return {worker, first};
}

/** Sends a task (see `attached-worker.ts`) to a worker and returns the worker's answer. */
async function ask(worker: Worker, task: object): Promise<unknown> {
	// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker's postMessage has no target origin
	worker.postMessage(task);
	const [answer] = (await once(worker, 'message')) as [unknown];
	return answer;
}

for (const [kind, {make}] of Object.entries(kinds)) {
	test(`${kind}: threads share one index: each sees the others' changes, and an index closed in one stays open in the others`, async t => {
		const data = random(3000, 16);
		const index = make(16);
		await index.add(names(3000), data);
		const [a, b] = await Promise.all([attach(t, index.share(), 16), attach(t, index.share(), 16)]);
		t.deepEqual(a.first, {size: 3000, dim: 16, similarity: 'dot'});
		const query = row(data, 7).slice();
		let expected = await index.search(query, {k: 5});
		t.deepEqual(await ask(a.worker, {action: 'search', query}), expected);
		t.deepEqual(await ask(a.worker, {action: 'filter', query, id: 'p9'}), [
			{id: 'p9', score: (await index.search(query, {filter: {ids: ['p9']}}))[0]!.score},
		]);
		// All threads see a vector that one of them adds.
		t.is(await ask(a.worker, {action: 'add', query: new Float32Array(16).fill(100), id: 'new'}), 3001);
		t.is(index.size, 3001);
		expected = await index.search(query, {k: 5});
		const seen = (await ask(b.worker, {action: 'search', query: new Float32Array(16).fill(1)})) as {id: string}[];
		t.is(seen[0]!.id, 'new');
		// Closing the index in one thread leaves it open in the others.
		t.is(await ask(a.worker, {action: 'close'}), 'closed');
		t.like(await ask(a.worker, {action: 'search', query}), {code: 'ERR_CLOSED'});
		t.deepEqual(await index.search(query, {k: 5}), expected);
		const handle = index.share();
		index.close();
		await t.throwsAsync(index.search(query), {code: 'ERR_CLOSED'});
		t.deepEqual(await ask(b.worker, {action: 'search', query}), expected);
		// The worker still has the index open, so the handle is still valid.
		const again =
			kind === 'flat' ? FlatIndex.attach(handle as IndexHandle<'FlatIndex'>) : HnswIndex.attach(handle as IndexHandle<'HnswIndex'>);
		t.is(again.size, 3001);
	});

	test(`${kind}: terminating a worker during searches and additions does not harm other threads`, async t => {
		const data = random(4000, 24);
		const index = make(24);
		await index.add(names(4000), data);
		for (let round = 0; round < 3; round++) {
			const {worker} = await attach(t, index.share(), 24);
			t.is(await ask(worker, {action: 'flood', query: row(data, 1).slice(), count: 2000}), 'flooding');
			await sleep(5 * round);
			await worker.terminate();
			t.is((await index.search(row(data, round), {k: 10, onProgress() {}})).length, 10);
			// The addition is either complete or has not happened.
			await index.compact();
			const flooded = index.size - 4000;
			t.true(flooded === 0 || flooded === 2000, String(flooded));
			await index.delete(Array.from({length: 2000}, (_, i) => `flood${i}`));
			t.is(index.size, 4000);
		}
		// The index objects of terminated workers do not keep the index open, so the handle is invalid.
		const handle = index.share();
		index.close();
		t.throws(
			() => (kind === 'flat' ? FlatIndex.attach(handle as IndexHandle<'FlatIndex'>) : HnswIndex.attach(handle as IndexHandle<'HnswIndex'>)),
			{
				code: 'ERR_ARGUMENT',
			},
		);
	});
}

test('an unknown handle, a handle of another kind of index, and a handle of a closed index are refused', async t => {
	const flat = new FlatIndex({dim: 2});
	await flat.add(['a'], vectors(2, [1, 1]));
	const handle = flat.share();
	t.deepEqual(structuredClone(handle), handle);
	t.deepEqual(flat.share(), handle);
	const refused = (work: () => unknown, message: string): void => {
		const error = t.throws(work, {instanceOf: RetrievalError, message});
		t.is((error as RetrievalError).code, 'ERR_ARGUMENT');
	};
	const unknownHandle = 'attach: expected a handle of an index that is open in this process, got an unknown handle';
	refused(() => HnswIndex.attach({...handle, kind: 'HnswIndex'}), 'attach: expected a handle of a HnswIndex, got one of a FlatIndex');
	refused(() => FlatIndex.attach({kind: 'FlatIndex', token: '0'}), unknownHandle);
	refused(() => FlatIndex.attach({kind: 'FlatIndex', token: `${handle.token}0`}), unknownHandle);
	refused(() => FlatIndex.attach({kind: 'FlatIndex', token: ''}), unknownHandle);
	refused(() => FlatIndex.attach({kind: 'FlatIndex', token: 7 as unknown as string}), 'attach: token: expected a string, got number');
	refused(() => FlatIndex.attach(null as unknown as IndexHandle<'FlatIndex'>), 'attach: expected a handle {kind, token}, got null');
	const other = FlatIndex.attach(handle);
	flat.close();
	t.throws(() => flat.share(), {code: 'ERR_CLOSED'});
	t.is((await other.search(Float32Array.of(1, 1)))[0]!.id, 'a');
	other.close();
	refused(() => FlatIndex.attach(handle), unknownHandle);
});
