// Tests the figures of a slow BM25 system, which is measured with fewer queries than the reference: the system that all others are
// compared with.
import test from 'ava';
import {type Hits, agreement} from '../../benches/qps/bm25/results/agreement.ts';
import {speed} from '../../benches/qps/bm25/results/speed.ts';

/** What was measured in one round: times of the whole round, and the latency of each query. */
const round = (wallNanos: number, cpuNanos: number, queryNanos: readonly number[] = []) => ({wallNanos, cpuNanos, queryNanos});

test('ratios compare the time per query, so the numbers of queries may differ', t => {
	const reference = {rounds: [round(1e9, 5e8), round(2e9, 1e9)], queries: 1000};
	// In the first round, a tenth of the queries takes the same wall time (ratio 0.1) and twice the CPU time (ratio
	// 0.05). In the second round, the reference takes twice as long, so both ratios double.
	const {wall, wallRatio, cpuRatio} = speed({rounds: [round(1e9, 1e9), round(1e9, 1e9)], queries: 100}, reference);

	t.deepEqual(wall, {median: 100, least: 100, most: 100});
	t.deepEqual(wallRatio, {median: 0.15, least: 0.1, most: 0.2});
	t.deepEqual(cpuRatio, {median: 0.075, least: 0.05, most: 0.1});
});

test('percentiles of latency are computed over the measured queries, in microseconds', t => {
	const {p50, p99} = speed({rounds: [round(4000, 4000, [1000, 3000])], queries: 2});

	t.is(p50!.median, 1);
	t.is(p99!.median, 3);
});

test('agreement counts the queries that both systems ran and for which at least one of them has hits', t => {
	const found: Hits = new Map([
		['1', [['a', 2]]],
		['2', [['a', 2]]],
	]);
	const reference: Hits = new Map([
		['1', [['a', 2]]],
		['2', [['b', 2]]],
		['4', [['c', 1]]],
	]);

	// Queries 1 and 2 count, and the hits of query 1 are identical. Neither system has hits for query 3, and only the reference ran query 4.
	t.deepEqual(agreement(found, reference, ['1', '2', '3']), {queries: 2, identical: 1, overlapAt10: 0.5});
});
