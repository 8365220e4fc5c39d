// Runs the soak test of `soak.ts` on both kinds of dense index and checks that memory use stops growing.
import test from 'ava';
import {folder} from '../support/vectors.ts';
import {soak} from './soak.ts';

/** Minimum duration of the test of each kind of index: five minutes if `PASSAGEKIT_LONG` is set, otherwise eight seconds. */
const SECONDS = process.env['PASSAGEKIT_LONG'] ? 300 : 8;

for (const kind of ['flat', 'hnsw'] as const) {
	test.serial(`${kind}: no vector is lost and memory stops growing under mixed searches, changes and saves`, async t => {
		t.timeout((SECONDS + 120) * 1000);
		const report = await soak(kind, SECONDS, await folder(t));
		t.log(JSON.stringify(report));
		// From the fourth and fifth tenth of the duration (whichever is higher) to the last tenth, memory grows by less than
		// 10% plus 48 MiB. The 48 MiB allow for fluctuations of garbage collection.
		const [before, after] = [Math.max(...report.residentMiB.slice(3, 5)), report.residentMiB.at(-1)!];
		t.true(after < 1.1 * before + 48, `${before} MiB, then ${after}`);
	});
}
