// Tests calls into the native addon: panics, progress, cancellation and worker threads.
import {execFile} from 'node:child_process';
import {promisify} from 'node:util';
import {Worker} from 'node:worker_threads';
import test from 'ava';
import {packageRoot} from '../../ts/core/native/addon.ts';
import {RetrievalError} from '../../ts/core/errors.ts';
import {FlatIndex} from '../../ts/index.ts';
import {callNative, callSync, native} from '../../ts/core/native/native.ts';
import {highestOfThreeCounts, isAborted, succeedsOnce} from '../support/event-loop.ts';

const execute = promisify(execFile);

/** Creates an index with the ids `p0`, `p1`, … and arbitrary vectors. Also returns the vectors. */
async function indexWithRows(dim: number, rows: number): Promise<{index: FlatIndex; data: Float32Array}> {
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
	const message = /^a bug in passagekit: on purpose \(at native\/src\/system\.rs:\d+\); please report it$/u;
	t.regex(error.message, message);
	t.throws(() => callSync(() => native.panicAtOnceForTest()), {instanceOf: RetrievalError, code: 'ERR_INTERNAL', message});
	const index = new FlatIndex({dim: 1});
	await index.add(['a'], {data: Float32Array.of(1), rows: 1, dim: 1});
	t.deepEqual(await index.search(Float32Array.of(2)), [{id: 'a', score: 2}]);
});

test('a caught panic is printed only if PASSAGEKIT_PANICS or RUST_BACKTRACE is set', async t => {
	const source = `
		import {native} from ${JSON.stringify(new URL('../../ts/core/native/native.ts', import.meta.url).href)};
		await native.panicForTest().catch(() => {});
		try { native.panicAtOnceForTest(); } catch {}
		console.log('still running');
	`;
	const {RUST_BACKTRACE: _, ...environment} = process.env;
	/** Runs the source in a child process with these environment variables, and returns what it prints to stderr. */
	const stderrOf = async (variables: NodeJS.ProcessEnv): Promise<string> => {
		const args = ['--import=tsx', '--input-type=module', '--eval', source];
		const {stdout, stderr} = await execute(process.execPath, args, {cwd: packageRoot, env: {...environment, ...variables}});
		t.is(stdout, 'still running\n');
		return stderr;
	};
	t.is(await stderrOf({}), '');
	t.is(await stderrOf({PASSAGEKIT_PANICS: '0', RUST_BACKTRACE: '0'}), '');
	for (const variables of [{PASSAGEKIT_PANICS: '1'}, {RUST_BACKTRACE: '1'}]) {
		t.is((await stderrOf(variables)).match(/panicked at native\/src\/system\.rs:\d+:\d+:\non purpose/gu)?.length, 2);
	}
});

test('progress is reported, and the last report says that all queries are done', async t => {
	const rows = 2000;
	const {index, data} = await indexWithRows(8, rows);
	const reports: Array<{done: number; total: number}> = [];
	await index.searchMany({data, rows, dim: 8}, {k: 5, onProgress: progress => reports.push(progress)});
	t.deepEqual(reports.at(-1), {done: rows, total: rows});
});

test('one signal cancels many running calls, without a warning about leaked listeners', async t => {
	const rows = 3000;
	const {index, data} = await indexWithRows(64, rows);
	const warnings: Error[] = [];
	const addWarning = (warning: Error): number => warnings.push(warning);
	process.on('warning', addWarning);
	const reason = new Error('enough');
	// A fast machine may complete some of the searches within the 20 ms, and a busy one all of them before the timer fires.
	const rejectedCount = await highestOfThreeCounts(10, async () => {
		const controller = new AbortController();
		const {signal} = controller;
		const searches = Array.from({length: 30}, async () => index.searchMany({data, rows, dim: 64}, {k: 10, signal, threads: 1}));
		const settled = Promise.allSettled(searches);
		setTimeout(() => controller.abort(reason), 20);
		const rejected = (await settled).filter(result => result.status === 'rejected');
		t.true(rejected.every(result => result.reason === reason));
		return rejected.length;
	});
	t.true(rejectedCount > 10, `${rejectedCount}`);
	process.off('warning', addWarning);
	t.deepEqual(warnings, []);
	// A signal that was used by completed calls still cancels later ones.
	// The queries are copied ten times, so that the call takes about half a second. Without copies, it takes 45 ms, and could end
	// before the timer fires on a busy machine.
	const copies = 10;
	const many = new Float32Array(copies * data.length);
	for (let from = 0; from < many.length; from += data.length) {
		many.set(data, from);
	}
	const isCanceled = await succeedsOnce(async () => {
		const later = new AbortController();
		t.is((await index.search(data.subarray(0, 64), {k: 3, signal: later.signal})).length, 3);
		await index.searchMany({data: data.subarray(0, 64), rows: 1, dim: 64}, {signal: later.signal});
		const longSearch = index.searchMany({data: many, rows: copies * rows, dim: 64}, {k: 10, signal: later.signal, threads: 1});
		setTimeout(() => later.abort(reason), 1);
		return isAborted(longSearch, reason);
	});
	t.true(isCanceled);
});

test('several workers use the addon at the same time, and one of them can be terminated during a call', async t => {
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
	// The workers import the built package, because they cannot load TypeScript.
	const url = new URL(`data:text/javascript,${encodeURIComponent(source)}`);
	const start = (): Worker => new Worker(url, {workerData: {module: new URL('dist/ts/index.js', `file://${packageRoot}/`).href}});
	const resultOf = async (worker: Worker): Promise<unknown> =>
		new Promise((resolve, reject) => {
			worker.on('message', message => {
				if (message !== 'ready') {
					resolve(message);
				}
			});
			worker.on('error', reject);
		});
	const terminated = start();
	await new Promise(resolve => {
		terminated.once('message', resolve);
	});
	const termination = terminated.terminate();
	const others = [start(), start()];
	t.deepEqual(await Promise.all(others.map(resultOf)), [3000, 3000]);
	t.is(typeof (await termination), 'number');
	await Promise.all(others.map(async worker => worker.terminate()));
});

test('threads can use passagekit one after another if the main thread does not use it', async t => {
	// The allocator of the addon must not depend on the thread that loaded the addon, because that thread has ended.
	const source = `
		const {Worker} = require('node:worker_threads');
		const work = 'import(require("node:worker_threads").workerData).then(({HnswIndex}) => new HnswIndex({dim: 2}).close())';
		const run = () => new Promise(resolve => new Worker(work, {eval: true, workerData: process.argv[1]}).on('exit', resolve));
		(async () => {
			for (let i = 0; i < 5; i++) {
				await run();
			}
			await Promise.all([run(), run()]);
			console.log(await run());
		})();
	`;
	const module = new URL('dist/ts/index.js', `file://${packageRoot}/`).href;
	const {stdout} = await execute(process.execPath, ['--eval', source, module]);
	t.is(stdout.trim(), '0');
});
