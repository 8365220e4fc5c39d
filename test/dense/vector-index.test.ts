// Tests what flat and HNSW indexes have in common: the order of hits, saving, deletion, errors, similarities and seeds.
import {existsSync} from 'node:fs';
import {mkdtemp, readFile, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {setTimeout as sleep} from 'node:timers/promises';
import test, {type ExecutionContext} from 'ava';
import {FlatIndex, HnswIndex, RetrievalError, type VectorIndex, type Vectors} from '../../ts/index.ts';

/** Creates a folder that is deleted after the test. */
async function folder(t: ExecutionContext): Promise<string> {
	const path = await mkdtemp(join(tmpdir(), 'passagekit-dense-'));
	t.teardown(async () => rm(path, {recursive: true, force: true}));
	return path;
}

/** Returns these rows as `Vectors`. */
function vectors(dim: number, ...rows: number[][]): Vectors {
	return {data: Float32Array.from(rows.flat()), rows: rows.length, dim};
}

/** Pseudorandom vectors in [-1, 1) from a linear congruential generator; the same seed gives the same vectors. */
function random(rows: number, dim: number, seed = 1): Vectors {
	let state = seed;
	const data = Float32Array.from({length: rows * dim}, () => {
		state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
		return state / 2 ** 31 - 1;
	});
	return {data, rows, dim};
}

const row = ({data, dim}: Vectors, i: number): Float32Array => data.subarray(i * dim, (i + 1) * dim);
/** Returns the ids `p0`, `p1`, … */
const names = (count: number): string[] => Array.from({length: count}, (_, i) => `p${i}`);

/** How to create and open each kind of index. */
const kinds: Record<string, {make: (dim: number) => VectorIndex; open: (path: string) => Promise<VectorIndex>}> = {
	flat: {make: dim => new FlatIndex({dim, metadata: {made: 'here'}}), open: async path => FlatIndex.open(path)},
	hnsw: {make: dim => new HnswIndex({dim, m: 8, metadata: {made: 'here'}}), open: async path => HnswIndex.open(path)},
};

for (const [kind, {make, open}] of Object.entries(kinds)) {
	test(`${kind}: the highest inner products come first, and ties are ordered by insertion`, async t => {
		const index = make(2);
		await index.add(['a', 'b', 'c', 'd'], vectors(2, [1, 0], [0, 1], [2, 2], [0, 1]));
		// The scores of a, b and c are 3·1 + 1·0, 3·0 + 1·1 and 3·2 + 1·2; d has the same vector as b.
		t.deepEqual(await index.search(Float32Array.of(3, 1)), [
			{id: 'c', score: 8},
			{id: 'a', score: 3},
			{id: 'b', score: 1},
			{id: 'd', score: 1},
		]);
		t.deepEqual(await index.search(Float32Array.of(3, 1), {k: 1}), [{id: 'c', score: 8}]);
		t.deepEqual(await index.search(Float32Array.of(3, 1), {k: 0}), []);
	});

	test(`${kind}: searchMany returns the same hits as search, on any number of threads`, async t => {
		const index = make(24);
		const data = random(500, 24);
		await index.add(names(500), data);
		const queries = random(40, 24, 7);
		const expected = await Promise.all(Array.from({length: 40}, async (_, i) => index.search(row(queries, i), {k: 5})));
		t.deepEqual(await index.searchMany(queries, {k: 5}), expected);
		t.deepEqual(await index.searchMany(queries, {k: 5, threads: 3}), expected);
	});

	test(`${kind}: a view with an offset is read from that offset`, async t => {
		const index = make(3);
		const whole = Float32Array.of(9, 9, 1, 0, 0, 0, 1, 0, 9);
		await index.add(['x', 'y'], {data: whole.subarray(2, 8), rows: 2, dim: 3});
		t.deepEqual(await index.search(Float32Array.of(7, 0, 5, 0, 7).subarray(1, 4), {k: 1}), [{id: 'y', score: 5}]);
	});

	test(`${kind}: an opened index has the saved vectors and metadata, and can be added to and saved again`, async t => {
		const path = join(await folder(t), 'index');
		const data = random(300, 16);
		const index = make(16);
		await index.add(names(300), data);
		await index.save(path);
		const opened = await open(path);
		t.is(opened.size, 300);
		t.is(opened.dim, 16);
		t.is(opened.similarity, 'dot');
		t.deepEqual(opened.metadata, {made: 'here'});
		t.deepEqual(await opened.search(row(data, 5), {k: 10}), await index.search(row(data, 5), {k: 10}));
		await opened.add(['new'], vectors(16, Array.from<number>({length: 16}).fill(100)));
		t.is((await opened.search(new Float32Array(16).fill(1), {k: 1}))[0]!.id, 'new');
		await opened.save(path);
		t.is((await open(path)).size, 301);
	});

	test(`${kind}: a deleted vector is not found, and its id can be used again`, async t => {
		const index = make(2);
		await index.add(['a', 'b'], vectors(2, [1, 0], [0, 1]));
		t.is(await index.delete(['a', 'nobody', 'a']), 1);
		t.is(index.size, 1);
		t.deepEqual(await index.search(Float32Array.of(1, 1)), [{id: 'b', score: 1}]);
		await index.add(['a'], vectors(2, [5, 5]));
		t.deepEqual(
			(await index.search(Float32Array.of(1, 1))).map(({id}) => id),
			['a', 'b'],
		);
	});

	test(`${kind}: the error for invalid input states the expected and the actual value, and the index is unchanged`, async t => {
		const index = make(2);
		await index.add(['a'], vectors(2, [1, 0]));
		const refused = async (work: Promise<unknown>, code: string, message: string): Promise<void> => {
			const error = await t.throwsAsync(work, {instanceOf: RetrievalError});
			t.is(error.message, message);
			t.is(error.code, code as typeof error.code);
		};
		await refused(index.search(Float32Array.of(1, 2, 3)), 'ERR_DIMENSION', 'search: expected vectors of dimension 2, got 3 values');
		await refused(
			index.search([1, 2] as unknown as Float32Array),
			'ERR_ARGUMENT',
			'search: expected a Float32Array, got an Array; pass Float32Array.from(it)',
		);
		await refused(
			index.search(Float32Array.of(Number.NaN, 1)),
			'ERR_ARGUMENT',
			'search: expected finite numbers, got NaN at row 0, column 0',
		);
		await refused(
			index.add(['b', 'c'], vectors(2, [1, 1], [1, Number.POSITIVE_INFINITY])),
			'ERR_ARGUMENT',
			'add: expected finite numbers, got inf at row 1, column 1',
		);
		await refused(
			index.add(['b', 'b'], vectors(2, [1, 1], [1, 1])),
			'ERR_DUPLICATE_ID',
			'add: expected an id that is new, got "b" at row 1, which is also at row 0',
		);
		await refused(
			index.add(['b', 'a'], vectors(2, [1, 1], [1, 1])),
			'ERR_DUPLICATE_ID',
			'add: expected an id that is new, got "a" at row 1, which is in the index',
		);
		await refused(index.add(['b'], vectors(3, [1, 1, 1])), 'ERR_DIMENSION', 'add: expected vectors of dimension 2, got 3');
		await refused(index.add(['b', 'c'], vectors(2, [1, 1])), 'ERR_ARGUMENT', 'add: expected one vector for each of 2 ids, got 1');
		await refused(
			index.add([''], vectors(2, [1, 1])),
			'ERR_ARGUMENT',
			'add: expected an id of one character or more, got an empty one at row 0',
		);
		const detached = Float32Array.of(1, 1);
		structuredClone(detached, {transfer: [detached.buffer]});
		await refused(index.search(detached), 'ERR_ARGUMENT', 'search: expected a Float32Array with its memory, got a detached one');
		await index.add([], vectors(2));
		t.is(index.size, 1);
		t.deepEqual(await index.search(Float32Array.of(2, 0)), [{id: 'a', score: 2}]);
	});

	test(`${kind}: an empty index finds nothing`, async t => {
		t.deepEqual(await make(2).search(Float32Array.of(1, 1)), []);
		t.deepEqual(await make(2).searchMany(vectors(2, [1, 1])), [[]]);
	});

	test(`${kind}: a damaged, truncated, foreign or missing file is refused without a crash`, async t => {
		const home = await folder(t);
		const path = join(home, 'index');
		const index = make(4);
		await index.add(names(50), random(50, 4));
		await index.save(path);
		const intact = await readFile(path);
		const broken = join(home, 'broken');
		for (const length of [0, 10, 64, 100, intact.length - 1]) {
			await writeFile(broken, intact.subarray(0, length));
			const error = await t.throwsAsync(open(broken), {instanceOf: RetrievalError}, `cut to ${length}`);
			t.true(['ERR_INDEX_CORRUPT', 'ERR_IO'].includes(error.code), error.code);
		}
		for (let at = 0; at < intact.length; at += 37) {
			const flipped = Buffer.from(intact);
			flipped[at]! ^= 0x10;
			await writeFile(broken, flipped);
			const result = await open(broken).then(
				async opened => opened.search(Float32Array.of(1, 1, 1, 1)),
				(error: unknown) => error,
			);
			const isReadable = Array.isArray(result);
			t.true(isReadable || ['ERR_INDEX_CORRUPT', 'ERR_INDEX_VERSION'].includes((result as RetrievalError).code), `byte ${at}`);
			if (isReadable) {
				t.deepEqual(result, await index.search(Float32Array.of(1, 1, 1, 1)), `byte ${at} is padding`);
			}
		}
		await writeFile(broken, 'id\ttext\ttitle\n'.repeat(30));
		await t.throwsAsync(open(broken), {code: 'ERR_INDEX_CORRUPT'});
		await t.throwsAsync(open(home), {code: 'ERR_IO'});
		await t.throwsAsync(open(join(home, 'none')), {code: 'ERR_IO'});
		await t.throwsAsync(index.save(home), {code: 'ERR_IO'});
		await t.throwsAsync(index.save(join(home, 'no', 'folder')), {code: 'ERR_IO'});
	});

	test(`${kind}: a file with the other kind of index is refused`, async t => {
		const path = join(await folder(t), 'index');
		const index = make(2);
		await index.add(['a'], vectors(2, [1, 1]));
		await index.save(path);
		const other = kind === 'flat' ? kinds['hnsw']! : kinds['flat']!;
		await t.throwsAsync(other.open(path), {code: 'ERR_INDEX_CORRUPT'});
	});

	test(`${kind}: an aborted add rejects with the signal's reason and adds no vectors, unless it has finished before the abort`, async t => {
		const index = make(64);
		const data = random(20_000, 64);
		const reason = new Error('enough');
		t.is(await t.throwsAsync(index.add(names(20_000), data, {signal: AbortSignal.abort(reason)})), reason);
		const controller = new AbortController();
		const adding = index.add(names(20_000), data, {signal: controller.signal});
		await sleep(5);
		controller.abort(reason);
		const result = await adding.then(
			() => 'done',
			(error: unknown) => error,
		);
		// All vectors may have been added before the abort.
		t.true(result === 'done' || result === reason, String(result));
		t.is(index.size, result === 'done' ? 20_000 : 0);
	});

	test(`${kind}: closing an index waits for the calls in progress`, async t => {
		const path = join(await folder(t), 'saved');
		const queries = random(2000, 16, 5);
		const index = make(16);
		const calls = [index.add(names(2000), random(2000, 16)), index.delete(['p7']), index.save(path), index.searchMany(queries, {k: 3})];
		index.close();
		await t.throwsAsync(index.search(row(queries, 0)), {code: 'ERR_CLOSED'});
		await t.throwsAsync(index.delete(['p1']), {code: 'ERR_CLOSED'});
		await t.notThrowsAsync(Promise.all(calls));
		const saved = await open(path);
		t.is(saved.size, 1999);
		const saving = saved.save(`${path}-again`);
		await saved[Symbol.asyncDispose]();
		t.true(existsSync(`${path}-again`));
		await saving;
		t.throws(() => saved.size, {code: 'ERR_CLOSED'});
	});

	test(`${kind}: a caller may change short arguments after a call`, async t => {
		const index = make(2);
		const [ids, data] = [['a', 'b'], Float32Array.of(1, 0, 0, 1)];
		const adding = index.add(ids, {data, rows: 2, dim: 2});
		ids.splice(0, 2, 'c');
		data.fill(9);
		await adding;
		const toDelete = ['b'];
		const deleting = index.delete(toDelete);
		toDelete[0] = 'a';
		t.is(await deleting, 1);
		const queries = vectors(2, [1, 0]);
		const searching = index.searchMany(queries);
		queries.data.fill(5);
		t.deepEqual(await searching, [[{id: 'a', score: 1}]]);
	});

	test(`${kind}: a closed index rejects with ERR_CLOSED`, async t => {
		const index = make(2);
		await index.add(['a'], vectors(2, [1, 1]));
		index.close();
		await t.throwsAsync(index.search(Float32Array.of(1, 1)), {code: 'ERR_CLOSED'});
	});
}

test('cosine similarity ignores the lengths of vectors and refuses the zero vector', async t => {
	const index = new FlatIndex({dim: 2, similarity: 'cosine'});
	await index.add(['a', 'b'], vectors(2, [10, 0], [1, 1]));
	const hits = await index.search(Float32Array.of(3, 3));
	t.deepEqual(
		hits.map(({id}) => id),
		['b', 'a'],
	);
	t.true(Math.abs(hits[0]!.score - 1) < 1e-6 && Math.abs(hits[1]!.score - Math.SQRT1_2) < 1e-6);
	await t.throwsAsync(index.add(['c'], vectors(2, [0, 0])), {code: 'ERR_ARGUMENT'});
});

test('l2 scores are negated squared distances', async t => {
	const index = new HnswIndex({dim: 2, similarity: 'l2', m: 4});
	await index.add(['a', 'b'], vectors(2, [0, 0], [3, 4]));
	t.deepEqual(await index.search(Float32Array.of(3, 0)), [
		{id: 'a', score: -9},
		{id: 'b', score: -16},
	]);
});

test('an HNSW index finds at least 95% of the hits of a flat index', async t => {
	const data = random(3000, 32);
	const [flat, hnsw] = [new FlatIndex({dim: 32}), new HnswIndex({dim: 32, m: 16})];
	await flat.add(names(3000), data);
	await hnsw.add(names(3000), data);
	const queries = random(50, 32, 99);
	const [exact, approximate] = [await flat.searchMany(queries, {k: 10}), await hnsw.searchMany(queries, {k: 10, efSearch: 128})];
	const found = exact.map((hits, i) => hits.filter(({id}) => approximate[i]!.some(hit => hit.id === id)).length);
	const recall = found.reduce((sum, count) => sum + count, 0) / (50 * 10);
	t.true(recall >= 0.95, String(recall));
});

test('HNSW indexes that are built on one thread with the same seed and vectors have byte-identical files', async t => {
	const home = await folder(t);
	const data = random(400, 16);
	const saved = async (name: string): Promise<Buffer> => {
		const index = new HnswIndex({dim: 16, seed: 5, threads: 1});
		await index.add(names(400), data);
		await index.save(join(home, name));
		return readFile(join(home, name));
	};
	t.deepEqual(await saved('a'), await saved('b'));
});

test('invalid options are refused', t => {
	t.throws(() => new FlatIndex({dim: 0}), {code: 'ERR_ARGUMENT', message: 'dim: expected a whole number from 1 to 65536, got 0'});
	t.throws(() => new FlatIndex({dim: 2, similarity: 'manhattan' as 'dot'}), {
		code: 'ERR_ARGUMENT',
		message: 'similarity: expected one of dot, cosine, l2, got "manhattan"',
	});
	t.throws(() => new HnswIndex({dim: 2, m: 1}), {code: 'ERR_ARGUMENT', message: 'm: expected a whole number from 2 to 1024, got 1'});
});
