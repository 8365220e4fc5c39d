import test from 'ava';
import {type Point, around, speedAt} from '../../benches/qps/vectors/curve.ts';
import {judge} from '../../benches/qps/vectors/truth.ts';

const point = (effort: number, recall: number, ...speeds: number[]): Point => ({
	effort,
	recall,
	wall: speeds,
	cpu: speeds.map(speed => 2 * speed),
});

test('between two efforts the logarithm of speed is linear in recall, round by round', t => {
	const points = [point(10, 0.9, 1000, 100), point(20, 0.98, 10, 1)];

	const at = speedAt(points, 0.94)!;

	// Half way from 10³ to 10¹, and from 10² to 10⁰.
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

test('a recall that the least effort is above has a bound, one that none reaches has no speed', t => {
	const points = [point(10, 0.9, 1000), point(20, 0.98, 10)];

	t.like(speedAt(points, 0.8), {atLeast: true, wall: [1000]});
	t.like(speedAt(points, 0.9), {atLeast: false, wall: [1000]});
	t.is(speedAt(points, 0.99), undefined);
});

test('of the efforts tried, those around the targets are measured', t => {
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

test('recall counts a row once, and order only as identical', t => {
	const rows = new Int32Array(200);
	rows.set([7, 3, 5], 0);
	rows.set([1, 2, 4], 100);

	// Of the first query all three in another order, of the second one, found twice.
	const {recall, identical} = judge(Int32Array.of(3, 7, 5, 1, 1, -1), {rows, checked: undefined}, 2, 3);

	t.is(recall, 4 / 6);
	t.is(identical, 0);
	t.is(judge(Int32Array.of(7, 3, 5, 1, 2, 4), {rows, checked: undefined}, 2, 3).identical, 2);
});
