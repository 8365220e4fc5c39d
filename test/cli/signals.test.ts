// Tests how commands react to SIGINT, SIGTERM, SIGHUP and SIGKILL.
import {type ChildProcess, execFileSync, spawn} from 'node:child_process';
import {mkdtemp, readFile, readdir, rm, writeFile} from 'node:fs/promises';
import {constants, tmpdir} from 'node:os';
import {join} from 'node:path';
import test, {type ExecutionContext} from 'ava';
import {packageRoot} from '../../ts/core/native/addon.ts';
import {Collection, encyclopedia} from '../../ts/index.ts';

const onUnix = process.platform === 'win32' ? test.skip : test;
const testQuestions = join(packageRoot, 'examples/encyclopedia/questions.test.jsonl');

interface Run {
	readonly child: ChildProcess;
	/** Resolves when standard error contains this text, or when the process has ended. */
	said(text: string): Promise<void>;
	/** The exit status, or the signal that ended the process. */
	readonly ended: Promise<number | string>;
}

function start(...args: string[]): Run {
	const child = spawn(process.execPath, [join(packageRoot, 'bin/passagekit.js'), ...args], {stdio: ['ignore', 'ignore', 'pipe']});
	let stderr = '';
	child.stderr.on('data', (data: Buffer) => {
		stderr += data.toString();
		child.emit('said');
	});
	const ended = new Promise<number | string>(resolve => {
		child.once('close', (code, signal) => resolve(code ?? signal!));
	});
	const said = async (text: string): Promise<void> => {
		while (!stderr.includes(text) && child.exitCode === null) {
			await Promise.race([new Promise(resolve => child.once('said', resolve)), ended]);
		}
	};
	return {child, said, ended};
}

async function pause(milliseconds: number): Promise<void> {
	return new Promise(resolve => {
		setTimeout(resolve, milliseconds);
	});
}

/** Resolves when the process has installed its signal handlers. It checks SIGHUP, because Node itself handles SIGINT and SIGTERM. */
async function handlesSignals(child: ChildProcess): Promise<void> {
	if (process.platform !== 'linux') {
		return pause(5000);
	}
	for (;;) {
		const caught = /^SigCgt:\s*([\da-f]+)$/mu.exec(await readFile(`/proc/${child.pid}/status`, 'utf8'))?.[1];
		if (child.exitCode !== null || (BigInt(`0x${caught}`) >> BigInt(constants.signals.SIGHUP - 1)) & 1n) {
			return undefined;
		}
		await pause(10);
	}
}

/** A corpus that takes longer to encode than these tests wait, and a small collection at the index path. */
async function prepared(t: ExecutionContext): Promise<{home: string; corpus: string; index: string}> {
	const home = await mkdtemp(join(tmpdir(), 'passagekit-signals-'));
	t.teardown(async () => rm(home, {recursive: true, force: true}));
	const [corpus, index] = [join(home, 'corpus.jsonl'), join(home, 'index')];
	const words = ['bridge', 'canal', 'piano', 'harbor', 'engine', 'river', 'museum', 'winter'];
	const passage = (i: number): string =>
		JSON.stringify({_id: `p${i}`, title: '', text: Array.from({length: 90}, (_, j) => words[(i * 31 + j * j) % words.length]).join(' ')});
	await writeFile(corpus, Array.from({length: 20_000}, (_, i) => `${passage(i)}\n`).join(''));
	const old = await Collection.build([{id: 'old', text: 'A stone bridge.'}], index, {encoder: false});
	await old.close();
	return {home, corpus, index};
}

async function unchanged(t: ExecutionContext, home: string, index: string): Promise<void> {
	t.deepEqual((await readdir(home)).toSorted(), ['corpus.jsonl', 'index'], 'only the old collection is left');
	await using collection = await Collection.open(index);
	t.deepEqual(
		(await collection.bm25.search('bridge', {k: 5})).map(({id}) => id),
		['old'],
	);
}

for (const [signal, status] of [
	['SIGINT', 130],
	['SIGTERM', 143],
	['SIGHUP', 129],
] as const) {
	onUnix(`${signal} stops the index command at any stage with status ${status} and leaves only the old collection`, async t => {
		const {home, corpus, index} = await prepared(t);
		for (const stage of ['', 'read ', 'bm25 ']) {
			const {child, said, ended} = start('index', corpus, '--output', index, '--overwrite');
			await (stage === '' ? handlesSignals(child) : said(stage));
			await pause(Math.random() * 200);
			child.kill(signal);
			t.is(await ended, status, `after "${stage}"`);
			await unchanged(t, home, index);
		}
	});

	onUnix(`a second ${signal} ends the process immediately, and the unfinished collection is removed`, async t => {
		const {home, corpus, index} = await prepared(t);
		const {child, said, ended} = start('index', corpus, '--output', index, '--overwrite');
		await said('bm25 ');
		await pause(Math.random() * 200);
		child.kill(signal);
		await pause(5);
		child.kill(signal);
		t.is(await ended, status);
		await unchanged(t, home, index);
	});
}

onUnix('a killed `index` leaves a folder, which the next `index` removes', async t => {
	const {home, corpus, index} = await prepared(t);
	const killed = start('index', corpus, '--output', index, '--overwrite');
	await killed.said('bm25 ');
	killed.child.kill('SIGKILL');
	t.is(await killed.ended, 'SIGKILL');
	const left = (await readdir(home)).filter(name => name.startsWith('.index.building-'));
	t.is(left.length, 1);
	const record = JSON.parse(await readFile(join(home, left[0]!, 'building.json'), 'utf8')) as {pid: number};
	t.is(record.pid, killed.child.pid!);

	const next = start('index', encyclopedia().articles, '--output', index, '--overwrite', '--no-encoder');
	t.is(await next.ended, 0);
	t.deepEqual((await readdir(home)).toSorted(), ['corpus.jsonl', 'index']);
	t.false((await readdir(index)).includes('building.json'));
});

onUnix('a signal ends a command that waits for the reader of a FIFO', async t => {
	const {home, index} = await prepared(t);
	const pipe = join(home, 'pipe');
	execFileSync('mkfifo', [pipe]);
	const {child, ended} = start('search', '--collection', index, '--queries', testQuestions, '--output', pipe);
	await handlesSignals(child);
	await pause(1000);
	t.is(child.exitCode, null);
	child.kill('SIGTERM');
	t.is(await ended, 143);
	t.deepEqual((await readdir(home)).toSorted(), ['corpus.jsonl', 'index', 'pipe']);
});
