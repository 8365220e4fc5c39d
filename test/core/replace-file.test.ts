// Tests how output files are replaced: symbolic links, file modes, FIFOs, devices and failures.
import {execFileSync} from 'node:child_process';
import {chmod, lstat, mkdir, mkdtemp, readFile, readdir, rm, stat, symlink, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import test, {type ExecutionContext} from 'ava';
import {Collection, FlatIndex, RetrievalError, writeQrels, writeTrecRun} from '../../ts/index.ts';
import {replaceFile} from '../../ts/core/files/replace-file.ts';

/** Declares a test that is skipped on Windows. */
const onUnix = process.platform === 'win32' ? test.skip : test;

/** Makes a temporary folder that is removed after the test. */
async function temporaryFolder(t: ExecutionContext): Promise<string> {
	const path = await mkdtemp(join(tmpdir(), 'passagekit-files-'));
	t.teardown(async () => rm(path, {recursive: true, force: true}));
	return path;
}

const run = new Map([['q', [{id: 'p', score: 1}]]]);
const runText = 'q Q0 p 1 1 t\n';
/** The functions that write whole files, and the text that each writes in these tests. */
const writers: Record<string, {readonly text: string; readonly write: (path: string, signal?: AbortSignal) => Promise<void>}> = {
	replaceFile: {text: 'pages\n', write: async (path, signal) => replaceFile(path, 'pages\n', {signal})},
	writeTrecRun: {text: runText, write: async (path, signal) => writeTrecRun(path, run, 't', {signal})},
	writeQrels: {text: 'q 0 p 1\n', write: async (path, signal) => writeQrels(path, new Map([['q', new Map([['p', 1]])]]), {signal})},
};

for (const [name, {text, write}] of Object.entries(writers)) {
	onUnix(`${name} keeps symbolic links and file modes`, async t => {
		const folder = await temporaryFolder(t);
		const [file, link, danglingLink] = [join(folder, 'file'), join(folder, 'link'), join(folder, 'dangling')];
		await writeFile(file, 'old');
		await chmod(file, 0o600);
		await symlink('file', link);
		await write(link);
		t.true((await lstat(link)).isSymbolicLink());
		t.is(await readFile(file, 'utf8'), text);
		t.is((await stat(file)).mode & 0o777, 0o600);
		await symlink('new', danglingLink);
		await write(danglingLink);
		t.is(await readFile(join(folder, 'new'), 'utf8'), text);
		t.deepEqual((await readdir(folder)).toSorted(), ['dangling', 'file', 'link', 'new']);
	});

	onUnix(`${name} writes to devices and FIFOs, and refuses folders and loops of links`, async t => {
		const folder = await temporaryFolder(t);
		const [pipe, loop] = [join(folder, 'pipe'), join(folder, 'loop')];
		execFileSync('mkfifo', [pipe]);
		await write('/dev/null');
		t.true((await lstat('/dev/null')).isCharacterDevice());
		const [read] = await Promise.all([readFile(pipe, 'utf8'), write(pipe)]);
		t.is(read, text);
		t.true((await lstat(pipe)).isFIFO());
		const reason = new Error('nobody reads');
		const controller = new AbortController();
		const waiting = write(pipe, controller.signal);
		setTimeout(() => controller.abort(reason), 100);
		t.is(await t.throwsAsync(waiting), reason);
		await symlink('loop', loop);
		await t.throwsAsync(write(loop), {instanceOf: RetrievalError, code: 'ERR_IO', message: /symbolic links, or a loop/u});
		await t.throwsAsync(write(folder), {instanceOf: RetrievalError, code: 'ERR_IO'});
		t.deepEqual((await readdir(folder)).toSorted(), ['loop', 'pipe']);
	});
}

onUnix('an index can be saved only to a regular file', async t => {
	const folder = await temporaryFolder(t);
	const pipe = join(folder, 'pipe');
	execFileSync('mkfifo', [pipe]);
	const index = new FlatIndex({dim: 2});
	await index.add(['a'], {data: Float32Array.of(1, 2), rows: 1, dim: 2});
	for (const [path, got] of [
		[pipe, 'a FIFO'],
		['/dev/null', 'a character device'],
	] as const) {
		await t.throwsAsync(index.save(path), {
			instanceOf: RetrievalError,
			code: 'ERR_IO',
			message: `write ${path}: expected a regular file or a new one, got ${got}`,
		});
	}
	const [file, link] = [join(folder, 'file'), join(folder, 'link')];
	await symlink('file', link);
	await index.save(link);
	t.true((await lstat(link)).isSymbolicLink());
	t.is((await FlatIndex.open(file)).size, 1);
	await chmod(file, 0o640);
	await index.save(link);
	t.is((await stat(file)).mode & 0o777, 0o640);
	t.deepEqual((await readdir(folder)).toSorted(), ['file', 'link', 'pipe']);
});

onUnix('an export writes both the vectors and the ids, or neither', async t => {
	const folder = await temporaryFolder(t);
	const [vectors, ids] = [join(folder, 'vectors.npy'), join(folder, 'ids.txt')];
	const index = new FlatIndex({dim: 2});
	await index.add(['a', 'b'], {data: Float32Array.of(1, 2, 3, 4), rows: 2, dim: 2});
	await index.exportVectors(vectors, {idsPath: ids});
	const exportedVectors = await readFile(vectors);
	await index.add(['c'], {data: Float32Array.of(5, 6), rows: 1, dim: 2});
	await mkdir(join(folder, 'subfolder'));
	await t.throwsAsync(index.exportVectors(vectors, {idsPath: join(folder, 'subfolder')}), {code: 'ERR_IO'});
	await t.throwsAsync(index.exportVectors(join(folder, 'subfolder'), {idsPath: ids}), {code: 'ERR_IO'});
	await t.throwsAsync(index.exportVectors(vectors, {idsPath: join(folder, 'none', 'ids.txt')}), {code: 'ERR_IO'});
	await t.throwsAsync(index.exportVectors(vectors, {idsPath: vectors}), {code: 'ERR_ARGUMENT', message: /expected two files/u});
	const aborted = AbortSignal.abort(new Error('enough'));
	await t.throwsAsync(index.exportVectors(vectors, {idsPath: ids, signal: aborted}), {message: 'enough'});
	t.deepEqual(await readFile(vectors), exportedVectors);
	t.is(await readFile(ids, 'utf8'), 'a\nb\n');
	await index.exportVectors(vectors, {idsPath: ids});
	t.is(await readFile(ids, 'utf8'), 'a\nb\nc\n');
	const imported = new FlatIndex({dim: 2});
	await imported.addFile(vectors, {idsPath: ids});
	t.deepEqual(await imported.get('c'), await index.get('c'));
	t.is(imported.size, 3);
	t.deepEqual((await readdir(folder)).toSorted(), ['ids.txt', 'subfolder', 'vectors.npy']);

	// Exports to two FIFOs, which are read one after the other.
	const pipes = ['one', 'two'].map(name => join(folder, name));
	execFileSync('mkfifo', pipes);
	const exporting = index.exportVectors(pipes[0]!, {idsPath: pipes[1]!});
	t.deepEqual(await readFile(pipes[0]!), await readFile(vectors));
	t.is(await readFile(pipes[1]!, 'utf8'), 'a\nb\nc\n');
	await exporting;
});

onUnix('building a collection at a symbolic link keeps the link, and overwriting a collection keeps the mode of its folder', async t => {
	const folder = await temporaryFolder(t);
	const [target, link] = [join(folder, 'other', 'index'), join(folder, 'link')];
	await mkdir(join(folder, 'other'));
	await symlink('other/index', link);
	const build = async (id: string, overwrite: boolean): Promise<void> =>
		(await Collection.build([{id, text: 'A stone bridge.'}], link, {encoder: false, overwrite})).close();
	await build('first', false);
	await chmod(target, 0o700);
	await build('second', true);
	t.true((await lstat(link)).isSymbolicLink());
	t.is((await stat(target)).mode & 0o777, 0o700);
	await using collection = await Collection.open(link);
	t.is((await collection.bm25.search('bridge'))[0]!.id, 'second');
	t.deepEqual(await readdir(join(folder, 'other')), ['index']);
	const loop = join(folder, 'loop');
	await symlink('loop', loop);
	await t.throwsAsync(Collection.build([{id: 'a', text: 'b'}], loop, {encoder: false}), {code: 'ERR_IO', message: /or a loop/u});
});
