// Tests the statistics of the quick benchmark: medians, percentiles, noise and random numbers.
import test from 'ava';
import {noise} from '../../ts/bench/noise.ts';
import {uniform} from '../../ts/core/random.ts';
import {figure, median, percentile, spread} from '../../ts/bench/statistics.ts';

test('medians, spreads and percentiles equal values computed by hand', t => {
	t.is(median([3, 1, 2]), 2);
	t.is(median([4, 1, 3, 2]), 2.5);
	const summary = figure([90, 100, 130, 110, 80]);
	t.deepEqual(summary, {median: 100, least: 80, most: 130});
	t.is(spread(summary), 0.25);
	t.deepEqual(figure([123_456]), {median: 123_500, least: 123_500, most: 123_500});
	const values = Float64Array.from({length: 1000}, (_, i) => i + 1);
	t.deepEqual(
		[0.5, 0.99, 0.999, 1].map(share => percentile(values, share)),
		[500, 990, 999, 1000],
	);
	t.is(percentile([7], 0.5), 7);
});

test('a high load and large differences between rounds are reported as noise; small differences are not', t => {
	const speed = (name: string, least: number, most: number) => ({name, rate: {median: 100, least, most}});
	// The load averages over 1, 5 and 15 minutes, of which only the first counts.
	t.deepEqual(noise([0.2, 4, 4], [speed('a', 91, 109)]), []);
	t.deepEqual(noise([1.5, 1, 1], [speed('a', 91, 109)]), ['the load was 1.5 before the first round: other processes used the machine']);
	t.deepEqual(noise([0, 0, 0], [speed('a', 80, 110), speed('b', 95, 105), speed('c', 60, 120)]), [
		'rounds differ by more than ±10% in 2 of 3 figures, and by up to ±30% in "c"',
	]);
});

test('random numbers are uniform and reproducible', t => {
	const [next, again] = [uniform(42), uniform(42)];
	const values = Array.from({length: 10_000}, next);
	t.deepEqual(Array.from({length: 10_000}, again), values);
	t.true(values.every(value => value >= 0 && value < 1));
	// The mean of 10,000 numbers has a standard deviation of 0.0029, so it is within five standard deviations, 0.0145, of 0.5.
	t.true(Math.abs(values.reduce((sum, value) => sum + value, 0) / 10_000 - 0.5) < 0.015);
});
