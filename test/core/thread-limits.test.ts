// Tests calls that fail because the operating system refuses to create threads.
import {spawn, spawnSync} from 'node:child_process';
import {chown, mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {createInterface} from 'node:readline';
import test from 'ava';
import {packageRoot} from '../../ts/core/native/addon.ts';

const NOBODY = 65_534;
/** Thread limits are per user and do not apply to root, so the test must run as another user. */
const asNobody = [`--reuid=${NOBODY}`, '--clear-groups'];
const possible =
	process.platform === 'linux' &&
	process.getuid!() === 0 &&
	spawnSync('setpriv', [...asNobody, 'prlimit', '--nproc=4096:', process.execPath, '--version'], {cwd: packageRoot}).status === 0;

const program = `
	import {createInterface} from 'node:readline';
	import {Bm25Writer, FlatIndex, fuse} from './dist/ts/index.js';
	const lines = createInterface({input: process.stdin})[Symbol.asyncIterator]();
	const limited = async () => {
		console.log('limit');
		await lines.next();
	};
	const unlimited = async () => {
		console.log('free');
		await lines.next();
	};
	const say = async (name, call) => {
		const said = await call().then(() => 'resolved', ({code, message}) => code + ' ' + message);
		console.log('said ' + name + ' ' + said);
	};
	const index = new FlatIndex({dim: 2});
	const rows = 4;
	const vectors = {data: new Float32Array(2 * rows), rows, dim: 2};
	await limited();
	await say('call', () => FlatIndex.open('/nothing'));
	await unlimited();
	await index.add(['a', 'b', 'c', 'd'], vectors);
	await limited();
	// The thread that added the vectors is reused by other calls for a few seconds.
	await say('dense', () => index.searchMany(vectors, {threads: 3}));
	await say('sparse', () => Bm25Writer.create(process.argv.at(-1)));
	const run = new Map(Array.from({length: 2000}, (_, i) => ['q' + i, [{id: 'a', score: 1}]]));
	await say('fuse', () => fuse([run, run], {method: 'rrf'}));
	await unlimited();
	await say('again', () => index.searchMany(vectors, {threads: 3}));
	process.exit(0);
`;

(possible ? test : test.skip)('a refused thread is ERR_IO, and the next call tries again to create it', async t => {
	// SKIPPED unless root runs this on Linux with `prlimit` and `setpriv`.
	const home = await mkdtemp(join(tmpdir(), 'passagekit-threads-'));
	t.teardown(async () => rm(home, {recursive: true, force: true}));
	await chown(home, NOBODY, NOBODY);
	const child = spawn('setpriv', [...asNobody, process.execPath, '--input-type=module', '--eval', program, join(home, 'index')], {
		cwd: packageRoot,
		stdio: ['pipe', 'pipe', 'inherit'],
	});
	t.teardown(() => child.kill());
	const said = new Map<string, string>();
	for await (const line of createInterface({input: child.stdout})) {
		if (line === 'limit' || line === 'free') {
			// `prlimit` runs as the same user, so that it needs no capability.
			const limit = `--nproc=${line === 'limit' ? 1 : 4096}:`;
			const {status} = spawnSync('setpriv', [...asNobody, 'prlimit', `--pid=${child.pid}`, limit], {stdio: 'inherit'});
			t.is(status, 0);
			child.stdin.write('\n');
		} else {
			const [, name, outcome] = /^said (\w+) (.*)$/u.exec(line)!;
			said.set(name!, outcome!);
		}
	}
	t.regex(said.get('call')!, /^ERR_IO the system gave no thread for this call: .*os error 11/u);
	t.regex(said.get('dense')!, /^ERR_IO threads: expected 3 threads, got .*os error 11/u);
	t.regex(said.get('sparse')!, /^ERR_IO /u);
	t.regex(said.get('fuse')!, /^(?:ERR_IO the system gave no thread|resolved)/u);
	t.is(said.get('again'), 'resolved');
});
