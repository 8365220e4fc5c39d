// Tests the layouts of HNSW indexes (`fast`, which stores a sketch per vector above 128 dimensions, and `compact`, which does not), and
// searches whose `efSearch` is below k.
import {stat} from 'node:fs/promises';
import {join} from 'node:path';
import test from 'ava';
import {Collection, FlatIndex, HnswIndex, type HnswLayout, type Vectors} from '../../ts/index.ts';
import {folder, names, random} from '../support/vectors.ts';

const row = ({data, dim}: Vectors, at: number): Float32Array => data.subarray(at * dim, (at + 1) * dim);

test('the layout compact saves one cache line (64 bytes) per vector in the file, and searches still find the vectors', async t => {
	const home = await folder(t);
	const vectors = random(3000, 200);
	const flat = new FlatIndex({dim: 200});
	await flat.add(names(3000), vectors);
	await flat.save(join(home, 'flat'));
	const sizes: number[] = [];
	for (const layout of ['fast', 'compact'] as const) {
		const path = join(home, layout);
		const built = await HnswIndex.build(path, join(home, 'flat'), {m: 8, layout, threads: 1});
		const added = new HnswIndex({dim: 200, m: 8, layout, threads: 1});
		await added.add(names(3000), vectors);
		for (const index of [built, added]) {
			const [hit] = await index.search(row(vectors, 7), {k: 1, efSearch: 200});
			t.is(hit!.id, names(8).at(-1)!);
		}
		sizes.push((await stat(path)).size);
	}
	t.true(Math.abs(sizes[0]! - sizes[1]! - 3000 * 64) < 1000, String(sizes));
});

test('a search with efSearch below k returns k hits, but with lower recall than by default', async t => {
	const index = new HnswIndex({dim: 16, m: 8});
	const vectors = random(20_000, 16);
	await index.add(names(20_000), vectors);
	const found = async (efSearch?: number): Promise<string[]> => (await index.search(row(vectors, 0), {k: 200, efSearch})).map(({id}) => id);
	const [low, byDefault, high] = [await found(20), await found(), await found(600)];
	t.deepEqual(
		[low, byDefault, high].map(ids => new Set(ids).size),
		[200, 200, 200],
	);
	/** Number of the given ids that the search with a high `efSearch` also finds. */
	const shared = (ids: readonly string[]): number => ids.filter(id => high.includes(id)).length;
	// The default `efSearch` is at least k, so the search with the default has a higher recall than the search with 20.
	t.true(shared(byDefault) >= 180, String(shared(byDefault)));
	t.true(shared(low) < shared(byDefault), String(shared(low)));
});

test('an unknown layout is refused, and a collection refuses it before building', async t => {
	const layout = 'dense' as HnswLayout;
	const message = /layout: expected one of fast, compact, got "dense"/u;
	t.throws(() => new HnswIndex({dim: 2, layout}), {code: 'ERR_ARGUMENT', message});
	await t.throwsAsync(HnswIndex.build('x', 'y', {layout}), {code: 'ERR_ARGUMENT', message});
	await t.throwsAsync(Collection.build([{id: 'a', text: 'b'}], join(await folder(t), 'c'), {hnsw: {layout}}), {
		code: 'ERR_ARGUMENT',
		message: /^hnsw: layout/u,
	});
});
