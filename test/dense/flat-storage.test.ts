// Tests the storage formats of flat indexes: `f32`, `f16` (half precision) and `int8Rescored`. The last one stores 32-bit floats and an
// int8 copy, with which a search first rules out most vectors by a proven bound.
import {readFile, readdir} from 'node:fs/promises';
import {join} from 'node:path';
import test from 'ava';
import {FlatIndex, type FlatStorage, HnswIndex, RetrievalError, type Vectors} from '../../ts/index.ts';
import {folder, names, random} from '../support/vectors.ts';

const storages: readonly FlatStorage[] = ['f32', 'f16', 'int8Rescored'];

/** Makes an index of these vectors, with the ids `p0`, `p1`, …. */
async function filled(storage: FlatStorage | undefined, vectors: Vectors): Promise<FlatIndex> {
	const index = new FlatIndex({dim: vectors.dim, storage});
	await index.add(names(vectors.rows), vectors);
	return index;
}

test('search and searchMany return the same hits and scores with int8Rescored as with f32, also in an opened index', async t => {
	const [vectors, queries] = [random(3000, 24, 1), random(40, 24, 2)];
	const [plain, filtered] = await Promise.all([filled(undefined, vectors), filled('int8Rescored', vectors)]);
	const path = join(await folder(t), 'flat');
	await filtered.save(path);
	const opened = await FlatIndex.open(path);

	const expected = await plain.searchMany(queries, {k: 20});
	t.is(expected.length, 40);
	t.is(expected[0]!.length, 20);
	t.deepEqual(await filtered.searchMany(queries, {k: 20}), expected);
	t.deepEqual(await opened.searchMany(queries, {k: 20}), expected);
	t.deepEqual(await filtered.search(queries.data.subarray(0, 24), {k: 20}), expected[0]);
	// The int8 copy takes 24 + 12 bytes per row: one byte per number, and 12 bytes for the whole row.
	t.true(filtered.memoryBytes >= plain.memoryBytes + 3000 * 36);
	// The vectors of an opened file are memory-mapped, and `memoryBytes` does not count them.
	t.true(opened.memoryBytes < plain.memoryBytes);
});

test('half precision rounds vectors and refuses numbers beyond its range', async t => {
	const index = new FlatIndex({dim: 2, storage: 'f16'});
	// The significand has 11 bits: 2049 lies halfway between 2048 and 2050 and is rounded to even, which is 2048.
	await index.add(['a', 'b'], {data: Float32Array.of(2049, 0, 1, 65_504), rows: 2, dim: 2});
	t.deepEqual(await index.search(Float32Array.of(1, 0), {k: 2}), [
		{id: 'a', score: 2048},
		{id: 'b', score: 1},
	]);

	// The largest number in half precision is 65,504. 65,520 is the smallest number that would be rounded to 65,536, which is out of range.
	const error = await t.throwsAsync(index.add(['c'], {data: Float32Array.of(1, -65_520), rows: 1, dim: 2}), {instanceOf: RetrievalError});
	t.is(error.code, 'ERR_ARGUMENT');
	t.is(error.message, 'add: expected numbers of at most 65504 in half precision, got -65520 at row 0, column 1');
	t.is(index.size, 2);
});

test('in each storage format, an index built from a file is byte-identical to one that the same vectors were added to', async t => {
	const home = await folder(t);
	const vectors = random(3000, 24, 1);
	const source = join(home, 'vectors.npy');
	await (await filled('f32', vectors)).exportVectors(source);
	for (const storage of storages) {
		await (await filled(storage, vectors)).save(join(home, 'added'));
		await using built = await FlatIndex.build(join(home, 'built'), source, {storage, ids: names(3000)});
		t.is(built.storage, storage);
		t.deepEqual(await readFile(join(home, 'built')), await readFile(join(home, 'added')), storage);
	}
	await (await FlatIndex.build(join(home, 'default'), source)).close();
	t.is((await FlatIndex.open(join(home, 'default'))).storage, 'f32');
});

test('opened, attached and compacted indexes report the storage that they were made with; a closed index throws', async t => {
	const path = join(await folder(t), 'flat');
	t.is(new FlatIndex({dim: 2}).storage, 'f32');
	for (const storage of storages) {
		const index = await filled(storage, random(10, 4, 1));
		await index.save(path);
		await index.compact();
		const [opened, loaded] = [await FlatIndex.open(path), await FlatIndex.open(path, {inMemory: true})];
		t.deepEqual(
			[index, opened, loaded, FlatIndex.attach(opened.share())].map(each => each.storage),
			Array.from({length: 4}, () => storage),
		);
		index.close();
		t.throws(() => index.storage, {instanceOf: RetrievalError, code: 'ERR_CLOSED'});
	}
});

test('an HNSW index built from a flat index in half precision scores the rounded vectors', async t => {
	const home = await folder(t);
	const index = new FlatIndex({dim: 2, storage: 'f16'});
	await index.add(['a', 'b'], {data: Float32Array.of(2049, 0, 1, 1), rows: 2, dim: 2});
	await index.save(join(home, 'flat'));
	const hnsw = await HnswIndex.build(join(home, 'hnsw'), join(home, 'flat'), {m: 4});
	t.deepEqual(await hnsw.search(Float32Array.of(1, 0)), [
		{id: 'a', score: 2048},
		{id: 'b', score: 1},
	]);
});

test('an unknown storage is refused, and a build with vectors out of the range of its storage keeps the existing file', async t => {
	const home = await folder(t);
	const [path, source] = [join(home, 'flat'), join(home, 'vectors.npy')];
	const message = 'storage: expected one of f32, f16, int8Rescored, got "int4"';
	t.throws(() => new FlatIndex({dim: 2, storage: 'int4' as FlatStorage}), {instanceOf: RetrievalError, code: 'ERR_ARGUMENT', message});
	const large = new FlatIndex({dim: 2});
	await large.add(['a', 'b'], {data: Float32Array.of(1, 2, 3, 65_520), rows: 2, dim: 2});
	await large.exportVectors(source);
	await large.save(path);
	const before = await readFile(path);
	await t.throwsAsync(FlatIndex.build(path, source, {storage: 'int4' as FlatStorage}), {
		instanceOf: RetrievalError,
		code: 'ERR_ARGUMENT',
		message,
	});
	await t.throwsAsync(FlatIndex.build(path, source, {storage: 'f16'}), {
		instanceOf: RetrievalError,
		code: 'ERR_ARGUMENT',
		message: `${source}: add: expected numbers of at most 65504 in half precision, got 65520 at row 1, column 1`,
	});
	t.deepEqual(await readFile(path), before);
	t.deepEqual((await readdir(home)).toSorted(), ['flat', 'vectors.npy']);
});
