import test from 'ava';
import {latencies, latencyFigures} from '../../benches/qps/latencies.ts';
import type {Result} from '../../benches/qps/vectors/definition.ts';
import {vectorsCharts} from '../../benches/qps/vectors/charts.ts';
import {speedAt} from '../../benches/qps/vectors/curve.ts';
import {summaries} from '../../benches/qps/vectors/summary.ts';
import {tables} from '../../benches/qps/vectors/table.ts';
import {vectorsTables} from '../../benches/qps/vectors/tables-html.ts';
import {vectorsRecord} from './qps-records.ts';

/** Of a thousand queries, which take 1 to 1,000 times as long as one, in another order. */
const round = (micros: number): readonly number[] => Array.from({length: 1000}, (_, i) => 1000 * micros * (1 + ((i * 7) % 1000)));

test('a percentile is the least time that as many queries do not exceed, in microseconds', t => {
	t.deepEqual(latencies(round(2)), {p50: 1000, p90: 1800, p95: 1900, p99: 1980, p999: 1998});
	t.deepEqual(latencies([5000]), {p50: 5, p90: 5, p95: 5, p99: 5, p999: 5});
	t.is(latencies([]), undefined);
});

test('rounds have a median, with least and most; batches have none', t => {
	const figures = latencyFigures([1, 3, 2].map(micros => latencies(round(micros))))!;

	t.deepEqual(figures.p50, {median: 1000, least: 500, most: 1500});
	t.deepEqual(figures.p999, {median: 1998, least: 999, most: 2997});
	t.is(latencyFigures([undefined, undefined]), undefined);
	t.is(latencyFigures([]), undefined);
});

const one = (micros: number) => latencies(round(micros))!;
const batch = [
	{effort: 10, recall: 0.9, wall: [1000], cpu: [1000]},
	{effort: 20, recall: 0.98, wall: [10], cpu: [10]},
];
const points = batch.map((point, i) => ({...point, latencies: [one(100 ** i)]}));

test('between two efforts the logarithm of a latency is linear in recall', t => {
	// Half way from 10⁰ to 10² times as long.
	t.is(Math.round(speedAt(points, 0.94)!.latencies![0]!.p50), 5000);
	t.is(speedAt(points, 0.9)!.latencies![0]!.p50, 500);
	t.false('latencies' in speedAt(batch, 0.94)!);
});

test('latencies of queries asked one by one are drawn and tabled, at each recall', t => {
	const {definition} = vectorsRecord();
	const [entry] = definition.systems;
	const named = {...definition, targets: {10: [0.94, 0.98]}};
	const result: Result = {entry: entry!, points: {10: points}, queries: 1000};
	const results = summaries(named, [result]);

	const ladder = vectorsCharts(named, results).find(chart => chart.kind === 'ladder');
	t.deepEqual(ladder?.recalls, {10: 0.94});
	t.deepEqual(
		ladder?.entries[0]!.of[10]!.map(([name, {median}]) => [name, median]),
		[
			['p50', 5000],
			['p90', 9000],
			['p95', 9500],
			['p99', 9900],
			['p999', 9990],
		],
	);
	t.regex(tables(named, results), /p50 \/ p99, µs +@10 \.94 +@10 \.98\npassagekit +5000 \/ 9900 +50000 \/ 99000/u);
	const record = {...vectorsRecord(), definition: named, results};
	const table = vectorsTables(record).figures.find(({caption}) => caption.includes('latencies'));
	t.deepEqual(
		table?.rows[0]!.cells.map(cell => cell.value),
		[5000, 9000, 9500, 9900, 9990, 50_000, 90_000, 95_000, 99_000, 99_900],
	);
});

test('where all are asked in batches, there is neither drawing nor table of latencies', t => {
	const {definition} = vectorsRecord();
	const results = summaries(definition, [{entry: definition.systems[0]!, points: {10: batch}, queries: 1000}]);

	t.false(vectorsCharts(definition, results).some(({kind}) => kind === 'ladder'));
	t.notRegex(tables(definition, results), /p50/u);
	t.false(vectorsTables({...vectorsRecord(), results}).figures.some(({caption}) => caption.includes('latencies')));
});
