import test from 'ava';
import {type FusionMethod, HybridSearcher, RetrievalError, type Run, type Searcher, fuse} from '../../ts/index.ts';

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

async function fused(method: FusionMethod, k = 10): Promise<Array<[string, number]>> {
	const run = await fuse({dense, sparse}, method, {k});
	return run.get('q')!.map(({id, score}) => [id, score]);
}

test('dprHybrid weighs the dense score and counts a missing one as 0', async t => {
	// b: 1.5 · 78 + 6; a: 1.5 · 80; c: 1.5 · 70 + 10; d: 9
	t.deepEqual(await fused({method: 'dprHybrid', lambda: 1.5}), [
		['b', 123],
		['a', 120],
		['c', 115],
		['d', 9],
	]);
});

test('hybrid weighs the sparse score; of equal scores the first to appear stays first', async t => {
	// b: 78 + 2 · 6 = c: 70 + 2 · 10; a: 80; d: 2 · 9
	t.deepEqual(await fused({method: 'hybrid', alpha: 2}), [
		['b', 90],
		['c', 90],
		['a', 80],
		['d', 18],
	]);
});

test('hybridNorm fills in the lowest score that the list retrieved', async t => {
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

test('reciprocal rank fusion sees ranks alone', async t => {
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

test('min-max interpolation shares out one weight', async t => {
	// dense: a 1, b 0.8, c 0; sparse: c 1, d 0.75, b 0; a quarter and three quarters of them
	t.deepEqual(await fused({method: 'interpolate', alpha: 0.25, normalise: 'min-max'}), [
		['c', 0.75],
		['d', 0.5625],
		['a', 0.25],
		['b', Math.fround(0.2)],
	]);
});

test('a query that one run lacks is fused from the other alone', async t => {
	const run = await fuse({dense, sparse: new Map([['other', [{id: 'x', score: 3}]]])}, {method: 'hybrid', alpha: 2});
	t.deepEqual([...run.keys()], ['q', 'other']);
	t.deepEqual(run.get('other'), [{id: 'x', score: 6}]);
});

test('a method or weight that means nothing is refused with what was expected', async t => {
	const refused = async (fusion: unknown): Promise<string> => {
		const error = await t.throwsAsync(fuse({dense, sparse}, fusion as FusionMethod), {instanceOf: RetrievalError, code: 'ERR_ARGUMENT'});
		return error.message;
	};
	t.is(await refused({method: 'borda'}), 'fusion: method: expected one of dprHybrid, hybrid, hybridNorm, interpolate, rrf, got "borda"');
	t.is(await refused({method: 'hybrid', alpha: Number.NaN}), 'fusion: alpha: expected a finite number, got NaN');
	t.is(await refused({method: 'hybrid'}), 'fusion: alpha: expected a finite number, got undefined');
	t.is(await refused({method: 'rrf', rankConstant: -1}), 'rankConstant: expected a finite number of at least 0, got -1');
});

test('a hybrid searcher asks both parts for the depth and fuses what they say', async t => {
	const asked: Array<number | undefined> = [];
	const searcher = (run: Run): Searcher => ({
		async search(_query, options) {
			asked.push(options?.k);
			return [...run.get('q')!];
		},
		async searchMany(queries, options) {
			asked.push(options?.k);
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
	t.deepEqual(asked, [7, 7, 7, 7]);
});
