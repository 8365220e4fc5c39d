// Tests calls into the native addon: panics, progress, cancellation and worker threads.
import {execFile} from 'node:child_process';
import {promisify} from 'node:util';
import {Worker} from 'node:worker_threads';
import test from 'ava';
import {packageRoot} from '../../ts/core/native/addon.ts';
import {RetrievalError} from '../../ts/core/errors.ts';
import {FlatIndex} from '../../ts/index.ts';
import {callNative, callSync, native} from '../../ts/core/native/native.ts';

const run = promisify(execFile);

/** An index with the ids `p0`, `p1`, …, and its vectors. */
async function filled(dim: number, rows: number): Promise<{index: FlatIndex; data: Float32Array}> {
	const index = new FlatIndex({dim});
	const data = Float32Array.from({length: rows * dim}, (_, i) => (i * 7919) % 13);
	await index.add(
		Array.from({length: rows}, (_, i) => `p${i}`),
		{data, rows, dim},
	);
	return {index, data};
}

test('a panic rejects the promise with ERR_INTERNAL and does not end the process', async t => {
	const error = await t.throwsAsync(
		callNative({}, () => native.panicForTest()),
		{instanceOf: RetrievalError, code: 'ERR_INTERNAL'},
	);
	// The message contains the location of the panic in the addon's source.
	const said = /^a bug in passagekit: on purpose \(at native\/src\/system\.rs:\d+\); please report it$/u;
	t.regex(error.message, said);
	t.throws(() => callSync(() => native.panicAtOnceForTest()), {instanceOf: RetrievalError, code: 'ERR_INTERNAL', message: said});
	const index = new FlatIndex({dim: 1});
	await index.add(['a'], {data: Float32Array.of(1), rows: 1, dim: 1});
	t.deepEqual(await index.search(Float32Array.of(2)), [{id: 'a', score: 2}]);
});

test('a caught panic prints nothing by default', async t => {
	const source = `
		import {native} from ${JSON.stringify(new URL('../../ts/core/native/native.ts', import.meta.url).href)};
		await native.panicForTest().catch(() => {});
		try { native.panicAtOnceForTest(); } catch {}
		console.log('lives');
	`;
	const {RUST_BACKTRACE: _, ...environment} = process.env;
	const printed = async (more: NodeJS.ProcessEnv): Promise<string> => {
		const args = ['--import=tsx', '--input-type=module', '--eval', source];
		const {stdout, stderr} = await run(process.execPath, args, {cwd: packageRoot, env: {...environment, ...more}});
		t.is(stdout, 'lives\n');
		return stderr;
	};
	t.is(await printed({}), '');
	t.is(await printed({PASSAGEKIT_PANICS: '0', RUST_BACKTRACE: '0'}), '');
	for (const more of [{PASSAGEKIT_PANICS: '1'}, {RUST_BACKTRACE: '1'}]) {
		t.is((await printed(more)).match(/panicked at native\/src\/system\.rs:\d+:\d+:\non purpose/gu)?.length, 2);
	}
});

test('progress is reported, and the last report is complete', async t => {
	const rows = 2000;
	const {index, data} = await filled(8, rows);
	const seen: Array<{done: number; total: number}> = [];
	await index.searchMany({data, rows, dim: 8}, {k: 5, onProgress: progress => seen.push(progress)});
	t.deepEqual(seen.at(-1), {done: rows, total: rows});
});

test('one signal cancels many calls at once, without a warning about leaked listeners', async t => {
	const rows = 3000;
	const {index, data} = await filled(64, rows);
	const warnings: Error[] = [];
	const note = (warning: Error): number => warnings.push(warning);
	process.on('warning', note);
	const controller = new AbortController();
	const {signal} = controller;
	const reason = new Error('enough');
	const searches = Array.from({length: 30}, async () => index.searchMany({data, rows, dim: 64}, {k: 10, signal, threads: 1}));
	const settled = Promise.allSettled(searches);
	setTimeout(() => controller.abort(reason), 20);
	const results = await settled;
	const refused = results.filter(result => result.status === 'rejected');
	t.true(refused.length > 10 && refused.every(result => result.reason === reason), `${refused.length}`);
	process.off('warning', note);
	t.deepEqual(warnings, []);
	// A signal that was used by completed calls still cancels later ones.
	const later = new AbortController();
	t.is((await index.search(data.subarray(0, 64), {k: 3, signal: later.signal})).length, 3);
	await index.searchMany({data: data.subarray(0, 64), rows: 1, dim: 64}, {signal: later.signal});
	// This call takes half a second. A call of 45 ms could finish before the timer fires on a busy machine.
	const times = 10;
	const many = new Float32Array(times * data.length);
	for (let from = 0; from < many.length; from += data.length) {
		many.set(data, from);
	}
	const again = index.searchMany({data: many, rows: times * rows, dim: 64}, {k: 10, signal: later.signal, threads: 1});
	setTimeout(() => later.abort(reason), 1);
	t.is(await t.throwsAsync(again), reason);
});

test('many workers use the addon at once, and one of them can be terminated during a call', async t => {
	const source = `
		import {workerData, parentPort} from 'node:worker_threads';
		const {FlatIndex} = await import(workerData.module);
		const index = new FlatIndex({dim: 64});
		const rows = 3000;
		const data = Float32Array.from({length: rows * 64}, (_, i) => (i * 7919) % 13);
		await index.add(Array.from({length: rows}, (_, i) => 'p' + i), {data, rows, dim: 64});
		parentPort.postMessage('ready');
		const lists = await index.searchMany({data, rows, dim: 64}, {k: 10});
		parentPort.postMessage(lists.length);
	`;
	const url = new URL(`data:text/javascript,${encodeURIComponent(source)}`);
	const start = (): Worker => new Worker(url, {workerData: {module: new URL('dist/ts/index.js', `file://${packageRoot}/`).href}});
	const finished = async (worker: Worker): Promise<unknown> =>
		new Promise((resolve, reject) => {
			worker.on('message', message => {
				if (message !== 'ready') {
					resolve(message);
				}
			});
			worker.on('error', reject);
		});
	const ended = start();
	await new Promise(resolve => {
		ended.once('message', resolve);
	});
	const ending = ended.terminate();
	const others = [start(), start()];
	t.deepEqual(await Promise.all(others.map(finished)), [3000, 3000]);
	t.is(typeof (await ending), 'number');
	await Promise.all(others.map(async worker => worker.terminate()));
});
