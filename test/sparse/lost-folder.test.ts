// Tests BM25 writers whose folder disappears while they are open.
import {mkdtemp, readFile, rename, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import test, {type ExecutionContext} from 'ava';
import {Bm25Index, Bm25Writer, type Passage, RetrievalError} from '../../ts/index.ts';

/** Generates `count` passages, numbered from `from`. */
function* passages(from: number, count: number): Generator<Passage> {
	for (let i = from; i < from + count; i++) {
		yield {id: `p${i}`, text: `passage ${i} of a bridge of stone ${i % 97}`};
	}
}

/** Creates a writer that has committed twice, 200 passages each time, and moves its folder to the path `aside`. */
async function writerWithLostFolder(t: ExecutionContext, threads: number): Promise<{writer: Bm25Writer; folder: string; aside: string}> {
	const parent = await mkdtemp(join(tmpdir(), 'passagekit-lost-'));
	const [folder, aside] = [join(parent, 'index'), join(parent, 'aside')];
	const writer = await Bm25Writer.create(folder, {threads, memoryBytes: 15e6 * threads, mergeInBackground: false});
	t.teardown(async () => {
		await writer.close();
		await rm(parent, {recursive: true, force: true});
	});
	for (const from of [0, 1000]) {
		await writer.add(passages(from, 200));
		await writer.commit();
	}
	await rename(folder, aside);
	return {writer, folder, aside};
}

/** The operations that are tested. Each one gets its own writer. */
const changes: Readonly<Record<string, (writer: Bm25Writer) => Promise<unknown>>> = {
	merge: async writer => writer.merge(),
	rollback: async writer => writer.rollback(),
	async commit(writer) {
		await writer.add(passages(5000, 300));
		await writer.commit();
	},
	// Adds enough passages that the writer has to write a segment.
	async add(writer) {
		for (let from = 10_000; from < 500_000; from += 20_000) {
			await writer.add(passages(from, 20_000));
		}
	},
};

for (const threads of [1, 3]) {
	for (const [name, change] of Object.entries(changes)) {
		test(`threads ${threads}: ${name} fails with ERR_IO if the folder is gone, and the writer works once the folder is back`, async t => {
			const {writer, folder, aside} = await writerWithLostFolder(t, threads);
			const refused = async (call: () => Promise<unknown>): Promise<void> => {
				const {message} = await t.throwsAsync(call, {instanceOf: RetrievalError, code: 'ERR_IO'});
				t.true(message.includes(folder), message);
				t.notRegex(message, /bug|report/u);
			};
			await refused(async () => change(writer));
			await refused(async () => writer.rollback());
			await refused(async () => writer.rollback());
			await t.throwsAsync(writer.commit(), {code: 'ERR_INTERRUPTED'});
			await rename(aside, folder);
			await writer.rollback();
			await writer.add(passages(2000, 1));
			await writer.commit();
			await writer.merge();
			const index = await Bm25Index.open(folder);
			// The 400 passages that were committed before the folder was lost, and the one that was added after.
			t.is(index.size, 401);
			index.close();
		});
	}
}

test("operations fail with ERR_IO if a file has replaced the writer's folder, and leave that file unchanged", async t => {
	const {writer, folder} = await writerWithLostFolder(t, 1);
	await writeFile(folder, 'no folder');
	for (const call of [writer.merge(), writer.rollback(), writer.rollback()]) {
		await t.throwsAsync(call, {instanceOf: RetrievalError, code: 'ERR_IO'});
	}
	t.is(await readFile(folder, 'utf8'), 'no folder');
});
