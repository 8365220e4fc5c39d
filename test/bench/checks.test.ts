// Tests how the quick benchmark checks hits, chooses `efSearch` and generates data.
import test from 'ava';
import {compareWithSingle, recall, smallestEfSearch, verifyHits} from '../../ts/bench/checks.ts';
import {clusteredVectors, generatedPassages} from '../../ts/bench/data.ts';
import {FlatIndex, HnswIndex} from '../../ts/dense/index.ts';

// 500 vectors and 30 queries of dimension 24, and the exact best five vectors of each query (`found`).
const [vectors, queries] = [await clusteredVectors(500, 24, 2), await clusteredVectors(30, 24, 3)];
const ids = Array.from({length: 500}, (_, row) => String(row));
const index = new FlatIndex({dim: 24});
await index.add(ids, vectors);
const found = await index.searchMany(queries, {k: 5});

test('correct hits pass the check; a missing hit, a list that is too short, a wrong score and a duplicate hit fail it', async t => {
	// At most 20 queries are checked.
	t.deepEqual(await verifyHits(found, vectors, queries, 5), {queries: 20, right: 20});
	/** Returns the hits of all queries, where those of the first query are changed. */
	const withFirst = (change: (hits: (typeof found)[number]) => (typeof found)[number]) =>
		found.map((hits, i) => (i === 0 ? change(hits) : hits));
	const bestSix = await index.searchMany(queries, {k: 6});
	const wrong = [
		withFirst(() => bestSix[0]!.slice(1)),
		withFirst(hits => hits.slice(0, 4)),
		withFirst(hits => hits.map((hit, i) => (i === 2 ? {...hit, score: hit.score + 1e-4} : hit))),
		withFirst(hits => [hits[0]!, hits[0]!, ...hits.slice(2)]),
	];
	for (const hits of wrong) {
		t.deepEqual(await verifyHits(hits, vectors, queries, 5), {queries: 20, right: 19});
	}
});

test('recall is the share of the true hits that were found', t => {
	const hits = (...names: string[]) => names.map(id => ({id, score: 1}));
	t.is(recall([hits('a', 'b'), hits('c', 'x')], [hits('b', 'a'), hits('c', 'd')]), 0.75);
});

test('the smallest efSearch that reaches a recall is chosen, or the largest one tried if none reaches it', async t => {
	const graph = new HnswIndex({dim: 24, m: 4, efConstruction: 8, threads: 1});
	await graph.add(ids, vectors);
	const search = async (minRecall: number) => smallestEfSearch(graph, queries, found, {k: 5, minRecall});
	const [low, high] = [await search(0.5), await search(0.98)];
	t.true(low.recall >= 0.5 && low.efSearch <= high.efSearch);
	t.true(high.recall >= 0.98 || high.efSearch === 1024);
	// No search reaches a recall above 1.
	t.is((await search(1.1)).efSearch, 1024);
});

test('a query of a batch search counts as right if a single search returns the same hits', async t => {
	const single = async (query: number) => index.search(queries.data.subarray(query * 24, (query + 1) * 24), {k: 5});
	t.deepEqual(await compareWithSingle(single, found), {queries: 30, right: 30});
	t.deepEqual(await compareWithSingle(single, [found[1]!, ...found.slice(1)]), {queries: 30, right: 29});
});

test('generated passages have 100 words, vectors have length 1, and both are the same on every call with the same seed', async t => {
	const texts = async () => {
		const generated: string[] = [];
		for await (const {text} of generatedPassages(20)) {
			generated.push(text);
		}
		return generated;
	};
	const passages = await texts();
	t.deepEqual(await texts(), passages);
	t.true(passages.every(text => text.split(' ').length === 100));
	t.deepEqual(await clusteredVectors(500, 24, 2), vectors);
	t.notDeepEqual((await clusteredVectors(500, 24, 4)).data, vectors.data);
	t.true(Math.abs(Math.hypot(...vectors.data.subarray(24, 48)) - 1) < 1e-6);
});
