// Tests calls that fail because the operating system refuses to create threads.
import {spawn, spawnSync} from 'node:child_process';
import {chown, mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {createInterface} from 'node:readline';
import test from 'ava';
import {packageRoot} from '../../ts/core/native/addon.ts';

/** The user and group id of `nobody`. */
const NOBODY = 65_534;
/** Arguments of `setpriv` that run a program as another user. Thread limits are per user and do not apply to root. */
const asNobody = [`--reuid=${NOBODY}`, '--clear-groups'];
/** Whether the test can limit the threads of a child process: it must run as root on Linux, with the programs `setpriv` and `prlimit`. */
const canLimitThreads =
	process.platform === 'linux' &&
	process.getuid!() === 0 &&
	spawnSync('setpriv', [...asNobody, 'prlimit', '--nproc=4096:', process.execPath, '--version'], {cwd: packageRoot}).status === 0;

/**
The program that a child process runs. It prints `limit` or `unlimit` to ask its parent to change the thread limit, and then waits for a
line on stdin. It prints the outcome of each call.
*/
const program = `
	import {createInterface} from 'node:readline';
	import {Bm25Writer, FlatIndex, fuse} from './dist/ts/index.js';
	const lines = createInterface({input: process.stdin})[Symbol.asyncIterator]();
	const limitThreads = async () => {
		console.log('limit');
		await lines.next();
	};
	const unlimitThreads = async () => {
		console.log('unlimit');
		await lines.next();
	};
	const report = async (name, call) => {
		const outcome = await call().then(() => 'resolved', ({code, message}) => code + ' ' + message);
		console.log('outcome ' + name + ' ' + outcome);
	};
	const index = new FlatIndex({dim: 2});
	const rows = 4;
	const vectors = {data: new Float32Array(2 * rows), rows, dim: 2};
	await limitThreads();
	await report('call', () => FlatIndex.open('/nothing'));
	await unlimitThreads();
	await index.add(['a', 'b', 'c', 'd'], vectors);
	await limitThreads();
	// The thread that added the vectors is reused by other calls for a few seconds.
	await report('dense', () => index.searchMany(vectors, {threads: 3}));
	await report('sparse', () => Bm25Writer.create(process.argv.at(-1)));
	const run = new Map(Array.from({length: 2000}, (_, i) => ['q' + i, [{id: 'a', score: 1}]]));
	await report('fuse', () => fuse([run, run], {method: 'rrf'}));
	await unlimitThreads();
	await report('again', () => index.searchMany(vectors, {threads: 3}));
	process.exit(0);
`;

(canLimitThreads ? test : test.skip)('a call that gets no thread fails with ERR_IO, and a later call tries again', async t => {
	const folder = await mkdtemp(join(tmpdir(), 'passagekit-threads-'));
	t.teardown(async () => rm(folder, {recursive: true, force: true}));
	await chown(folder, NOBODY, NOBODY);
	const child = spawn('setpriv', [...asNobody, process.execPath, '--input-type=module', '--eval', program, join(folder, 'index')], {
		cwd: packageRoot,
		stdio: ['pipe', 'pipe', 'inherit'],
	});
	t.teardown(() => child.kill());
	const outcomes = new Map<string, string>();
	for await (const line of createInterface({input: child.stdout})) {
		if (line === 'limit' || line === 'unlimit') {
			// `prlimit` runs as the same user as the child process, so that it needs no capability. The colon after the number
			// means that only the soft limit is changed.
			const limit = `--nproc=${line === 'limit' ? 1 : 4096}:`;
			const {status} = spawnSync('setpriv', [...asNobody, 'prlimit', `--pid=${child.pid}`, limit], {stdio: 'inherit'});
			t.is(status, 0);
			child.stdin.write('\n');
		} else {
			const [, name, outcome] = /^outcome (\w+) (.*)$/u.exec(line)!;
			outcomes.set(name!, outcome!);
		}
	}
	t.regex(outcomes.get('call')!, /^ERR_IO the system could not create a thread for this call: .*os error 11/u);
	t.regex(outcomes.get('dense')!, /^ERR_IO threads: expected 3 threads, got .*os error 11/u);
	t.regex(outcomes.get('sparse')!, /^ERR_IO /u);
	// `fuse` resolves if it can reuse a thread of an earlier call.
	t.regex(outcomes.get('fuse')!, /^(?:ERR_IO the system could not create a thread|resolved)/u);
	t.is(outcomes.get('again'), 'resolved');
});
