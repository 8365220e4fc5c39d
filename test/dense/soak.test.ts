// Runs the soak test of `soak.ts` on both kinds of dense index and checks that memory use stays flat.
import test from 'ava';
import {folder} from '../support/vectors.ts';
import {soak} from './soak.ts';

/** Five minutes per kind with `PASSAGEKIT_LONG`, otherwise a few seconds. */
const SECONDS = process.env['PASSAGEKIT_LONG'] ? 300 : 8;

for (const kind of ['flat', 'hnsw'] as const) {
	test.serial(`${kind}: no row is lost and memory stays flat under mixed search, add, delete, update and save`, async t => {
		t.timeout((SECONDS + 120) * 1000);
		const report = await soak(kind, SECONDS, await folder(t));
		t.log(JSON.stringify(report));
		// After the first third, memory grows by less than 10% plus 48 MiB, which allows for garbage-collection noise.
		const [before, after] = [Math.max(...report.residentMiB.slice(3, 5)), report.residentMiB.at(-1)!];
		t.true(after < 1.1 * before + 48, `${before} MiB, then ${after}`);
	});
}
