// Tests the ratios of `benches/qps` over records of several runs.
import test from 'ava';
import {described} from '../../benches/qps/kinds.ts';
import {daysTable, ratiosOverRuns} from '../../benches/qps/report/compare/days.ts';
import type {Bm25Record} from '../../benches/qps/bm25/kind.ts';
import {bm25Record, figure} from './qps-records.ts';

/** Makes a record of a day, with the ratio of passagekit to Lucene by CPU time; the one by wall time is greater by 1. */
function recordOf(day: string, ratio: number): Bm25Record {
	const record = bm25Record({date: `2026-01-${day}T03:04:05.000Z`});
	const [lucene, passagekit, ...others] = record.results;
	const speed = {10: {...passagekit!.speed![10]!, cpuRatio: figure(ratio), wallRatio: figure(ratio + 1)}};
	return {...record, results: [lucene!, {...passagekit!, speed}, ...others]};
}

test('the ratio over runs is the median of the medians, with the smallest and the largest', t => {
	const records = [recordOf('02', 6), recordOf('07', 4), recordOf('05', 5.5)].map(record => described(record));
	const ratios = ratiosOverRuns(records);
	t.deepEqual(ratios, [
		{
			entry: 'passagekit',
			k: '10',
			to: 'Lucene',
			runs: 3,
			cpu: {median: 5.5, least: 4, most: 6},
			wall: {median: 6.5, least: 5, most: 7},
		},
	]);
	const lines = daysTable(records).split('\n');
	t.deepEqual(lines.slice(0, 4), [
		'small',
		'2026-01-02 03:04  A CPU  abc1234',
		'2026-01-05 03:04  A CPU  abc1234',
		'2026-01-07 03:04  A CPU  abc1234',
	]);
	t.regex(lines.at(-1)!, /^passagekit +10 +Lucene +3 +5\.5 \(4\.0–6\.0\) +6\.5 \(5\.0–7\.0\)$/u);
});

test('an entry that was not measured in a run has fewer runs, and one without a ratio is left out', t => {
	const older = recordOf('02', 6);
	const without = {...older, results: older.results.filter(({name}) => name !== 'passagekit')};
	const ratios = ratiosOverRuns([described(recordOf('03', 5)), described(without)]);
	t.deepEqual(
		ratios.map(({entry, runs, cpu}) => [entry, runs, cpu.median]),
		[['passagekit', 1, 5]],
	);
});
