// Tests how commands react to SIGINT, SIGTERM, SIGHUP and SIGKILL.
import {type ChildProcess, execFileSync, spawn} from 'node:child_process';
import {mkdtemp, readFile, readdir, rm, writeFile} from 'node:fs/promises';
import {constants, tmpdir} from 'node:os';
import {join} from 'node:path';
import test, {type ExecutionContext} from 'ava';
import {packageRoot} from '../../ts/core/native/addon.ts';
import {Collection, encyclopedia} from '../../ts/index.ts';

/** Declares a test that is skipped on Windows. */
const onUnix = process.platform === 'win32' ? test.skip : test;
const testQuestions = join(packageRoot, 'examples/encyclopedia/questions.test.jsonl');

/** A command that runs in a child process. */
interface RunningCommand {
	readonly child: ChildProcess;
	/** Resolves when stderr contains this text, or when the process has ended. */
	printed(text: string): Promise<void>;
	/** Resolves to the exit status, or to the signal that ended the process. */
	readonly ended: Promise<number | string>;
}

/** Starts a passagekit command. */
function start(...args: string[]): RunningCommand {
	const child = spawn(process.execPath, [join(packageRoot, 'bin/passagekit.js'), ...args], {stdio: ['ignore', 'ignore', 'pipe']});
	let stderr = '';
	child.stderr.on('data', (data: Buffer) => {
		stderr += data.toString();
		child.emit('printed');
	});
	const ended = new Promise<number | string>(resolve => {
		child.once('close', (code, signal) => resolve(code ?? signal!));
	});
	const printed = async (text: string): Promise<void> => {
		while (!stderr.includes(text) && child.exitCode === null) {
			await Promise.race([new Promise(resolve => child.once('printed', resolve)), ended]);
		}
	};
	return {child, printed, ended};
}

async function pause(milliseconds: number): Promise<void> {
	return new Promise(resolve => {
		setTimeout(resolve, milliseconds);
	});
}

/**
Resolves when the process has installed its signal handlers or has ended. On Linux, this function waits for a handler of SIGHUP, because
Node itself handles SIGINT and SIGTERM. On other systems, it waits five seconds.
*/
async function untilSignalsAreHandled(child: ChildProcess): Promise<void> {
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

/**
Creates a folder with a corpus that takes longer to encode than these tests wait, and with a small collection at the path
`index`.
*/
async function corpusAndCollection(t: ExecutionContext): Promise<{folder: string; corpus: string; index: string}> {
	const folder = await mkdtemp(join(tmpdir(), 'passagekit-signals-'));
	t.teardown(async () => rm(folder, {recursive: true, force: true}));
	const [corpus, index] = [join(folder, 'corpus.jsonl'), join(folder, 'index')];
	const words = ['bridge', 'canal', 'piano', 'harbor', 'engine', 'river', 'museum', 'winter'];
	const passage = (i: number): string =>
		JSON.stringify({_id: `p${i}`, title: '', text: Array.from({length: 90}, (_, j) => words[(i * 31 + j * j) % words.length]).join(' ')});
	await writeFile(corpus, Array.from({length: 20_000}, (_, i) => `${passage(i)}\n`).join(''));
	const old = await Collection.build([{id: 'old', text: 'A stone bridge.'}], index, {encoder: false});
	await old.close();
	return {folder, corpus, index};
}

/** Asserts that the old collection is intact, and that nothing was added to the folder. */
async function assertUnchanged(t: ExecutionContext, folder: string, index: string): Promise<void> {
	t.deepEqual((await readdir(folder)).toSorted(), ['corpus.jsonl', 'index'], 'only the old collection is left');
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
	onUnix(`${signal} stops the index command at any stage with status ${status} and leaves the old collection intact`, async t => {
		const {folder, corpus, index} = await corpusAndCollection(t);
		// The signal is sent up to 200 ms after the signal handlers are installed, or after a stage has printed its line.
		for (const stage of ['', 'read ', 'bm25 ']) {
			const {child, printed, ended} = start('index', corpus, '--output', index, '--overwrite');
			await (stage === '' ? untilSignalsAreHandled(child) : printed(stage));
			await pause(Math.random() * 200);
			child.kill(signal);
			t.is(await ended, status, `after "${stage}"`);
			await assertUnchanged(t, folder, index);
		}
	});

	onUnix(`a second ${signal} ends the process immediately, and the unfinished collection is removed`, async t => {
		const {folder, corpus, index} = await corpusAndCollection(t);
		const {child, printed, ended} = start('index', corpus, '--output', index, '--overwrite');
		await printed('bm25 ');
		await pause(Math.random() * 200);
		child.kill(signal);
		await pause(5);
		child.kill(signal);
		t.is(await ended, status);
		await assertUnchanged(t, folder, index);
	});
}

onUnix('a killed `index` command leaves a folder, which the next `index` command removes', async t => {
	const {folder, corpus, index} = await corpusAndCollection(t);
	const killed = start('index', corpus, '--output', index, '--overwrite');
	await killed.printed('bm25 ');
	killed.child.kill('SIGKILL');
	t.is(await killed.ended, 'SIGKILL');
	const leftovers = (await readdir(folder)).filter(name => name.startsWith('.index.building-'));
	t.is(leftovers.length, 1);
	const record = JSON.parse(await readFile(join(folder, leftovers[0]!, 'building.json'), 'utf8')) as {pid: number};
	t.is(record.pid, killed.child.pid!);

	const next = start('index', encyclopedia().articles, '--output', index, '--overwrite', '--no-encoder');
	t.is(await next.ended, 0);
	t.deepEqual((await readdir(folder)).toSorted(), ['corpus.jsonl', 'index']);
	t.false((await readdir(index)).includes('building.json'));
});

onUnix('a signal ends a command that waits for another process to open a FIFO for reading', async t => {
	const {folder, index} = await corpusAndCollection(t);
	const pipe = join(folder, 'pipe');
	execFileSync('mkfifo', [pipe]);
	const {child, ended} = start('search', '--collection', index, '--queries', testQuestions, '--output', pipe);
	await untilSignalsAreHandled(child);
	await pause(1000);
	t.is(child.exitCode, null);
	child.kill('SIGTERM');
	t.is(await ended, 143);
	t.deepEqual((await readdir(folder)).toSorted(), ['corpus.jsonl', 'index', 'pipe']);
});

onUnix('a training run that is interrupted saves its last step before it ends', async t => {
	const folder = await mkdtemp(join(tmpdir(), 'passagekit-signals-'));
	t.teardown(async () => rm(folder, {recursive: true, force: true}));
	const output = join(folder, 'encoder');
	const questions = join(packageRoot, 'examples/encyclopedia/questions.train.jsonl');
	const data = ['-p', encyclopedia().articles, '-q', questions];
	const settings = ['--init', 'tiny-encoder', '--epochs', '1000', '--batch-size', '8', '--checkpoint-steps', '100000'];
	// The checkpoints after epochs have the batch 0. A run that the signal stops while it writes one has no other step to save. Then it is
	// continued, and stopped again.
	let state: RegExpExecArray | null = null;
	for (let attempt = 0; attempt < 5 && !(Number(state?.[2]) > 0); attempt++) {
		const {child, printed, ended} = start('train', 'encoder', ...data, ...settings, '-o', output);
		await printed('epoch ');
		await pause(500);
		child.kill('SIGINT');
		t.is(await ended, 130);
		state = /"epoch\\":(\d+),\\"batch\\":(\d+)/u.exec(await readFile(join(output, 'checkpoint'), 'latin1'));
	}
	t.true(Number(state?.[2]) > 0, `${state?.[0]}`);
	t.false((await readdir(output)).includes('lock'));
});
