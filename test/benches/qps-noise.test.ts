// Tests when a record of `benches/qps` counts as noisy, which means that other work may have disturbed the measurement.
import test from 'ava';
import {coreTicks, stolenShare} from '../../benches/qps/harness/machine.ts';
import {described} from '../../benches/qps/kinds.ts';
import {type Noise, noise as noiseOf} from '../../benches/qps/report/records/noise.ts';
import type {QpsRecord} from '../../benches/qps/report/records/record.ts';
import {spread} from '../../benches/qps/statistics/statistics.ts';
import {bm25Record} from './qps-records.ts';

const noise = (record: QpsRecord): Noise => noiseOf(described(record));

test('the spread is half of the range, as a share of the median', t => {
	t.is(spread({median: 100, least: 90, most: 130}), 0.2);
});

test('a load average that the benchmark itself explains is not noise; the averages over 5 and 15 minutes are ignored', t => {
	t.deepEqual(noise(bm25Record({before: 1.5, after: 1.5})), {noisy: false, reasons: []});
});

test('a load of more than 1.5 is noise, before or after a benchmark on one thread', t => {
	const before = noise(bm25Record({before: 1.51}));
	t.true(before.noisy);
	t.deepEqual(before.reasons, ['The load before the run was 1.51; a benchmark explains at most 1.5.']);

	const after = noise(bm25Record({after: 5.46}));
	t.true(after.noisy);
	t.deepEqual(after.reasons, ['The load after the run was 5.46; a benchmark explains at most 1.5.']);
});

test('differences of more than 10% between rounds are noise if more than a quarter of the figures have them', t => {
	t.deepEqual(noise(bm25Record({spread: 0.1})).reasons, []);

	const wide = noise(bm25Record({spread: 0.12}));

	t.true(wide.noisy);
	t.deepEqual(wide.reasons, ['Rounds differ by more than ±10% in 2 of 2 figures; the widest is ±12% (Lucene, k = 10).']);
});

test('if only one of four figures differs between rounds, this is reported, but the record is not noisy', t => {
	const record = bm25Record();
	const [erratic] = bm25Record({spread: 0.3}).results;
	const quiet = [1, 2, 3].map(i => ({...record.results[0]!, name: `quiet ${i}`}));

	const {noisy, reasons} = noise({...record, results: [erratic!, ...quiet]});

	// One of four figures is a quarter, which is still allowed.
	t.false(noisy);
	t.deepEqual(reasons, ['Rounds differ by more than ±10% in 1 of 4 figures; the widest is ±30% (Lucene, k = 10).']);
});

test('a record with a single round counts as noisy', t => {
	t.true(noise(bm25Record({rounds: 1})).noisy);
});

test('each thread that the definition allows explains a load of 1', t => {
	const busy = bm25Record({after: 2.4});

	t.true(noise(busy).noisy);
	t.false(noise({...busy, definition: {...busy.definition, threads: 2}}).noisy);
	t.true(noise({...bm25Record({after: 2.6}), definition: {...busy.definition, threads: 2}}).noisy);
});

test('CPU time that the host takes from a virtual machine is noise', t => {
	const record = bm25Record();
	const stolen = (share: number): typeof record => ({...record, load: {...record.load, stolen: share}});

	t.deepEqual(noise(stolen(0.1)), {noisy: false, reasons: []});
	t.deepEqual(noise(stolen(0.234)), {noisy: true, reasons: ["The host gave 23% of the cores' busy time to other guests."]});
});

test('the stolen share is relative to the time in which cores were busy or waited for the host', t => {
	t.is(stolenShare({worked: 100, stolen: 10}, {worked: 190, stolen: 20}), 0.1);
	t.is(stolenShare({worked: 100, stolen: 10}, {worked: 100, stolen: 10}), 0);
	t.is(stolenShare(undefined, {worked: 1, stolen: 1}), undefined);
	const now = coreTicks();
	t.true(process.platform !== 'linux' || (now!.worked > 0 && now!.stolen >= 0));
});
