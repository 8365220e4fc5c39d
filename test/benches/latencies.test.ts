// Tests the percentiles of latencies, and how they are interpolated, drawn and listed.
import test from 'ava';
import {latencies, latencyFigures} from '../../benches/qps/statistics/latencies.ts';
import {vectorsCharts} from '../../benches/qps/vectors/report/charts.ts';
import {vectorsTables} from '../../benches/qps/vectors/report/html-tables.ts';
import {tables} from '../../benches/qps/vectors/report/text-tables.ts';
import {speedAt} from '../../benches/qps/vectors/results/curve.ts';
import type {Result} from '../../benches/qps/vectors/results/result.ts';
import {summaries} from '../../benches/qps/vectors/results/summary.ts';
import {vectorsRecord} from './qps-records.ts';

/** One round: the latencies of 1,000 queries in nanoseconds, which are 1, 2, …, 1,000 times `micros` microseconds, shuffled. */
const round = (micros: number): readonly number[] => Array.from({length: 1000}, (_, i) => 1000 * micros * (1 + ((i * 7) % 1000)));

test('a percentile is the shortest time that this share of the queries does not exceed, in microseconds', t => {
	t.deepEqual(latencies(round(2)), {p50: 1000, p90: 1800, p95: 1900, p99: 1980, p999: 1998});
	t.deepEqual(latencies([5000]), {p50: 5, p90: 5, p95: 5, p99: 5, p999: 5});
	t.is(latencies([]), undefined);
});

test('percentiles have a median, minimum and maximum over the rounds; batches have no percentiles', t => {
	const figures = latencyFigures([1, 3, 2].map(micros => latencies(round(micros))))!;

	t.deepEqual(figures.p50, {median: 1000, least: 500, most: 1500});
	t.deepEqual(figures.p999, {median: 1998, least: 999, most: 2997});
	t.is(latencyFigures([undefined, undefined]), undefined);
	t.is(latencyFigures([]), undefined);
});

/** The percentiles of `round(micros)`. */
const percentiles = (micros: number) => latencies(round(micros))!;
/**
Points of a curve that was measured in batches, without latencies. `effort` is the value of a search parameter, such as
`efSearch`.
*/
const batchPoints = [
	{effort: 10, recall: 0.9, wall: [1000], cpu: [1000]},
	{effort: 20, recall: 0.98, wall: [10], cpu: [10]},
];
/** The same points, with latencies: those of the second point are 100 times those of the first. */
const points = batchPoints.map((point, i) => ({...point, latencies: [percentiles(100 ** i)]}));

test('between two values of effort, the logarithm of a latency is linear in recall', t => {
	// The geometric mean of 500 µs and 50,000 µs, because 0.94 is halfway between the recalls 0.9 and 0.98.
	t.is(Math.round(speedAt(points, 0.94)!.latencies![0]!.p50), 5000);
	t.is(speedAt(points, 0.9)!.latencies![0]!.p50, 500);
	t.false('latencies' in speedAt(batchPoints, 0.94)!);
});

test('latencies of single queries are charted at the smallest target recall, and are in tables at every target recall', t => {
	const {definition} = vectorsRecord();
	const [entry] = definition.systems;
	const withTargets = {...definition, targets: {10: [0.94, 0.98]}};
	const result: Result = {entry: entry!, points: {10: points}, queries: 1000};
	const results = summaries(withTargets, [result]);

	// At the recall 0.94, the latencies are interpolated between the two points; the second point has the recall 0.98.
	const chart = vectorsCharts(withTargets, results).find(each => each.kind === 'latencies');
	t.deepEqual(chart?.recalls, {10: 0.94});
	t.deepEqual(
		chart?.entries[0]!.percentiles[10]!.map(([name, {median}]) => [name, median]),
		[
			['p50', 5000],
			['p90', 9000],
			['p95', 9500],
			['p99', 9900],
			['p999', 9990],
		],
	);
	t.regex(tables(withTargets, results), /p50 \/ p99, µs +@10 \.94 +@10 \.98\npassagekit +5000 \/ 9900 +50000 \/ 99000/u);
	const record = {...vectorsRecord(), definition: withTargets, results};
	const table = vectorsTables(record).figures.find(({caption}) => caption.includes('latencies'));
	t.deepEqual(
		table?.rows[0]!.cells.map(cell => cell.value),
		[5000, 9000, 9500, 9900, 9990, 50_000, 90_000, 95_000, 99_000, 99_900],
	);
});

test('if all queries are measured in batches, there is neither a chart nor a table of latencies', t => {
	const {definition} = vectorsRecord();
	const results = summaries(definition, [{entry: definition.systems[0]!, points: {10: batchPoints}, queries: 1000}]);

	t.false(vectorsCharts(definition, results).some(({kind}) => kind === 'latencies'));
	t.notRegex(tables(definition, results), /p50/u);
	t.false(vectorsTables({...vectorsRecord(), results}).figures.some(({caption}) => caption.includes('latencies')));
});
