// Tests how two records of `benches/qps` are compared. A record has the queries per second and other results of one run of a benchmark.
import test from 'ava';
import {described} from '../../benches/qps/kinds.ts';
import {compareTable} from '../../benches/qps/report/compare/compare-table.ts';
import {change, compare as compareDescribed, verdict} from '../../benches/qps/report/compare/compare.ts';
import type {QpsRecord} from '../../benches/qps/report/records/record.ts';
import {bm25Record, vectorsRecord} from './qps-records.ts';

const compare = (newer: QpsRecord, older: QpsRecord) => compareDescribed(described(newer), described(older));

const rounded = (value: number): number => Number(value.toFixed(6));

test('the range of a ratio extends from new minimum / old maximum to new maximum / old minimum over the rounds', t => {
	const found = change({median: 120, least: 110, most: 125}, {median: 100, least: 80, most: 105});

	t.is(found.ratio, 1.2);
	t.is(rounded(found.min), rounded(110 / 105));
	t.is(rounded(found.max), 1.5625); // 125 / 80
	t.is(verdict(found), 'higher');
});

test('if the range of a ratio includes 1, the speeds count as the same', t => {
	t.is(verdict(change({median: 110, least: 99, most: 112}, {median: 100, least: 98, most: 100})), 'same');
	t.is(verdict(change({median: 90, least: 88, most: 97}, {median: 100, least: 98, most: 101})), 'lower');
});

test('records are compared system by system: speeds, index builds, agreement of hits, failures', t => {
	const older = bm25Record();
	const [lucene, passagekit, pisa] = older.results;
	const at = passagekit!.speed![10]!;
	const newer = {
		...older,
		results: [
			lucene!,
			{
				...passagekit!,
				built: {version: '2', seconds: 1, bytes: 6e6},
				speed: {10: {...at, wall: {median: 5000, least: 4900, most: 5100}, agreement: {...at.agreement!, identical: 100}}},
			},
			{...pisa!, failed: 'exit 1: gone'},
		],
	};

	const found = compare(newer, older);

	t.true(found.comparable);
	t.deepEqual(
		found.speeds.map(({entry, k}) => [entry, k]),
		[
			['Lucene', '10'],
			['passagekit', '10'],
		],
	);
	const {wall, cpu, identical, relative, bound} = found.speeds[1]!;
	t.is(wall.ratio, 1.25); // 5000 / 4000
	t.is(rounded(wall.min), rounded(4900 / 4080));
	t.is(rounded(wall.max), rounded(5100 / 3920));
	t.is(cpu.ratio, 1);
	t.is(bound, '');
	t.deepEqual(identical, {older: 99, newer: 100});
	t.deepEqual(relative, {to: 'Lucene', older: 4, newer: 4});
	t.deepEqual(found.builds[1], {
		entry: 'passagekit',
		version: {older: '1', newer: '2'},
		seconds: {older: 2, newer: 1, ratio: 0.5},
		bytes: {older: 3e6, newer: 6e6, ratio: 2},
	});
	t.deepEqual(found.unmatched, [{entry: 'PISA', reason: 'not measured: not set up → not measured: exit 1: gone'}]);
	t.regex(compareTable(found), /^passagekit +10 +4,000 +5,000 +1\.25 \(1\.20–1\.30\) +1\.00 .* faster +99 → 100 +4\.00 → 4\.00 Lucene$/mu);
});

test('records with a different CPU, CPU flags or data are not comparable; records with a different commit are', t => {
	const older = bm25Record();
	const machine = {...older.machine, cpu: 'Another CPU', flags: 'avx2', commit: 'def5678'};

	const found = compare({...older, machine}, older);

	t.false(found.comparable);
	t.deepEqual(found.differences, [
		{path: 'machine.cpu', older: 'A CPU', newer: 'Another CPU', matters: true},
		{path: 'machine.flags', older: 'avx2 fma', newer: 'avx2', matters: true},
		{path: 'machine.commit', older: 'abc1234', newer: 'def5678', matters: false},
	]);
	t.regex(compareTable(found), /^! machine\.cpu: A CPU → Another CPU$/mu);
	t.regex(compareTable(found), /^NOT COMPARABLE/mu);
	t.notRegex(compareTable(found), /faster|slower| = /u);
	t.true(compare({...older, machine: {...older.machine, commit: 'def5678'}}, older).comparable);
	t.false(compare({...older, data: {...older.data, corpus: {about: 'little', files: ['b.tsv']}}}, older).comparable);
});

test('changed options of a system are reported under its name; a small difference in memory size is not reported', t => {
	const older = vectorsRecord();
	const newer = {
		...older,
		machine: {...older.machine, memoryBytes: 15.9e9},
		definition: {...older.definition, systems: [{name: 'passagekit', system: 'passagekit', options: {m: 24}}]},
	};

	const {differences, comparable} = compare(newer, older);

	t.deepEqual(differences, [
		{
			path: 'definition.systems[passagekit]',
			older: '{"system":"passagekit","options":{"m":16}}',
			newer: '{"system":"passagekit","options":{"m":24}}',
			matters: false,
		},
	]);
	t.true(comparable);
});

test('records of vectors are compared by the speed at a recall, and by the recall at an effort', t => {
	// An effort is the value of a search parameter, such as `efSearch`.
	const found = compare(vectorsRecord([0.94, 0.98]), vectorsRecord([0.94, 0.97]));

	t.deepEqual(
		found.speeds.map(({entry, k, recall, wall}) => [entry, k, recall, wall.ratio]),
		[['passagekit', '10', 0.95, 1]],
	);
	t.deepEqual(found.recalls, [{entry: 'passagekit', k: '10', effort: 20, older: 0.97, newer: 0.98}]);
});

test('if one of two speeds is only a lower bound, their ratio is a lower or an upper bound', t => {
	const measured = vectorsRecord();
	const [result] = measured.results;
	const curve = result!.curves![10]!;
	const lowerBound = {...measured, results: [{...result!, curves: {10: {...curve, at: [{...curve.at[0]!, atLeast: true}]}}}]};

	t.is(compare(lowerBound, measured).speeds[0]!.bound, '≥');
	t.is(compare(measured, lowerBound).speeds[0]!.bound, '≤');
	t.is(compare(lowerBound, lowerBound).speeds[0]!.bound, '~', 'the ratio of two bounds is unknown');
});

test('a record of BM25 cannot be compared with one of vectors', t => {
	t.throws(() => compare(bm25Record(), vectorsRecord()), {message: 'expected two records of one kind, got small and vectors'});
});
