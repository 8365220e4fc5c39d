// Tests paired significance tests, comparisons of evaluations, and corrections for multiple tests.
import test from 'ava';
import {
	type Qrels,
	RetrievalError,
	bonferroni,
	evaluate,
	holm,
	pairedTest,
	significance,
	smallestSignificantDifference,
} from '../../ts/index.ts';

/** Maps the queries q0, q1, … to these numbers. */
function values(numbers: readonly number[]): Map<string, number> {
	return new Map(numbers.map((value, i) => [`q${i}`, value]));
}

const better = values([0.35, 0.84, 0.15, 0.6, 0.17, 0.62, 0.7, 0.2, 0.55, 0.48]);
const worse = values([0.39, 0.75, 0.15, 0.5, 0.24, 0.51, 0.64, 0.22, 0.41, 0.3]);

test('a paired t-test agrees with SciPy', async t => {
	const result = await pairedTest(better, worse);
	// SciPy 1.17.1, ttest_rel
	t.true(Math.abs(result.p - 0.066_404_968_119_343_77) < 1e-12, String(result.p));
	t.true(Math.abs(result.statistic! - 2.087_938_598_252_366) < 1e-12, String(result.statistic));
	t.true(Math.abs(result.difference - 0.055) < 1e-15);
	t.is(result.queries, 10);
	t.is(result.missing, 0);
});

test('the smallest significant difference is t times the standard error, or a share of queries if no values differ', async t => {
	const result = await pairedTest(better, worse);
	t.true(Math.abs(result.standardError! - result.difference / result.statistic!) < 1e-15);
	// SciPy 1.17.1, t.ppf(0.995, 9) = 3.249835541592126
	const smallest = smallestSignificantDifference(result, 0.01);
	t.true(Math.abs(smallest - 3.249_835_541_592_126 * result.standardError!) < 1e-9, String(smallest));
	// If the difference is exactly the smallest one, p is 0.01.
	const shifted = new Map([...better].map(([query, value]) => [query, value + smallest - result.difference]));
	t.true(Math.abs((await pairedTest(shifted, worse)).p - 0.01) < 1e-9);
	// If no values differ, the result is the smallest share of the n queries that would have to differ: t² / (n − 1 + t²).
	const none = smallestSignificantDifference(await pairedTest(better, better), 0.01);
	t.true(Math.abs(none - 3.249_835_541_592_126 ** 2 / (9 + 3.249_835_541_592_126 ** 2)) < 1e-9, String(none));
	const bootstrapped = await pairedTest(better, worse, {test: 'bootstrap', rounds: 10});
	const error = t.throws(() => smallestSignificantDifference(bootstrapped, 0.01), {instanceOf: RetrievalError});
	t.is(error?.message, 'test: expected a paired-t test, which has a standardError, got one without');
	t.throws(() => smallestSignificantDifference(result, 0), {instanceOf: RetrievalError, message: /a p between 0 and 1, got 0/u});
});

test('a randomization test of few queries counts all permutations, as SciPy does, regardless of the seed', async t => {
	// SciPy 1.17.1, permutation_test with permutation_type='samples', n_resamples=inf
	for (const seed of [1, 2]) {
		const {p, statistic} = await pairedTest(better, worse, {test: 'randomization', seed, rounds: 1});
		t.is(p, 0.078_125);
		t.is(statistic, undefined);
	}
});

test('sampled tests give the same p for the same seed, and for many queries a p close to that of the t-test', async t => {
	const a = values(Array.from({length: 400}, (_, i) => ((7 * i) % 11) / 10 + 0.03));
	const b = values(Array.from({length: 400}, (_, i) => ((3 * i) % 11) / 10));
	const {p: expected} = await pairedTest(a, b);
	t.true(expected > 0.02 && expected < 0.2, String(expected));
	for (const name of ['randomization', 'bootstrap'] as const) {
		const {p} = await pairedTest(a, b, {test: name});
		t.is((await pairedTest(a, b, {test: name, rounds: 10_000, seed: 42})).p, p, 'these are the defaults');
		t.not((await pairedTest(a, b, {test: name, seed: 43})).p, p);
		// Tolerance: five standard errors of a share of 10,000 rounds, plus 0.005 because the tests agree only approximately for 400 queries.
		t.true(Math.abs(p - expected) < 5 * Math.sqrt(expected / 10_000) + 0.005, `${name}: ${p}, ${expected}`);
	}
});

test('only queries that occur in both maps are compared, and the number of other queries is reported', async t => {
	const a = new Map([
		['only a', 100],
		['q1', 1],
		['q2', 3],
		['q3', 2],
	]);
	const b = new Map([
		['q3', 1],
		['only b', 100],
		['q2', 1],
		['also only b', 100],
		['q1', 1],
	]);
	const {difference, queries, missing, statistic} = await pairedTest(a, b);
	t.deepEqual([difference, queries, missing], [1, 3, 3], 'the differences are 0, 2 and 1');
	// The standard deviation of the differences is 1, so t = 1 / (1 / √3).
	t.true(Math.abs(statistic! - Math.sqrt(3)) < 1e-12);
});

test('no difference gives p = 1, and in a t-test the same nonzero difference for every query gives p = 0', async t => {
	t.like(await pairedTest(better, better), {p: 1, statistic: 0, difference: 0});
	t.like(await pairedTest(values([1, 2, 3]), values([0, 1, 2])), {p: 0, statistic: Number.POSITIVE_INFINITY, difference: 1});
	t.is((await pairedTest(better, better, {test: 'bootstrap'})).p, 1);
	t.is((await pairedTest(better, better, {test: 'randomization'})).p, 1);
});

test('a measure of two evaluations is compared query by query', async t => {
	const qrels: Qrels = new Map(['q1', 'q2', 'q3'].map(query => [query, new Map([['p', 1]])]));
	/** Makes a run in which the relevant passage of query `q<i + 1>` has rank `ranks[i]`. */
	const found = (ranks: readonly number[]) =>
		new Map(
			ranks.map((rank, i) => [
				`q${i + 1}`,
				[...Array.from({length: rank - 1}, (_, at) => `x${at}`), 'p'].map((id, at) => ({id, score: -at})),
			]),
		);
	const a = await evaluate(found([1, 1, 2]), qrels, ['RR', 'P@1']);
	const b = await evaluate(found([2, 4, 2]), qrels, ['RR']);

	const result = await significance(a, b, 'RR');

	// The differences are 1/2, 3/4 and 0.
	t.like(result, {queries: 3, missing: 0});
	t.is(result.difference, 1.25 / 3);
	t.deepEqual(
		result,
		await pairedTest(
			new Map([
				['q1', 1],
				['q2', 1],
				['q3', 0.5],
			]),
			new Map([
				['q1', 0.5],
				['q2', 0.25],
				['q3', 0.5],
			]),
		),
	);
	await t.throwsAsync(significance(a, b as typeof a, 'P@1'), {
		code: 'ERR_ARGUMENT',
		message: 'measure of b: expected one of RR, got "P@1"',
	});
	await t.throwsAsync(significance(a, undefined as unknown as typeof a, 'RR'), {
		code: 'ERR_ARGUMENT',
		message: /^b: expected an evaluation/u,
	});
});

test('invalid comparisons are refused', async t => {
	const refused = async (...args: Parameters<typeof pairedTest>): Promise<string> =>
		(await t.throwsAsync(pairedTest(...args), {instanceOf: RetrievalError, code: 'ERR_ARGUMENT'})).message;
	t.is(await refused(better, new Map([['other', 1]])), 'a and b: expected queries in common, got none: a begins with "q0", b with "other"');
	t.is(await refused(new Map(), better), 'a and b: expected queries in common, got none: a begins with nothing, b with "q0"');
	t.is(await refused(values([1]), values([0])), 'values to compare: expected values for at least 2 queries, got 1');
	t.is(await refused(values([1, Number.NaN]), values([0, 1])), 'a: value of query "q1": expected a finite number, got NaN');
	t.is(
		await refused(values([1, 2]), values([0, undefined as unknown as number])),
		'b: value of query "q1": expected a finite number, got undefined',
	);
	t.is(await refused(better, worse, {test: 'sign' as 'bootstrap'}), 'test: expected one of paired-t, randomization, bootstrap, got "sign"');
	t.is(await refused(better, worse, {rounds: 0}), 'rounds: expected a whole number of at least 1, got 0');
	t.is(await refused(better, worse, {seed: -1}), 'seed: expected a whole number of at least 0, got -1');
	t.is(await refused([1, 2] as unknown as Map<string, number>, worse), 'a: expected a Map of query id to value, got an Array');
});

test('a sampled test reports progress and can be aborted', async t => {
	const many = values(Array.from({length: 1000}, (_, i) => i % 7));
	const none = values(Array.from({length: 1000}, () => 0));
	for (const name of ['randomization', 'bootstrap'] as const) {
		let last;
		await pairedTest(many, none, {test: name, rounds: 50, onProgress: progress => (last = progress)});
		t.deepEqual(last, {done: 50, total: 50});
		const controller = new AbortController();
		const running = pairedTest(many, none, {test: name, rounds: 4_000_000_000, signal: controller.signal});
		setTimeout(() => controller.abort(new Error('enough')), 20);
		await t.throwsAsync(running, {message: 'enough'});
	}
	await t.throwsAsync(pairedTest(many, none, {signal: AbortSignal.abort(new Error('before'))}), {message: 'before'});
});

test('corrections for multiple tests equal the values computed by hand', t => {
	// Multiples of 1/8 have no rounding errors.
	t.deepEqual(bonferroni([0.125, 0.5, 0.25]), [0.375, 1, 0.75]);
	// 3 · 1/8, 2 · 1/4, 1 · 1/2
	t.deepEqual(holm([0.125, 0.5, 0.25]), [0.375, 0.5, 0.5]);
	t.deepEqual([bonferroni([]), holm([])], [[], []]);
	for (const correct of [bonferroni, holm]) {
		t.throws(() => correct([0.5, 1.5]), {code: 'ERR_ARGUMENT', message: 'ps[1]: expected a number from 0 to 1, got 1.5'});
		t.throws(() => correct([Number.NaN]), {code: 'ERR_ARGUMENT'});
		t.throws(() => correct(0.5 as unknown as number[]), {code: 'ERR_ARGUMENT'});
	}
});
