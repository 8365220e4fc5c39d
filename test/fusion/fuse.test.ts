// Tests fusion methods with scores computed by hand, and hybrid searchers.
import test from 'ava';
import {
	DenseSearcher,
	type Encoder,
	FlatIndex,
	type FusionMethod,
	HybridSearcher,
	RetrievalError,
	type Run,
	type Searcher,
	fuse,
} from '../../ts/index.ts';

const dense: Run = new Map([
	[
		'q',
		[
			{id: 'a', score: 80},
			{id: 'b', score: 78},
			{id: 'c', score: 70},
		],
	],
]);
const sparse: Run = new Map([
	[
		'q',
		[
			{id: 'c', score: 10},
			{id: 'd', score: 9},
			{id: 'b', score: 6},
		],
	],
]);

/** Fuses the two runs above. Returns the id and score of each hit. */
async function fused(method: FusionMethod, k = 10): Promise<Array<[string, number]>> {
	const run = await fuse({dense, sparse}, method, {k});
	return run.get('q')!.map(({id, score}) => [id, score]);
}

test('dprHybrid weights the dense score and counts a missing score as 0', async t => {
	// b: 1.5 · 78 + 6; a: 1.5 · 80; c: 1.5 · 70 + 10; d: 9
	t.deepEqual(await fused({method: 'dprHybrid', lambda: 1.5}), [
		['b', 123],
		['a', 120],
		['c', 115],
		['d', 9],
	]);
});

test('hybrid weights the sparse score, and ties keep the order of first appearance', async t => {
	// b: 78 + 2 · 6 = c: 70 + 2 · 10; a: 80; d: 2 · 9
	t.deepEqual(await fused({method: 'hybrid', alpha: 2}), [
		['b', 90],
		['c', 90],
		['a', 80],
		['d', 18],
	]);
});

test('hybridNorm counts a missing score as the lowest score of the list', async t => {
	// a: 80 + 2 · 6; b: 78 + 2 · 6; c: 70 + 2 · 10; d: 70 + 2 · 9
	t.deepEqual(await fused({method: 'hybridNorm', alpha: 2}), [
		['a', 92],
		['b', 90],
		['c', 90],
		['d', 88],
	]);
	t.deepEqual(await fused({method: 'hybridNorm', alpha: 2}, 2), [
		['a', 92],
		['b', 90],
	]);
});

test('only the first `depth` hits of each list are fused', async t => {
	const list = (...scores: ReadonlyArray<readonly [string, number]>): Run => new Map([['q', scores.map(([id, score]) => ({id, score}))]]);
	const lists = {dense: list(['a', 80], ['b', 78], ['c', 70]), sparse: list(['c', 10], ['d', 9], ['a', 6])};
	const fusedTo = async (depth?: number): Promise<ReadonlyArray<readonly [string, number]>> =>
		(await fuse(lists, {method: 'hybridNorm', alpha: 2}, {depth})).get('q')!.map(({id, score}) => [id, score] as const);
	// The lowest scores are taken after cutting the lists: a: 80 + 2 · 9; b: 78 + 2 · 9; c: 78 + 2 · 10; d: 78 + 2 · 9.
	t.deepEqual(await fusedTo(2), [
		['a', 98],
		['c', 98],
		['b', 96],
		['d', 96],
	]);
	t.deepEqual(await fusedTo(1), [
		['a', 100],
		['c', 100],
	]);
	// By default, all hits are fused.
	t.deepEqual(await fusedTo(3), await fusedTo());
	await t.throwsAsync(fusedTo(0), {code: 'ERR_ARGUMENT', message: 'depth: expected a whole number of at least 1, got 0'});
});

test('reciprocal rank fusion uses only ranks', async t => {
	// The rank constant is 60 by default. c has the ranks 3 and 1, b the ranks 2 and 3.
	const expected = [
		['c', 1 / 63 + 1 / 61],
		['b', 1 / 62 + 1 / 63],
		['a', 1 / 61],
		['d', 1 / 62],
	] as const;
	t.deepEqual(
		await fused({method: 'rrf'}),
		expected.map(([id, score]) => [id, Math.fround(score)]),
	);
});

test('min-max interpolation weights the scaled scores by α and 1 − α', async t => {
	// Scaled dense scores: a 1, b 0.8, c 0. Scaled sparse scores: c 1, d 0.75, b 0. The weights are 1/4 and 3/4.
	t.deepEqual(await fused({method: 'interpolate', alpha: 0.25, normalize: 'min-max'}), [
		['c', 0.75],
		['d', 0.5625],
		['a', 0.25],
		['b', Math.fround(0.2)],
	]);
});

test('any number of lists can be fused by weights or ranks', async t => {
	const third: Run = new Map([['q', [{id: 'd', score: 4}]]]);
	const fusedThree = async (method: FusionMethod): Promise<Array<[string, number]>> =>
		(await fuse([dense, sparse, third], method)).get('q')!.map(({id, score}) => [id, score]);
	// a: 80; b: 78 + 2 · 6; c: 70 + 2 · 10; d: 2 · 9 + 3 · 4. b and c tie.
	t.deepEqual(await fusedThree({method: 'linear', weights: [1, 2, 3]}), [
		['b', 90],
		['c', 90],
		['a', 80],
		['d', 30],
	]);
	// A passage that is not in a list gets the lowest score of the list: 70, 6 or 4.
	// a: 80 + 6 + 4; b: 78 + 6 + 4; c: 70 + 10 + 4; d: 70 + 9 + 4.
	t.deepEqual(await fusedThree({method: 'linear', missing: 'minimum'}), [
		['a', 90],
		['b', 88],
		['c', 84],
		['d', 83],
	]);
	t.deepEqual((await fusedThree({method: 'rrf'})).slice(0, 2), [
		['d', Math.fround(1 / 62 + 1 / 61)],
		['c', Math.fround(1 / 63 + 1 / 61)],
	]);
	const [first] = await fusedThree({method: 'rrf', rankConstant: 0});
	t.deepEqual(first, ['d', 1.5]);
	await t.throwsAsync(fusedThree({method: 'hybrid', alpha: 1}), {
		code: 'ERR_ARGUMENT',
		message: 'fusion: expected a dense and a sparse list for hybrid, got 3 lists',
	});
	await t.throwsAsync(fusedThree({method: 'linear', weights: [1]}), {
		code: 'ERR_ARGUMENT',
		message: 'fusion: expected 3 weights, one per list, got 1',
	});
	await t.throwsAsync(fuse([], {method: 'rrf'}), {code: 'ERR_ARGUMENT', message: 'lists: expected at least one run, got none'});
});

test('a run that a searcher returned and a run that is a plain Map are fused by passage ids', async t => {
	const flat = new FlatIndex({dim: 1});
	await flat.add(['x', 'y', 'z'], {data: Float32Array.of(1, 2, 3), rows: 3, dim: 1});
	/** Encodes a text such as `-1` as a vector with this number as its only component. */
	const encoder: Encoder = {
		dim: 1,
		async encode(texts) {
			return {data: Float32Array.from(texts, Number), rows: texts.length, dim: 1};
		},
	};
	const searcher = new DenseSearcher({encoder, index: flat});
	const found = await searcher.searchMany(
		[
			{id: 'q', text: '1'},
			{id: 'r', text: '-1'},
		],
		{k: 2},
	);
	const other: Run = new Map([
		['r', [{id: 'z', score: 5}]],
		[
			'q',
			[
				{id: 'x', score: 9},
				{id: 'w', score: 8},
			],
		],
	]);
	const fused = await fuse([found, other], {method: 'linear'});
	t.deepEqual(
		[...fused].map(([query, hits]) => [query, hits.map(({id, score}) => `${id} ${score}`)]),
		[
			['q', ['x 9', 'w 8', 'z 3', 'y 2']],
			['r', ['z 5', 'x -1', 'y -2']],
		],
	);
});

test('a query that is in only one run gets the weighted scores of that run', async t => {
	const run = await fuse({dense, sparse: new Map([['other', [{id: 'x', score: 3}]]])}, {method: 'hybrid', alpha: 2});
	t.deepEqual([...run.keys()], ['q', 'other']);
	t.deepEqual(run.get('other'), [{id: 'x', score: 6}]);
});

test('the error for an invalid method or weight states the expected values', async t => {
	const refused = async (fusion: unknown): Promise<string> => {
		const error = await t.throwsAsync(fuse({dense, sparse}, fusion as FusionMethod), {instanceOf: RetrievalError, code: 'ERR_ARGUMENT'});
		return error.message;
	};
	t.is(
		await refused({method: 'borda'}),
		'fusion: method: expected one of dprHybrid, hybrid, hybridNorm, interpolate, linear, rrf, got "borda"',
	);
	t.is(await refused({method: 'hybrid', alpha: Number.NaN}), 'fusion: alpha: expected a finite number, got NaN');
	t.is(await refused({method: 'hybrid'}), 'fusion: alpha: expected a finite number, got undefined');
	t.is(await refused({method: 'rrf', rankConstant: -1}), 'rankConstant: expected a finite number of at least 0, got -1');
});

test('a hybrid searcher retrieves `depth` hits from each of its searchers and fuses them', async t => {
	const requestedK: Array<number | undefined> = [];
	const searcher = (run: Run): Searcher => ({
		async search(_query, options) {
			requestedK.push(options?.k);
			return [...run.get('q')!];
		},
		async searchMany(queries, options) {
			requestedK.push(options?.k);
			return new Map(queries.map(({id}) => [id, run.get('q')!]));
		},
	});
	const hybrid = new HybridSearcher({dense: searcher(dense), sparse: searcher(sparse), fusion: {method: 'hybrid', alpha: 2}, depth: 7});

	const single = await hybrid.search('text', {k: 2});
	const many = await hybrid.searchMany([{id: 'x', text: 'text'}], {k: 2});

	t.deepEqual(single, [
		{id: 'b', score: 90},
		{id: 'c', score: 90},
	]);
	t.deepEqual(many.get('x'), single);
	// Both searchers were asked twice, for the single query and for the list of queries.
	t.deepEqual(requestedK, [7, 7, 7, 7]);

	const withThree = new HybridSearcher({searchers: [searcher(dense), searcher(sparse), searcher(sparse)], depth: 5});
	t.deepEqual(
		(await withThree.search('text', {k: 1})).map(({id}) => id),
		['c'],
	);
	const partial: Searcher = {search: async () => [], searchMany: async () => new Map()};
	await t.throwsAsync(new HybridSearcher({searchers: [searcher(dense), partial]}).searchMany([{id: 'q', text: 'x'}]), {
		code: 'ERR_ARGUMENT',
		message: /HybridSearcher: .*: expected a list of hits for each query, got none for "q"/u,
	});
	t.throws(() => new HybridSearcher({searchers: []}), {code: 'ERR_ARGUMENT'});
	t.throws(() => new HybridSearcher({searchers: [searcher(dense)], fusion: {method: 'hybrid', alpha: 1}}), {code: 'ERR_ARGUMENT'});
});
