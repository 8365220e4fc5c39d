// Tests how the benchmark verifies hits and chooses `efSearch`.
import test from 'ava';
import {borneOut, identical, leastEffort, recall} from '../../ts/bench/checks.ts';
import {clusteredVectors, embeddedPassages} from '../../ts/bench/embedded.ts';
import {FlatIndex, HnswIndex} from '../../ts/dense/index.ts';

const [vectors, queries] = [await clusteredVectors(500, 24, 2), await clusteredVectors(30, 24, 3)];
const ids = Array.from({length: 500}, (_, row) => String(row));
const index = new FlatIndex({dim: 24});
await index.add(ids, vectors);
const found = await index.searchMany(queries, {k: 5});

test('correct hits pass the check; a missing hit, a wrong score and a duplicate hit fail it', async t => {
	t.deepEqual(await borneOut(found, vectors, queries), {queries: 20, right: 20});
	const withFirst = (change: (hits: (typeof found)[number]) => (typeof found)[number]) =>
		found.map((hits, i) => (i === 0 ? change(hits) : hits));
	const all = await index.searchMany(queries, {k: 6});
	const spoilt = [
		withFirst(() => all[0]!.slice(1)),
		withFirst(hits => hits.map((hit, i) => (i === 2 ? {...hit, score: hit.score + 1e-4} : hit))),
		withFirst(hits => [hits[0]!, hits[0]!, ...hits.slice(2)]),
	];
	for (const hits of spoilt) {
		t.deepEqual(await borneOut(hits, vectors, queries), {queries: 20, right: 19});
	}
});

test('recall is the share of true hits that were found', t => {
	const hits = (...names: string[]) => names.map(id => ({id, score: 1}));
	t.is(recall([hits('a', 'b'), hits('c', 'x')], [hits('b', 'a'), hits('c', 'd')]), 0.75);
});

test('the smallest efSearch that reaches a recall is found, or the largest if none reaches it', async t => {
	const graph = new HnswIndex({dim: 24, m: 4, efConstruction: 8, threads: 1});
	await graph.add(ids, vectors);
	const of = async (wanted: number) => leastEffort(graph, queries, found, {k: 5, wanted});
	const [low, high] = [await of(0.5), await of(0.98)];
	t.true(low.recall >= 0.5 && low.efSearch <= high.efSearch);
	t.true(high.recall >= 0.98 || high.efSearch === 1024);
	t.is((await of(1.1)).efSearch, 1024);
});

test('one call for many queries is compared with one call per query', async t => {
	const one = async (query: number) => index.search(queries.data.subarray(query * 24, (query + 1) * 24), {k: 5});
	t.deepEqual(await identical(one, found), {queries: 30, right: 30});
	t.deepEqual(await identical(one, [found[1]!, ...found.slice(1)]), {queries: 30, right: 29});
});

test('generated passages and vectors are deterministic, and vectors have length 1', async t => {
	const texts = async () => {
		const made: string[] = [];
		for await (const {text} of embeddedPassages(20)) {
			made.push(text);
		}
		return made;
	};
	const passages = await texts();
	t.deepEqual(await texts(), passages);
	t.true(passages.every(text => text.split(' ').length === 100));
	t.deepEqual(await clusteredVectors(500, 24, 2), vectors);
	t.notDeepEqual((await clusteredVectors(500, 24, 4)).data, vectors.data);
	t.true(Math.abs(Math.hypot(...vectors.data.subarray(24, 48)) - 1) < 1e-6);
});
