import test from 'ava';
import {folder} from '../support/vectors.ts';
import {soak} from './soak.ts';

/** Ten minutes, or some seconds. */
const SECONDS = process.env['PASSAGEKIT_LONG'] ? 300 : 8;

for (const kind of ['flat', 'hnsw'] as const) {
	test.serial(`${kind}: under mixed search, add, delete, update and save no row is lost and memory stays flat`, async t => {
		t.timeout((SECONDS + 120) * 1000);
		const report = await soak(kind, SECONDS, await folder(t));
		t.log(JSON.stringify(report));
		// After the first third, memory grows by less than a tenth and what a collection of garbage makes of it.
		const [before, after] = [Math.max(...report.residentMiB.slice(3, 5)), report.residentMiB.at(-1)!];
		t.true(after < 1.1 * before + 48, `${before} MiB, then ${after}`);
	});
}
