// What a BM25 entry comes to that is asked fewer queries than the reference.
import test from 'ava';
import {type Hits, agreement} from '../../benches/qps/bm25/agreement.ts';
import {speed} from '../../benches/qps/bm25/speed.ts';

const round = (wallNanos: number, cpuNanos: number, queryNanos: readonly number[] = []) => ({wallNanos, cpuNanos, queryNanos});

test('ratios are those of what a query takes, whatever the number of queries', t => {
	const reference = {rounds: [round(1e9, 5e8), round(2e9, 1e9)], queries: 1000};
	// A tenth of the queries in the same time: a tenth as fast by wall, a twentieth by CPU; then twice that.
	const {wall, wallRatio, cpuRatio} = speed({rounds: [round(1e9, 1e9), round(1e9, 1e9)], queries: 100}, reference);

	t.deepEqual(wall, {median: 100, least: 100, most: 100});
	t.deepEqual(wallRatio, {median: 0.15, least: 0.1, most: 0.2});
	t.deepEqual(cpuRatio, {median: 0.075, least: 0.05, most: 0.1});
});

test('latencies are of the queries asked, in microseconds', t => {
	const {p50, p99} = speed({rounds: [round(4000, 4000, [1000, 3000])], queries: 2});

	t.is(p50!.median, 1);
	t.is(p99!.median, 3);
});

test('agreement is judged by the queries that both were asked and either found something for', t => {
	const found: Hits = new Map([
		['1', [['a', 2]]],
		['2', [['a', 2]]],
	]);
	const reference: Hits = new Map([
		['1', [['a', 2]]],
		['2', [['b', 2]]],
		['4', [['c', 1]]],
	]);

	// Of 1 and 2 one is the same; nobody finds anything for 3; 4 was not asked.
	t.deepEqual(agreement(found, reference, ['1', '2', '3']), {queries: 2, identical: 1, overlapAt10: 0.5});
});
