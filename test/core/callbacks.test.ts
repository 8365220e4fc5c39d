// Tests callbacks (`onProgress`, `onSkipped`, `onStage`) that throw or whose promise rejects.
import {mkdtemp, readdir, rm, writeFile} from 'node:fs/promises';
import {createServer} from 'node:http';
import type {AddressInfo} from 'node:net';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import test, {type ExecutionContext} from 'ava';
import {
	Bm25Index,
	Bm25Writer,
	type CallOptions,
	Collection,
	DenseSearcher,
	FlatIndex,
	HybridSearcher,
	type Passage,
	PassageStore,
	type Progress,
	downloadModel,
	rankCandidates,
	readPassages,
} from '../../ts/index.ts';
import {succeedsOnce} from '../support/event-loop.ts';

/** A call under test, which receives the callback. */
type Call = (options: Pick<CallOptions, 'onProgress'>) => Promise<unknown>;

/** Makes a temporary folder that is removed after the test. */
async function temporaryFolder(t: ExecutionContext): Promise<string> {
	const folder = await mkdtemp(join(tmpdir(), 'passagekit-callbacks-'));
	t.teardown(async () => rm(folder, {recursive: true, force: true}));
	return folder;
}

/** Generates passages with the ids `p0`, `p1`, …. */
function* passages(count: number): Generator<Passage> {
	for (let i = 0; i < count; i++) {
		yield {id: `p${i}`, text: `passage ${i} of a bridge of stone and steel over river ${i % 97}`};
	}
}

/**
Makes the call twice: first with a callback that throws an error, then with a callback that returns a promise that rejects with one. Asserts
that each call rejects with that error, and that its callback is called only once.
*/
async function assertRejectsWithCallbackError(t: ExecutionContext, call: Call): Promise<void> {
	for (const fail of [
		(error: Error) => {
			throw error;
		},
		async (error: Error) => {
			throw error;
		},
	]) {
		const error = new Error('the callback failed');
		let calls = 0;
		const rejected = await t.throwsAsync(
			call({
				onProgress() {
					calls += 1;
					return fail(error);
				},
			}),
		);
		t.is(rejected, error);
		// Progress is reported every 100 ms, so a second call of the callback would come within this time.
		await new Promise(resolve => {
			setTimeout(resolve, 250);
		});
		t.is(calls, 1, 'the callback is not called again, not even after the call has settled');
	}
}

test('a search stops when onProgress fails', async t => {
	const [dim, rows] = [64, 3000];
	const index = new FlatIndex({dim});
	// Small numbers in no obvious order.
	const data = Float32Array.from({length: rows * dim}, (_, i) => (i * 7919) % 13);
	await index.add(
		Array.from({length: rows}, (_, i) => `p${i}`),
		{data, rows, dim},
	);
	// Twenty copies of the queries, so that the search is still running when progress is first reported.
	const copies = 20;
	const many = new Float32Array(copies * data.length);
	for (let from = 0; from < many.length; from += data.length) {
		many.set(data, from);
	}
	const isCalledDuringSearch = await succeedsOnce(async () => {
		const reports: Progress[] = [];
		const error = new Error('enough');
		const rejected = await t.throwsAsync(
			index.searchMany(
				{data: many, rows: copies * rows, dim},
				{
					threads: 1,
					onProgress(progress) {
						reports.push(progress);
						throw error;
					},
				},
			),
		);
		t.is(rejected, error);
		t.is(reports.length, 1);
		return reports[0]!.done < copies * rows;
	});
	t.true(isCalledDuringSearch, 'onProgress was called while the search was running');
	// Any value can be thrown, even undefined.
	const throwingUndefined = index.searchMany(
		{data, rows, dim},
		{
			onProgress() {
				// eslint-disable-next-line no-throw-literal
				throw undefined;
			},
		},
	);
	const result = await throwingUndefined.then(
		() => 'resolved',
		(reason: unknown) => reason,
	);
	t.is(result, undefined);
	await assertRejectsWithCallbackError(t, async options => index.searchMany({data, rows, dim}, options));
	// The index is unchanged.
	t.is((await index.search(data.subarray(0, dim), {k: 3})).length, 3);
});

test('a call settles only after the promise that its callback returned', async t => {
	const index = new FlatIndex({dim: 1});
	let callbackHasEnded = false;
	await index.searchMany(
		{data: Float32Array.of(1), rows: 1, dim: 1},
		{
			async onProgress() {
				await new Promise(resolve => {
					setTimeout(resolve, 50);
				});
				callbackHasEnded = true;
			},
		},
	);
	t.true(callbackHasEnded);
});

test('a writer whose onProgress or onSkipped fails is interrupted, as after an abort', async t => {
	const folder = await temporaryFolder(t);
	const file = join(folder, 'corpus.jsonl');
	const lines = [...passages(2000)].map(({id, text}) => JSON.stringify({_id: id, title: '', text}));
	await writeFile(file, `${lines.join('\n')}\nnot a passage\n`);
	const store = join(folder, 'passages.pkstore');
	await PassageStore.write(passages(2000), store);
	await using opened = await PassageStore.open(store);
	await using writer = await Bm25Writer.create(join(folder, 'bm25'));
	await writer.add([{id: 'kept', text: 'a bridge'}]);
	await writer.commit();
	const calls: Array<(options: CallOptions) => Promise<unknown>> = [
		async options => writer.add(passages(2000), options),
		async options => writer.update(passages(2000), options),
		async options => writer.add(file, {...options, skipBadLines: true}),
		async options => writer.add(opened, options),
		async ({onProgress}) => writer.add(file, {skipBadLines: true, onSkipped: lines => onProgress?.({done: lines, total: 0})}),
	];
	for (const call of calls) {
		await assertRejectsWithCallbackError(t, async options => {
			try {
				await call(options);
			} finally {
				await t.throwsAsync(writer.commit(), {code: 'ERR_INTERRUPTED'});
				await t.throwsAsync(writer.add([{id: 'x', text: 'y'}]), {code: 'ERR_INTERRUPTED'});
				await writer.rollback();
			}
		});
	}
	await writer.commit();
	const index = await Bm25Index.open(join(folder, 'bm25'));
	t.is(index.size, 1);
	index.close();
});

test('writing passages from JavaScript stops when onProgress fails', async t => {
	const folder = await temporaryFolder(t);
	const output = join(folder, 'passages.pkstore');
	await assertRejectsWithCallbackError(t, async options => PassageStore.write(passages(1000), output, options));
	t.deepEqual(await readdir(folder), []);
});

test('a build whose onProgress or onStage fails leaves no files', async t => {
	const folder = await temporaryFolder(t);
	const output = join(folder, 'collection');
	await assertRejectsWithCallbackError(t, async ({onProgress}) => Collection.build(passages(1000), output, {encoder: false, onProgress}));
	await assertRejectsWithCallbackError(t, async ({onProgress}) =>
		Collection.build(passages(1000), output, {encoder: false, onStage: ({passages: done}) => onProgress!({done, total: 0})}),
	);
	t.deepEqual(await readdir(folder), []);
});

test('reading a file rejects with the error of onProgress or onSkipped', async t => {
	const folder = await temporaryFolder(t);
	const file = join(folder, 'corpus.jsonl');
	await writeFile(file, `${JSON.stringify({_id: 'a', title: '', text: 'a fox'})}\nnot a passage\n`);
	const read = async (options: Parameters<typeof readPassages>[1]): Promise<void> => {
		for await (const {id} of readPassages(file, {skipBadLines: true, ...options})) {
			t.is(id, 'a');
		}
	};
	await assertRejectsWithCallbackError(t, read);
	await assertRejectsWithCallbackError(t, async ({onProgress}) => read({onSkipped: lines => onProgress!({done: lines, total: 0})}));
});

test('when a hybrid search rejects with the error of onProgress, all of its searchers have stopped', async t => {
	const index = new FlatIndex({dim: 1});
	await index.add(['a'], {data: Float32Array.of(1), rows: 1, dim: 1});
	const encoder = {
		dim: 1,
		encode: async (inputs: readonly unknown[]) => ({data: new Float32Array(inputs.length).fill(1), rows: inputs.length, dim: 1}),
	};
	let running = 0;
	const slow = {
		search: async () => [],
		async searchMany(_queries: unknown, {signal}: CallOptions = {}): Promise<Map<string, never[]>> {
			running += 1;
			await new Promise<void>(resolve => {
				const timer = setTimeout(resolve, 60_000);
				signal?.addEventListener('abort', () => {
					clearTimeout(timer);
					resolve();
				});
			});
			running -= 1;
			return new Map();
		},
	};
	const searcher = new HybridSearcher({dense: new DenseSearcher({encoder, index}), sparse: slow});
	await assertRejectsWithCallbackError(t, async options => {
		try {
			await searcher.searchMany([{id: 'q', text: 'fox'}], options);
		} finally {
			t.is(running, 0);
		}
	});
});

test('running searches stop when onProgress fails, and no other search starts', async t => {
	let [started, running] = [0, 0];
	const searcher = {
		async search() {
			started += 1;
			running += 1;
			await new Promise(resolve => {
				setTimeout(resolve, 5);
			});
			running -= 1;
			return [];
		},
	};
	const queries = Array.from({length: 100}, (_, i) => ({id: `q${i}`, text: 'fox'}));
	// Every query has the same two candidates.
	const lists = new Map(queries.map(({id}) => [id, {gold: 'a', ids: ['a', 'b']}]));
	const candidates = {lists, size: 2, shortListCount: 0, withoutRelevantCount: 0};
	await assertRejectsWithCallbackError(t, async options => {
		started = 0;
		try {
			await rankCandidates(searcher, queries, candidates, {...options, concurrency: 4});
		} finally {
			t.is(running, 0);
			t.true(started < 20, `${started} of 100 searches were started, at most four at a time`);
		}
	});
});

test('a download stops when onProgress fails', async t => {
	const folder = await temporaryFolder(t);
	const server = createServer((request, response) => {
		// The path is `/some/model/resolve/main/FILE`.
		const file = request.url!.split('/').slice(5).join('/');
		if (!['tokenizer.json', 'onnx/model.onnx'].includes(file)) {
			response.writeHead(404).end();
			return;
		}
		response.writeHead(200, {'content-length': 1000});
		response.end(request.method === 'HEAD' ? undefined : Buffer.alloc(1000));
	});
	await new Promise<void>(resolve => {
		server.listen(0, '127.0.0.1', resolve);
	});
	t.teardown(() => server.close());
	const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	await assertRejectsWithCallbackError(t, async options =>
		downloadModel('some/model', {...options, endpoint, cacheFolder: folder, offline: false, token: ''}),
	);
	// The lock was released, and the next call resumes the download.
	const found = await downloadModel('some/model', {endpoint, cacheFolder: folder, offline: false, token: ''});
	t.deepEqual((await readdir(found)).toSorted(), ['complete.json', 'onnx', 'tokenizer.json']);
});
