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
		t.true(report.searches > 100 && Object.keys(report.changes).length >= 8, 'all kinds of changes were made');
		// After the first third, memory grows by less than a tenth and what a collection of garbage makes of it.
		const [before, after] = [Math.max(...report.residentMiB.slice(3, 5)), report.residentMiB.at(-1)!];
		t.true(after < 1.1 * before + 48, `${before} MiB, then ${after}`);
		// Loosely: other processes share the cores, and the test's own work and the collector's are in it.
		t.true(report.loopDelayMs.p99 < 100, `timers were ${report.loopDelayMs.p99.toFixed(1)} ms late`);
		t.true((report.turnMs?.p99 ?? 0) < 20, `turns took ${report.turnMs?.p99.toFixed(1)} ms`);
	});
}
