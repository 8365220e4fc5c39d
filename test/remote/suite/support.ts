/** What the tests of a real cluster share. */
import type {ExecutionContext} from 'ava';
import type {Hit, Run} from '../../../ts/index.ts';
import {OpenSearchCollection, type OpenSearchCreateOptions} from '../../../ts/remote/index.ts';
import type {Cluster} from '../cluster/cluster.ts';

let current: Cluster | undefined;
let count = 0;

export function setCluster(cluster: Cluster): void {
	current = cluster;
}

/** The running cluster. */
export function cluster(): Cluster {
	return current!;
}

/** Returns a name that no index has yet. */
export function newName(): string {
	return `test-${count++}`;
}

/** Creates an index with three shards, which is deleted at the end of the test. */
export async function create(
	t: ExecutionContext,
	options: Partial<OpenSearchCreateOptions> = {},
	name = newName(),
): Promise<OpenSearchCollection> {
	const collection = await OpenSearchCollection.create(name, {url: cluster().urls, encoder: false, shards: 3, replicas: 1, ...options});
	t.teardown(async () => {
		await collection.close();
		await cluster().request(`/${name}`, undefined, 'DELETE');
	});
	return collection;
}

/** Fails unless two runs have the same passages in the same order, with scores that differ by at most `tolerance`. */
export function sameRuns(t: ExecutionContext, actual: Run, expected: Run, tolerance: number): void {
	t.is(actual.size, expected.size);
	for (const [query, hits] of expected) {
		sameHits(t, actual.get(query)!, hits, tolerance, query);
	}
}

/** Fails unless two lists have the same passages in the same order, with scores that differ by at most `tolerance`. */
export function sameHits(t: ExecutionContext, actual: readonly Hit[], expected: readonly Hit[], tolerance: number, query: string): void {
	t.deepEqual(
		actual.map(({id}) => id),
		expected.map(({id}) => id),
		query,
	);
	for (const [i, {score}] of expected.entries()) {
		const difference = Math.abs(actual[i]!.score - score);
		t.true(difference <= tolerance, `${query}: hit ${i} has score ${actual[i]!.score}, expected ${score}`);
	}
}
