// Tests the options with which files are opened: `inMemory` reads them into memory instead of memory-mapping them, and `verify` checks all
// of their checksums.
import {mkdtemp, readFile, readdir, rm, truncate, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import test, {type ExecutionContext} from 'ava';
import {Bm25Index, Bm25Writer, Collection, FlatIndex, HnswIndex, PassageStore, RetrievalError} from '../../ts/index.ts';

/** Makes a temporary folder that is removed after the test. */
async function temporaryFolder(t: ExecutionContext): Promise<string> {
	const path = await mkdtemp(join(tmpdir(), 'passagekit-opening-'));
	t.teardown(async () => rm(path, {recursive: true, force: true}));
	return path;
}

const DIM = 512;
/** Number of vectors. They take more than 16 MiB, so opening an index does not check their checksum by default. */
const ROWS = 9000;

/** Makes vectors of pseudorandom numbers with the linear congruential generator of Numerical Recipes. */
function vectors() {
	let state = 3;
	const data = Float32Array.from({length: ROWS * DIM}, () => {
		state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
		return state / 2 ** 32 - 0.5;
	});
	return {data, rows: ROWS, dim: DIM};
}

test('an index opened in memory does not need its file and returns the same hits', async t => {
	const path = join(await temporaryFolder(t), 'flat');
	const rows = vectors();
	const ids = Array.from({length: ROWS}, (_, row) => `p${row}`);
	const flat = new FlatIndex({dim: DIM});
	await flat.add(ids, rows);
	await flat.save(path);
	const hnsw = await HnswIndex.build(`${path}.hnsw`, path, {m: 8, efConstruction: 40});
	const query = rows.data.subarray(5 * DIM, 6 * DIM);
	for (const [kind, file, built] of [
		[FlatIndex, path, flat],
		[HnswIndex, `${path}.hnsw`, hnsw],
	] as const) {
		const mapped = await kind.open(file);
		const expected = await built.search(query, {k: 20});
		t.deepEqual(await mapped.search(query, {k: 20}), expected);
		const loaded = await kind.open(file, {inMemory: true, verify: true});
		t.true(mapped.memoryBytes < 4 * ROWS * DIM && loaded.memoryBytes > 4 * ROWS * DIM);
		mapped.close();
		built.close();
		await truncate(file, 0);
		t.deepEqual(await loaded.search(query, {k: 20}), expected);
		t.is((await loaded.vectors(['p7', `p${ROWS - 1}`])).rows, 2);
		await t.throwsAsync(kind.open(file), {instanceOf: RetrievalError, code: 'ERR_INDEX_CORRUPT'});
	}
});

test('corruption of a section of more than 16 MiB is detected only with the option verify', async t => {
	const folder = await temporaryFolder(t);
	const [flatPath, storePath] = [join(folder, 'flat'), join(folder, 'store')];
	const flat = new FlatIndex({dim: DIM});
	await flat.add(
		Array.from({length: ROWS}, (_, row) => `p${row}`),
		vectors(),
	);
	await flat.save(flatPath);
	// The texts of these passages also take more than 16 MiB.
	const passages = Array.from({length: 18_000}, (_, id) => ({id: `p${id}`, text: `stone bridge ${id} `.repeat(64)}));
	await PassageStore.write(passages, storePath);
	for (const [path, kind] of [
		[flatPath, FlatIndex],
		[storePath, PassageStore],
	] as const) {
		const bytes = await readFile(path);
		// Changes a byte inside the vectors or the texts.
		bytes[10 * 2 ** 20]! ^= 4;
		await writeFile(path, bytes);
		await (await kind.open(path)).close();
		for (const inMemory of [false, true]) {
			await t.throwsAsync(kind.open(path, {verify: true, inMemory}), {instanceOf: RetrievalError, code: 'ERR_INDEX_CORRUPT'});
		}
	}
});

test('a collection opened in memory works without its files, and a BM25 index opened in memory can be reloaded', async t => {
	const folder = await temporaryFolder(t);
	const path = join(folder, 'collection');
	const built = await Collection.build(
		[
			{id: 'a', title: 'Bridges', text: 'A bridge of stone.'},
			{id: 'b', text: 'A road of stone.'},
		],
		path,
		{encoder: 'tiny-encoder'},
	);
	const search = async (collection: Collection) => (await collection.searcher('hybrid')).search('stone bridge', {k: 2});
	const expected = await search(built);
	await built.close();
	await using collection = await Collection.open(path, {inMemory: true, verify: true, questionEncoder: 'tiny-encoder'});
	t.deepEqual(await search(collection), expected);
	for (const name of await readdir(join(path, 'bm25'))) {
		await truncate(join(path, 'bm25', name), 0);
	}
	await truncate(join(path, 'passages.pkstore'), 0);
	t.deepEqual(await search(collection), expected);
	t.is((await collection.passages.get(['a']))[0]!.text, 'A bridge of stone.');
	await t.throwsAsync(collection.bm25.reload(), {instanceOf: RetrievalError});

	const index = join(folder, 'bm25');
	await (await Bm25Index.build(index, [{id: 'a', text: 'one'}])).close();
	const loaded = await Bm25Index.open(index, {inMemory: true});
	const writer = await Bm25Writer.open(index);
	await writer.add([{id: 'b', text: 'one'}]);
	await writer.commit();
	await writer.close();
	await loaded.reload();
	t.deepEqual(
		(await loaded.search('one')).map(({id}) => id),
		['a', 'b'],
	);
});
