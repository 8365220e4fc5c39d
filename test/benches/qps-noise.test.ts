import test from 'ava';
import {coreTicks, stolenShare} from '../../benches/qps/machine.ts';
import {described} from '../../benches/qps/kinds.ts';
import {type Noise, noise as noiseOf} from '../../benches/qps/report/noise.ts';
import type {QpsRecord} from '../../benches/qps/report/record.ts';
import {spread} from '../../benches/qps/statistics.ts';
import {bm25Record} from './qps-records.ts';

const noise = (record: QpsRecord): Noise => noiseOf(described(record));

test('a spread is half of least to most, as a share of the median', t => {
	t.is(spread({median: 100, least: 90, most: 130}), 0.2);
});

test('a load that the run itself explains is not noise, whatever the averages of five and fifteen minutes say', t => {
	t.deepEqual(noise(bm25Record({before: 1.5, after: 1.5})), {noisy: false, reasons: []});
});

test('a load above it is noise, before the run and after', t => {
	const before = noise(bm25Record({before: 1.51}));
	t.true(before.noisy);
	t.deepEqual(before.reasons, ['The load before the run was 1.51; the run itself explains 1.5.']);

	const after = noise(bm25Record({after: 5.46}));
	t.true(after.noisy);
	t.deepEqual(after.reasons, ['The load after the run was 5.46; the run itself explains 1.5.']);
});

test('rounds more than ten percent apart are noise where many figures have them', t => {
	t.deepEqual(noise(bm25Record({by: 0.1})).reasons, []);

	const wide = noise(bm25Record({by: 0.12}));

	t.true(wide.noisy);
	t.deepEqual(wide.reasons, ['Rounds are more than ±10% apart in 2 of 2 figures; most ±12% (Lucene, k = 10).']);
});

test('one erratic system among many is told, and does not make the machine noisy', t => {
	const record = bm25Record();
	const [erratic] = bm25Record({by: 0.3}).results;
	const quiet = [1, 2, 3].map(i => ({...record.results[0]!, name: `quiet ${i}`}));

	const {noisy, reasons} = noise({...record, results: [erratic!, ...quiet]});

	// A quarter of four figures, and no more.
	t.false(noisy);
	t.deepEqual(reasons, ['Rounds are more than ±10% apart in 1 of 4 figures; most ±30% (Lucene, k = 10).']);
});

test('of one round nothing is known', t => {
	t.true(noise(bm25Record({rounds: 1})).noisy);
});

test('threads of the definition are a load of its own', t => {
	const busy = bm25Record({after: 2.4});

	t.true(noise(busy).noisy);
	t.false(noise({...busy, definition: {...busy.definition, threads: 2}}).noisy);
	t.true(noise({...bm25Record({after: 2.6}), definition: {...busy.definition, threads: 2}}).noisy);
});

test('time that the host of a virtual machine gives to others is noise', t => {
	const record = bm25Record();
	const stolen = (share: number): typeof record => ({...record, load: {...record.load, stolen: share}});

	t.deepEqual(noise(stolen(0.1)), {noisy: false, reasons: []});
	t.deepEqual(noise(stolen(0.234)), {noisy: true, reasons: ['The host gave 23% of the time of cores with work to others.']});
});

test('the share of the host is of the time that cores worked or would have', t => {
	t.is(stolenShare({worked: 100, stolen: 10}, {worked: 190, stolen: 20}), 0.1);
	t.is(stolenShare({worked: 100, stolen: 10}, {worked: 100, stolen: 10}), 0);
	t.is(stolenShare(undefined, {worked: 1, stolen: 1}), undefined);
	const now = coreTicks();
	t.true(process.platform !== 'linux' || (now!.worked > 0 && now!.stolen >= 0));
});
