// Tests the rank-sum test (Mann–Whitney U) against SciPy.
import test from 'ava';
import {rankSumTest, smallestSignificantShift} from '../../ts/index.ts';

test('a rank-sum test agrees with SciPy', async t => {
	// SciPy 1.17.1, mannwhitneyu(a, b, method="asymptotic"); the samples are those of SciPy's documentation.
	const result = await rankSumTest([19, 22, 16, 29, 24], [20, 11, 17, 12]);
	t.true(Math.abs(result.p - 0.111_346_886_533_140_41) < 1e-9, String(result.p));
	t.deepEqual([result.statistic, result.probability, result.counts], [17, 0.85, {a: 5, b: 4}]);
	// For groups of n and m values: √(n · m · (n + m + 1) / 12) / (n · m).
	t.true(Math.abs(result.standardError - Math.sqrt(200 / 12) / 20) < 1e-15);
	// Larger groups with ties, also computed with SciPy.
	const many = await rankSumTest(
		Array.from({length: 400}, (_, i) => ((7 * i) % 11) + 5),
		Array.from({length: 25}, (_, i) => (3 * i) % 13),
	);
	t.true(Math.abs(many.p / 1.322_018_408_342_685_7e-6 - 1) < 1e-9, String(many.p));
});

test('the smallest significant shift has exactly the given p-value', async t => {
	const result = await rankSumTest([19, 22, 16, 29, 24], [20, 11, 17, 12]);
	// A shift is the distance of `probability` from 0.5. The smallest significant one is 1.96 standard errors, plus the continuity
	// correction: half of one of the 5 · 4 pairs.
	const expected = 1.959_963_984_540_054 * result.standardError + 0.5 / 20;
	t.true(Math.abs(smallestSignificantShift(result, 0.05) - expected) < 1e-9);
	// For the p-value of the result, the smallest shift is the shift of the result, |0.85 − 0.5|.
	t.true(Math.abs(smallestSignificantShift(result, result.p) - 0.35) < 1e-9);
});

test('invalid samples are refused', async t => {
	const code = 'ERR_ARGUMENT';
	await t.throwsAsync(rankSumTest([], [1]), {code, message: /expected at least one in a, got none/u});
	await t.throwsAsync(rankSumTest([1], [Number.NaN]), {code, message: 'b[0]: expected a finite number, got NaN'});
	const result = await rankSumTest([1, 2], [3, 4]);
	t.throws(() => smallestSignificantShift(result, 1), {code, message: /expected a p between 0 and 1, got 1/u});
	t.throws(() => smallestSignificantShift({...result, counts: {a: 0, b: 2}}, 0.1), {code});
});
