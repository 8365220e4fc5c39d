// Tests adding vectors from files (`addFile`, `build`) and exporting them to files.
import {readFile, readdir, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {monitorEventLoopDelay} from 'node:perf_hooks';
import {setTimeout as sleep} from 'node:timers/promises';
import test from 'ava';
import {packageRoot} from '../../ts/core/native/addon.ts';
import {FlatIndex, HnswIndex, type Progress, RetrievalError, type VectorFileOptions} from '../../ts/index.ts';
import {highestOfThreeCounts} from '../support/event-loop.ts';
import {folder, names, random, row} from '../support/vectors.ts';

/**
Returns the path of a test file. `make.py` in the same folder writes these files with numpy, pyarrow and safetensors; most of
them contain the ten vectors of `rows`.
*/
const fixture = (name: string): string => join(packageRoot, 'crates/vectors/tests/files', name);

/** Ten vectors of dimension 4. Column j of row i is (4i + j − 20) / 8. */
const rows = {data: Float32Array.from({length: 40}, (_, i) => (i - 20) / 8), rows: 10, dim: 4};

/**
Writes vectors as a NumPy array of 32-bit floats: magic bytes, version, header length (118), the header, and the rows. The header
is padded so that the rows start at byte 128, a multiple of 64: 10 + 117 + 1.
*/
async function writeNpy(path: string, {data, rows, dim}: {data: Float32Array; rows: number; dim: number}): Promise<void> {
	const header = `{'descr': '<f4', 'fortran_order': False, 'shape': (${rows}, ${dim}), }`.padEnd(117) + '\n';
	const start = Buffer.concat([Buffer.from('\x93NUMPY\x01\x00', 'latin1'), Buffer.from([118, 0]), Buffer.from(header)]);
	await writeFile(path, Buffer.concat([start, Buffer.from(data.buffer, data.byteOffset, data.byteLength)]));
}

/** Functions that create an empty index of each kind. */
const kinds: Record<string, (dim: number) => FlatIndex | HnswIndex> = {
	flat: dim => new FlatIndex({dim}),
	hnsw: dim => new HnswIndex({dim, m: 8, threads: 1}),
};

/** Returns the ids and vectors of an index. */
async function content(index: FlatIndex | HnswIndex): Promise<Array<[string, number[]]>> {
	const found: Array<[string, number[]]> = [];
	for await (const id of index.ids()) {
		found.push([id, [...(await index.get(id))!]]);
	}
	return found;
}

/** The ids and vectors of an index that stores the first vectors of `rows` under these ids. */
const expected = (ids: readonly string[]): Array<[string, number[]]> => ids.map((id, i) => [id, [...row(rows, i)]]);
/** The ids that the ten vectors get if no ids are given: their row numbers, from 0. */
const rowNumbers = Array.from({length: 10}, (_, i) => String(i));

for (const [kind, make] of Object.entries(kinds)) {
	test(`${kind}: a file of any format adds the same vectors, with row numbers as ids`, async t => {
		for (const name of [
			'f2.npy',
			'f4.npy',
			'f8.npy',
			'rows.f32',
			'rows.fvecs',
			'f4.safetensors',
			'bf16.safetensors',
			'plain.parquet',
			'doubles.parquet',
			'halves.parquet',
			'plain.arrow',
			'doubles.arrows',
			'plain.feather',
		]) {
			const index = make(4);
			t.is(await index.addFile(fixture(name)), 10, name);
			t.deepEqual(await content(index), expected(rowNumbers), name);
		}
	});

	test(`${kind}: ids come from a column, an array, or a text or JSON file, and can have a prefix`, async t => {
		const sources: VectorFileOptions[] = [
			{idColumn: 'id'},
			{ids: names(10)},
			{idsPath: fixture('ids.txt')},
			{idsPath: fixture('ids.json')},
		];
		for (const source of sources) {
			const index = make(4);
			await index.addFile(fixture('plain.parquet'), source);
			await index.addFile(fixture('plain.parquet'), {...source, prefix: 'again/'});
			await index.addFile(fixture('f4.npy'));
			t.deepEqual(await content(index), [
				...expected(names(10)),
				...expected(names(10).map(name => `again/${name}`)),
				...expected(rowNumbers),
			]);
		}
	});

	test(`${kind}: an invalid file or option is refused with a message that states the problem, and the index is unchanged`, async t => {
		const home = await folder(t);
		const index = make(4);
		await index.add(['there'], {data: Float32Array.of(1, 2, 3, 4), rows: 1, dim: 4});
		const before = await content(index);
		const refused = async (path: string, options: VectorFileOptions, code: string, message: string): Promise<void> => {
			const error = await t.throwsAsync(index.addFile(path, options), {instanceOf: RetrievalError});
			t.is(error.message, message);
			t.is(error.code, code as typeof error.code);
			t.deepEqual(await content(index), before, message);
		};
		const bad = join(home, 'bad.npy');
		await writeNpy(bad, {data: Float32Array.of(1, 2, 3, 4, 5, Number.NaN, 7, 8), rows: 2, dim: 4});
		await refused(bad, {}, 'ERR_ARGUMENT', `${bad}: add: expected finite numbers, got NaN at row 1, column 1`);
		const file = fixture('f4.npy');
		const ids = names(10);
		await refused(
			file,
			{ids: ids.with(7, 'p2')},
			'ERR_DUPLICATE_ID',
			`${file}: add: expected an id that is new, got "p2" at row 7, which is also at row 2`,
		);
		await refused(
			file,
			{ids: ids.with(7, 'there')},
			'ERR_DUPLICATE_ID',
			`${file}: add: expected an id that is new, got "there" at row 7, which is in the index`,
		);
		await refused(
			file,
			{ids: ids.with(7, '')},
			'ERR_ARGUMENT',
			`${file}: add: expected an id of one character or more, got an empty one at row 7`,
		);
		await refused(file, {ids: ['a']}, 'ERR_ARGUMENT', `${file}: expected one id for each of 10 vectors, got 1 ids`);
		await refused(file, {ids: 'abc' as never}, 'ERR_ARGUMENT', 'addFile: ids: expected an array of strings, got string');
		await refused(
			file,
			{ids: [], idsPath: 'x'},
			'ERR_ARGUMENT',
			'addFile: expected ids from one of idColumn, ids and idsPath, got ids and idsPath',
		);
		await refused(
			file,
			{format: 'hdf5' as never},
			'ERR_ARGUMENT',
			'format: expected one of auto, npy, raw, safetensors, parquet, arrow, fvecs, got "hdf5"',
		);
		await refused(
			file,
			{idColumn: 'id'},
			'ERR_ARGUMENT',
			'idColumn: expected a Parquet or Arrow file, which has columns, got a NumPy array',
		);
		const other = fixture('ragged.parquet');
		await refused(other, {}, 'ERR_DIMENSION', `${other}: expected vectors of dimension 4, got 2`);
		const none = join(home, 'none.npy');
		await refused(none, {}, 'ERR_IO', `open ${none}: No such file or directory (os error 2)`);
		const text = fixture('ids.txt');
		await refused(
			text,
			{},
			'ERR_FORMAT',
			`${text}: expected a .npy, safetensors, Parquet or Arrow file, or one named .f32, .raw, .bin or .fvecs, got a file that begins with "p0\\np1\\np2\\np3\\np4\\np"`,
		);
		await refused(3 as never, {}, 'ERR_ARGUMENT', 'addFile: path: expected a string, got number');
	});

	test(`${kind}: an invalid row several megabytes into the file leaves the index unchanged`, async t => {
		const home = await folder(t);
		const [path, dim, count] = [join(home, 'bad.npy'), 256, 9000];
		const data = random(count, dim);
		data.data[8500 * dim + 3] = Number.POSITIVE_INFINITY;
		await writeNpy(path, data);
		const index = make(dim);
		const error = await t.throwsAsync(index.addFile(path), {code: 'ERR_ARGUMENT'});
		t.is(error.message, `${path}: add: expected finite numbers, got inf at row 8500, column 3`);
		data.data[8500 * dim + 3] = 0;
		await writeNpy(path, data);
		const duplicate = await t.throwsAsync(index.addFile(path, {ids: names(count).with(8500, 'p17')}), {code: 'ERR_DUPLICATE_ID'});
		t.is(duplicate.message, `${path}: add: expected an id that is new, got "p17" at row 8500, which is also at row 17`);
		t.is(index.size, 0);
		t.deepEqual(await index.search(new Float32Array(dim).fill(1)), []);
	});

	test(`${kind}: an aborted addFile adds no vectors, unless it has finished before the abort`, async t => {
		const home = await folder(t);
		const path = join(home, 'vectors.npy');
		await writeNpy(path, random(60_000, 64));
		const index = make(64);
		await index.add(['there'], random(1, 64, 5));
		const reason = new Error('enough');
		t.is(await t.throwsAsync(index.addFile(path, {signal: AbortSignal.abort(reason)})), reason);
		const controller = new AbortController();
		const adding = index.addFile(path, {signal: controller.signal});
		await sleep(10);
		controller.abort(reason);
		const result = await adding.then(
			() => 'done',
			(error: unknown) => error,
		);
		// All vectors may have been added before the abort.
		t.true(result === 'done' || result === reason, String(result));
		t.is(index.size, result === 'done' ? 60_001 : 1);
		t.is(await index.has('there'), true);
		t.is(await index.has('0'), result === 'done');
	});

	test(`${kind}: exported vectors can be added again, and deleted ones are not exported`, async t => {
		const home = await folder(t);
		const index = make(4);
		await index.addFile(fixture('plain.arrow'), {idColumn: 'id'});
		await index.delete(['p3', 'p0']);
		const kept = expected(names(10)).filter(([id]) => id !== 'p3' && id !== 'p0');
		for (const idsPath of [join(home, 'ids.txt'), join(home, 'ids.json')]) {
			const path = join(home, 'vectors.npy');
			t.is(await index.exportVectors(path, {idsPath}), 8);
			const again = make(4);
			await again.addFile(path, {idsPath});
			t.deepEqual(await content(again), kept);
		}
		await index.add(['two\nlines'], {data: Float32Array.of(1, 2, 3, 4), rows: 1, dim: 4});
		const before = await readFile(join(home, 'vectors.npy'));
		await t.throwsAsync(index.exportVectors(join(home, 'vectors.npy'), {idsPath: join(home, 'ids.txt')}), {
			code: 'ERR_ARGUMENT',
			message:
				'ids: expected ids without line breaks, the first of which does not begin with a bracket, or a path that ends in .json, got "two\\nlines"',
		});
		t.deepEqual(await readFile(join(home, 'vectors.npy')), before);
		t.is((await readdir(home)).length, 3, 'no temporary file is left');
	});
}

test('the progress of addFile counts vectors up to the total', async t => {
	const home = await folder(t);
	const path = join(home, 'vectors.npy');
	await writeNpy(path, random(3000, 32));
	const seen: Progress[] = [];
	await new HnswIndex({dim: 32, m: 8}).addFile(path, {onProgress: progress => seen.push(progress)});
	t.deepEqual(seen.at(-1), {done: 3000, total: 3000});
	t.true(seen.every(({done}, i) => done >= (seen[i - 1]?.done ?? 0)));
});

test('the saved graph is byte-identical whether its vectors came from addFile or from add', async t => {
	const home = await folder(t);
	const data = random(2000, 16);
	await writeNpy(join(home, 'vectors.npy'), data);
	for (const innerProduct of ['graph', 'augmentedL2'] as const) {
		const options = {dim: 16, m: 8, threads: 1, innerProduct};
		const [added, read] = [new HnswIndex(options), new HnswIndex(options)];
		await added.add(
			Array.from({length: 2000}, (_, i) => String(i)),
			data,
		);
		await read.addFile(join(home, 'vectors.npy'));
		await added.save(join(home, 'added'));
		await read.save(join(home, 'read'));
		t.deepEqual(await readFile(join(home, 'read')), await readFile(join(home, 'added')), innerProduct);
	}
});

test('FlatIndex.build reads a vector file, and HnswIndex.build reads a flat index', async t => {
	const home = await folder(t);
	const [source, flatPath, hnswPath] = [join(home, 'vectors.npy'), join(home, 'flat'), join(home, 'hnsw')];
	const data = random(2000, 24);
	await writeNpy(source, data);
	const options = {ids: names(2000), similarity: 'cosine', metadata: {made: 'here'}} as const;
	const seen: Progress[] = [];
	const flat = await FlatIndex.build(flatPath, source, {...options, onProgress: progress => seen.push(progress)});
	t.deepEqual(seen.at(-1), {done: 2000, total: 2000});
	const hnsw = await HnswIndex.build(hnswPath, flatPath, {m: 8, threads: 1});
	const added = new FlatIndex({dim: 24, similarity: 'cosine', metadata: {made: 'here'}});
	await added.add(names(2000), data);
	const query = row(random(1, 24, 3), 0);
	for (const index of [flat, hnsw]) {
		t.deepEqual([index.size, index.dim, index.similarity, index.metadata], [2000, 24, 'cosine', {made: 'here'}]);
		t.deepEqual(await index.search(query, {k: 1}), await added.search(query, {k: 1}));
	}
	t.deepEqual(await flat.search(query, {k: 50}), await added.search(query, {k: 50}));

	const before = await readFile(flatPath);
	await t.throwsAsync(FlatIndex.build(flatPath, fixture('f4.npy'), {ids: names(10).with(4, 'p1')}), {
		code: 'ERR_DUPLICATE_ID',
		message: `${fixture('f4.npy')}: add: expected an id that is new, got "p1" at row 4, which is also at row 1`,
	});
	await t.throwsAsync(FlatIndex.build(flatPath, fixture('rows.f32')), {
		code: 'ERR_ARGUMENT',
		message: 'dim: expected the dimension of the vectors, which a raw file does not contain, got none',
	});
	await t.throwsAsync(FlatIndex.build(flatPath, fixture('f4.npy'), {dim: 5}), {code: 'ERR_DIMENSION'});
	const foreign = await t.throwsAsync(HnswIndex.build(hnswPath, source), {code: 'ERR_INDEX_CORRUPT'});
	t.true(foreign.message.startsWith(`${source}: expected a flat index file, got a file that begins with`));
	t.throws(() => new HnswIndex({dim: 2, m: 1}), {message: 'm: expected a whole number from 2 to 1024, got 1'});
	await t.throwsAsync(HnswIndex.build(hnswPath, flatPath, {m: 1}), {message: 'm: expected a whole number from 2 to 1024, got 1'});
	t.deepEqual(await readFile(flatPath), before);
	t.is((await FlatIndex.build(join(home, 'raw'), fixture('rows.f32'), {dim: 4})).size, 10);
	t.is((await readdir(home)).length, 4, 'no temporary file is left');
});

test.serial('adding a file neither blocks the event loop nor grows the JavaScript heap', async t => {
	const home = await folder(t);
	const path = join(home, 'vectors.npy');
	await writeNpy(path, random(200_000, 64));
	const used = (): number => process.memoryUsage().heapUsed + process.memoryUsage().external;
	const ticks = await highestOfThreeCounts(5, async () => {
		const index = new FlatIndex({dim: 64});
		const before = used();
		let [peak, count] = [0, 0];
		const timer = setInterval(() => {
			peak = Math.max(peak, used());
			count++;
		}, 1);
		const delay = monitorEventLoopDelay({resolution: 1});
		delay.enable();
		await index.addFile(path);
		delay.disable();
		clearInterval(timer);
		t.log(`longest delay ${(delay.max / 1e6).toFixed(1)} ms, ${count} ticks, heap grew by ${((peak - before) / 1e6).toFixed(1)} MB`);
		t.is(index.size, 200_000);
		index.close();
		// The vectors in the file take 51 MB.
		t.true(peak - before < 20e6, `grew by ${peak - before} bytes`);
		return count;
	});
	t.true(ticks > 5, `${ticks} ticks`);
});
