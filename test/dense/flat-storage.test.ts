import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import test from 'ava';
import {FlatIndex, type FlatStorage, RetrievalError, type Vectors} from '../../ts/index.ts';

/** Numbers that are the same every time: a linear congruential generator, in [-1, 1). */
function random(rows: number, dim: number, seed: number): Vectors {
	let state = seed;
	const data = Float32Array.from({length: rows * dim}, () => {
		state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
		return state / 2 ** 31 - 1;
	});
	return {data, rows, dim};
}

const names = (count: number): string[] => Array.from({length: count}, (_, i) => `p${i}`);

async function filled(storage: FlatStorage | undefined, vectors: Vectors): Promise<FlatIndex> {
	const index = new FlatIndex({dim: vectors.dim, storage});
	await index.add(names(vectors.rows), vectors);
	return index;
}

test('codes change neither hits nor scores, alone, among many, and from a file', async t => {
	const [vectors, queries] = [random(3000, 24, 1), random(40, 24, 2)];
	const [plain, filtered] = await Promise.all([filled(undefined, vectors), filled('int8Filtered', vectors)]);
	const folder = await mkdtemp(join(tmpdir(), 'passagekit-flat-'));
	t.teardown(async () => rm(folder, {recursive: true, force: true}));
	const path = join(folder, 'flat');
	await filtered.save(path);
	const opened = await FlatIndex.open(path);

	const expected = await plain.searchMany(queries, {k: 20});
	t.is(expected.length, 40);
	t.is(expected[0]!.length, 20);
	t.deepEqual(await filtered.searchMany(queries, {k: 20}), expected);
	t.deepEqual(await opened.searchMany(queries, {k: 20}), expected);
	t.deepEqual(await filtered.search(queries.data.subarray(0, 24), {k: 20}), expected[0]);
	// A byte and 12 of its row's numbers beside four: 24 · 4 bytes a row without, 24 + 12 more with.
	t.true(filtered.memoryBytes >= plain.memoryBytes + 3000 * 36);
	t.true(opened.memoryBytes < plain.memoryBytes);
});

test('half precision rounds vectors and takes half of the memory', async t => {
	const index = new FlatIndex({dim: 2, storage: 'f16'});
	// Eleven bits: 2049 is half-way between 2048 and 2050, and 2048 is the even one.
	await index.add(['a', 'b'], {data: Float32Array.of(2049, 0, 1, 65_504), rows: 2, dim: 2});
	t.deepEqual(await index.search(Float32Array.of(1, 0), {k: 2}), [
		{id: 'a', score: 2048},
		{id: 'b', score: 1},
	]);

	const error = await t.throwsAsync(index.add(['c'], {data: Float32Array.of(1, -65_520), rows: 1, dim: 2}), {instanceOf: RetrievalError});
	t.is(error.code, 'ERR_ARGUMENT');
	t.is(error.message, 'add: expected numbers of at most 65504 in half precision, got -65520 at row 0, column 1');
	t.is(index.size, 2);
});

test('a storage that there is not is refused', t => {
	const error = t.throws(() => new FlatIndex({dim: 2, storage: 'int4' as FlatStorage}), {instanceOf: RetrievalError});
	t.is(error.message, 'storage: expected one of f32, f16, int8Filtered, got "int4"');
});
