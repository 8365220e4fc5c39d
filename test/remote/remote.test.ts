// Tests collections in a real OpenSearch cluster of three nodes, which this file starts and stops. The tests are in `suite/`. Those that stop
// nodes run first, one after another (`test.serial`); then the others run at the same time. Without Java and Maven, all are skipped.
import test from 'ava';
import {missingTools} from './cluster/build.ts';
import {Cluster} from './cluster/cluster.ts';
import {aliasTests} from './suite/alias.ts';
import {bm25Tests} from './suite/bm25.ts';
import {cliTests} from './suite/cli.ts';
import {denseTests} from './suite/dense.ts';
import {errorTests} from './suite/errors.ts';
import {documentTests} from './suite/documents.ts';
import {faultTests} from './suite/faults.ts';
import {setCluster} from './suite/support.ts';

const missing = process.platform === 'win32' ? 'stops processes with signals that Windows does not have' : await missingTools();

if (missing === undefined) {
	let cluster: Cluster | undefined;
	test.before('start the cluster', async () => {
		// Little memory for writes, so that a test can overload a node.
		cluster = await Cluster.start({'indexing_pressure.memory.limit': '3mb'});
		setCluster(cluster);
	});
	test.after.always('stop the cluster', async () => {
		await cluster?.stop();
	});
	faultTests();
	bm25Tests();
	documentTests();
	aliasTests();
	denseTests();
	errorTests();
	cliTests();
} else {
	console.error(`SKIPPED: all tests of collections in an OpenSearch cluster: ${missing}`);
	const declare = process.env['CI'] && process.platform === 'linux' ? test : test.skip;
	declare(`collections in an OpenSearch cluster (${missing})`, t => {
		t.fail(`CI must run these tests: ${missing}`);
	});
}
