// Tests curves of speed over recall in the benchmarks of vector search: interpolation at a recall, the choice of efforts
// to measure, and how recall is computed. An effort is the value of a search parameter, such as `efSearch`.
import test from 'ava';
import {compareWithTruth} from '../../benches/qps/vectors/data/truth.ts';
import {type Point, around, speedAt} from '../../benches/qps/vectors/results/curve.ts';

/** The measurements at one effort: a recall, and the queries per second of each round. */
const point = (effort: number, recall: number, ...speeds: number[]): Point => ({
	effort,
	recall,
	wall: speeds,
	cpu: speeds.map(speed => 2 * speed),
});

test('between two efforts, the logarithm of speed is linear in recall, separately for each round', t => {
	const points = [point(10, 0.9, 1000, 100), point(20, 0.98, 10, 1)];

	const at = speedAt(points, 0.94)!;

	// The geometric means of 1,000 and 10, and of 100 and 1.
	t.deepEqual(
		at.wall.map(speed => Math.round(1e6 * speed) / 1e6),
		[100, 10],
	);
	t.deepEqual(
		at.cpu.map(speed => Math.round(1e6 * speed) / 1e6),
		[200, 20],
	);
	t.false(at.atLeast);
});

test('below the recall of the smallest effort, the speed is a lower bound; above the recalls of all efforts, there is no speed', t => {
	const points = [point(10, 0.9, 1000), point(20, 0.98, 10)];

	t.like(speedAt(points, 0.8), {atLeast: true, wall: [1000]});
	t.like(speedAt(points, 0.9), {atLeast: false, wall: [1000]});
	t.is(speedAt(points, 0.99), undefined);
});

test('only the efforts with recalls between the smallest and the largest target, and the next one on each side, are measured', t => {
	const tried = [0.5, 0.8, 0.91, 0.96, 0.992, 0.999].map(recall => ({recall}));

	t.deepEqual(
		around(tried, [0.9, 0.99]).map(({recall}) => recall),
		[0.8, 0.91, 0.96, 0.992],
	);
	t.deepEqual(
		around(tried.slice(0, 4), [0.9, 0.99]).map(({recall}) => recall),
		[0.8, 0.91, 0.96],
	);
	t.deepEqual(
		around(tried.slice(0, 2), [0.9, 0.99]).map(({recall}) => recall),
		[0.5, 0.8],
	);
	t.deepEqual(around([{recall: 1}], []), [{recall: 1}]);
});

test('recall counts each row once, in any order; `identical` counts the queries with all true rows in the right order', t => {
	// The true rows of two queries: 100 per query are stored, and the first three are set here.
	const rows = new Int32Array(200);
	rows.set([7, 3, 5], 0);
	rows.set([1, 2, 4], 100);

	// The first query finds its three rows in another order. The second finds one of its rows, twice; −1 stands for a missing hit.
	const {recall, identical} = compareWithTruth(Int32Array.of(3, 7, 5, 1, 1, -1), {rows, checked: undefined}, 2, 3);

	t.is(recall, 4 / 6);
	t.is(identical, 0);
	t.is(compareWithTruth(Int32Array.of(7, 3, 5, 1, 2, 4), {rows, checked: undefined}, 2, 3).identical, 2);
});
