// Tests that errors of the file system are reported as `ERR_IO` with the path.
import {execFile} from 'node:child_process';
import {mkdir, mkdtemp, readFile, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {promisify} from 'node:util';
import test, {type ExecutionContext} from 'ava';
import {packageRoot} from '../../ts/core/native/addon.ts';
import {Collection, OnnxEncoder, RetrievalError, downloadModel, resolveModel} from '../../ts/index.ts';
import {replicate} from '../../ts/studies/replication/index.ts';
import {studyPhrases} from '../../ts/studies/phrases/index.ts';
import {studyTraining} from '../../ts/studies/training/index.ts';
import {studyVocabulary} from '../../ts/studies/vocabulary/index.ts';

const execute = promisify(execFile);
/** A file name that is too long for the file system. */
const tooLongName = 'x'.repeat(300);
/** Declares a test that is skipped unless the system is Linux. */
const onLinux = process.platform === 'linux' ? test : test.skip;

/** Makes a temporary folder that is removed after the test. */
async function temporaryFolder(t: ExecutionContext): Promise<string> {
	const folder = await mkdtemp(join(tmpdir(), 'passagekit-files-'));
	t.teardown(async () => rm(folder, {recursive: true, force: true}));
	return folder;
}

/** Asserts that a call rejects with `ERR_IO`, that the message contains the path, and that `cause` is the system error with this code. */
async function assertRefused(t: ExecutionContext, call: () => Promise<unknown>, path: string, code: string): Promise<void> {
	const error = await t.throwsAsync(call, {instanceOf: RetrievalError, code: 'ERR_IO'});
	t.true(error.message.includes(path), error.message);
	t.is((error.cause as NodeJS.ErrnoException | undefined)?.code, code, error.message);
}

const passages = [{id: 'a', text: 'a fox'}];

test('a collection that cannot be written is refused with ERR_IO', async t => {
	const folder = await temporaryFolder(t);
	const build = (output: string) => async () => Collection.build(passages, output, {encoder: false});
	await assertRefused(t, build(join(folder, tooLongName)), tooLongName, 'ENAMETOOLONG');
	// This name is short enough, but the temporary folder of the build has a longer name.
	const longName = 'y'.repeat(250);
	await assertRefused(t, build(join(folder, longName)), longName, 'ENAMETOOLONG');
	await writeFile(join(folder, 'file'), '');
	await assertRefused(t, build(join(folder, 'file')), join(folder, 'file'), 'ENOTDIR');
	await assertRefused(t, build(join(folder, 'file', 'inside')), join(folder, 'file'), 'ENOTDIR');
	await t.throwsAsync(build(join(folder, 'a\0b')), {code: 'ERR_ARGUMENT', message: /null byte/u});
});

onLinux('a collection in a folder where nothing can be written is refused with ERR_IO', async t => {
	const error = await t.throwsAsync(Collection.build(passages, '/sys/passagekit/collection', {encoder: false}), {
		instanceOf: RetrievalError,
		code: 'ERR_IO',
	});
	t.regex((error.cause as NodeJS.ErrnoException).code!, /^(?:EPERM|EACCES|EROFS|ENOENT)$/u);
});

test('a collection that cannot be read is refused with ERR_IO', async t => {
	const folder = await temporaryFolder(t);
	await assertRefused(t, async () => Collection.open(join(folder, tooLongName)), tooLongName, 'ENAMETOOLONG');
	await assertRefused(t, async () => Collection.open(join(folder, 'nothing')), 'nothing', 'ENOENT');
	await mkdir(join(folder, 'passagekit.json'));
	await assertRefused(t, async () => Collection.open(folder), join(folder, 'passagekit.json'), 'EISDIR');
	await t.throwsAsync(Collection.open(join(folder, 'a\0b')), {code: 'ERR_ARGUMENT', message: /null byte/u});
});

test('models whose files or caches cannot be accessed are refused with ERR_IO', async t => {
	const folder = await temporaryFolder(t);
	await writeFile(join(folder, 'file'), '');
	const options = {endpoint: 'http://127.0.0.1:1', offline: false};
	for (const [cacheFolder, code] of [
		[join(folder, tooLongName), 'ENAMETOOLONG'],
		[join(folder, 'file'), 'ENOTDIR'],
	] as const) {
		await assertRefused(t, async () => downloadModel('some/model', {...options, cacheFolder}), cacheFolder, code);
		await assertRefused(t, async () => resolveModel('some/model', {...options, cacheFolder}), cacheFolder, code);
	}
	const model = join(folder, 'model');
	await mkdir(join(model, 'config.json'), {recursive: true});
	for (const name of ['model.onnx', 'tokenizer.json']) {
		await writeFile(join(model, name), '{}');
	}
	await assertRefused(t, async () => OnnxEncoder.load(model), join(model, 'config.json'), 'EISDIR');
});

test('studies whose folders or files cannot be accessed are refused with ERR_IO', async t => {
	const folder = await temporaryFolder(t);
	const dataset = join(folder, 'dataset');
	await mkdir(join(dataset, 'articles'), {recursive: true});
	await writeFile(join(dataset, 'articles', 'a.md'), '# Fox\n\nA fox is red.\n');
	for (const split of ['dev', 'train', 'test']) {
		const questions = [0, 1, 2].map(i => JSON.stringify({id: `${split}${i}`, question: `what is red in ${split} ${i}?`, answers: ['fox']}));
		await writeFile(join(dataset, `questions.${split}.jsonl`), `${questions.join('\n')}\n`);
	}
	await writeFile(join(folder, 'file'), '');
	const options = {encoder: 'tiny-encoder', reader: false} as const;
	for (const [output, code] of [
		[join(folder, tooLongName), 'ENAMETOOLONG'],
		[join(folder, 'file', 'inside'), 'ENOTDIR'],
	] as const) {
		await assertRefused(t, async () => replicate(dataset, output, options), output, code);
		await assertRefused(t, async () => studyPhrases(dataset, output, {encoder: 'tiny-encoder'}), output, code);
		await assertRefused(t, async () => studyVocabulary(dataset, output, {encoder: 'tiny-encoder'}), output, code);
		await assertRefused(t, async () => studyTraining(dataset, output, {encoder: 'tiny-encoder'}), output, code);
	}
	const output = join(folder, 'study');
	await mkdir(join(output, 'configuration.json'), {recursive: true});
	await assertRefused(t, async () => replicate(dataset, output, options), join(output, 'configuration.json'), 'EISDIR');
});

onLinux('a command whose output does not fit on the disk ends with status 1 and ERR_IO', async t => {
	const bin = join(packageRoot, 'bin/passagekit.js');
	const failed = (await t.throwsAsync(execute('sh', ['-c', '"$0" "$1" doctor --json > /dev/full', process.execPath, bin]))) as Error & {
		code: number;
		stderr: string;
	};
	t.is(failed.code, 1);
	const {error} = JSON.parse(failed.stderr) as {error: {code: string; message: string}};
	t.is(error.code, 'ERR_IO');
	t.regex(error.message, /^write standard output: ENOSPC/u);
});

test('a command that cannot write its HTML page prints a one-line error', async t => {
	const folder = await temporaryFolder(t);
	const index = join(folder, 'index');
	const built = await Collection.build(passages, index, {encoder: 'minilm-encoder', dense: 'flat'});
	await built.close();
	const page = join(folder, tooLongName);
	const bin = join(packageRoot, 'bin/passagekit.js');
	const args = [bin, 'explain', 'fox', '--collection', index, '--html', page];
	const failed = (await t.throwsAsync(execute(process.execPath, args))) as Error & {code: number; stderr: string};
	t.is(failed.code, 1);
	t.regex(failed.stderr.trim(), /^passagekit: write .*: File name too long [^\n]*\(ERR_IO\)$/u);
	await t.throwsAsync(readFile(page));
});
