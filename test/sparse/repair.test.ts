// Tests that merges do not apply uncommitted changes, and that damaged indexes are repaired.
import {execFile} from 'node:child_process';
import {mkdtemp, readFile, readdir, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {promisify} from 'node:util';
import test, {type ExecutionContext} from 'ava';
import {packageRoot} from '../../ts/core/native/addon.ts';
import {Bm25Index, Bm25Writer, RetrievalError} from '../../ts/index.ts';

const execute = promisify(execFile);

/** Creates a folder that is deleted after the test. */
async function folder(t: ExecutionContext): Promise<string> {
	const path = await mkdtemp(join(tmpdir(), 'passagekit-repair-'));
	t.teardown(async () => rm(path, {recursive: true, force: true}));
	return path;
}

/** Creates an index with two segments of two passages each. */
async function twoCommits(path: string): Promise<void> {
	const writer = await Bm25Writer.create(path);
	for (const letter of ['a', 'b']) {
		await writer.add([0, 1].map(number => ({id: `${letter}${number}`, text: 'stone bridge'})));
		await writer.commit();
	}
	await writer.close();
}

/** Checks that an index is intact, and returns the ids of its passages in the order of a search for them. */
async function found(path: string): Promise<string[]> {
	await using index = await Bm25Index.open(path, {verify: true});
	return (await index.search('bridge')).map(({id}) => id);
}

/** The first operations of a newly opened writer, by name. */
const firstOperations: Record<string, (writer: Bm25Writer) => Promise<unknown>> = {
	delete: async writer => writer.delete(['a0']),
	update: async writer => writer.update([{id: 'a0', text: 'iron bridge'}]),
	'rollback and delete': async writer => {
		await writer.rollback();
		return writer.delete(['a0']);
	},
};
for (const [name, operate] of Object.entries(firstOperations)) {
	test(`if the first operation of a writer is ${name}, a merge does not apply the uncommitted changes`, async t => {
		const path = join(await folder(t), 'index');
		await twoCommits(path);
		const writer = await Bm25Writer.open(path);
		await operate(writer);
		await writer.merge();
		t.deepEqual(await found(path), ['a0', 'a1', 'b0', 'b1']);
		await writer.close();
		t.deepEqual(await found(path), ['a0', 'a1', 'b0', 'b1']);
	});
}

test('a missing impact file is an error, and cannot be rebuilt if the passages are not stored', async t => {
	const path = join(await folder(t), 'index');
	await twoCommits(path);
	for (const name of await readdir(path)) {
		if (name.endsWith('.impacts')) {
			await rm(join(path, name));
		}
	}
	const expected = /\.impacts: expected a file of the index, got no such file; if its passages are stored, `passagekit doctor --repair`/u;
	for (const open of [Bm25Index.open, Bm25Writer.open, Bm25Index.repair]) {
		const error = await t.throwsAsync<RetrievalError>(open(path), {instanceOf: RetrievalError, code: 'ERR_INDEX_CORRUPT'});
		t.regex(error.message, expected);
	}
});

test('an index with fewer passages than its last commit recorded is refused as corrupt, and cannot be repaired', async t => {
	const path = join(await folder(t), 'index');
	await twoCommits(path);
	const doctor = async (): Promise<{status: number; stdout: string}> =>
		execute(process.execPath, [join(packageRoot, 'bin/passagekit.js'), 'doctor', '--repair', path]).then(
			({stdout}) => ({status: 0, stdout}),
			(failed: {code: number; stdout: string}) => ({status: failed.code, stdout: failed.stdout}),
		);
	t.deepEqual(await doctor(), {status: 0, stdout: '✓ BM25 index  intact; nothing to repair\n'});
	const meta = join(path, 'meta.json');
	const list = await readFile(meta, 'utf8');
	const changed = list.replace(String.raw`\"passages\":4`, String.raw`\"passages\":5`);
	await writeFile(meta, changed);
	const expected = /expected 5 passages, as the last commit recorded, got 4/u;
	const error = await t.throwsAsync(Bm25Index.open(path), {instanceOf: RetrievalError, code: 'ERR_INDEX_CORRUPT'});
	t.regex(error.message, expected);
	const {status, stdout} = await doctor();
	t.is(status, 1);
	t.regex(stdout, expected);
	t.is(await readFile(meta, 'utf8'), changed);
	await writeFile(meta, list);
	const writer = await Bm25Writer.open(path);
	await t.throwsAsync(Bm25Index.repair(path), {instanceOf: RetrievalError, code: 'ERR_INDEX_LOCKED'});
	await writer.close();
});
