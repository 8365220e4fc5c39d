/** Tests what happens when a node is killed, hangs, or is cut off from the others, and when the cluster is overloaded. */
import {setTimeout as delay} from 'node:timers/promises';
import {Client} from '@opensearch-project/opensearch';
import test, {type ExecutionContext} from 'ava';
import {RetrievalError} from '../../../ts/index.ts';
import type {OpenSearchClient, OpenSearchCollection} from '../../../ts/remote/index.ts';
import {cluster, create, newName} from './support.ts';

/** The hits of every query that these tests send: all passages of `seed` have the word `lamp`. */
const SEED = 200;

/** What a series of searches returned: how many were complete, and the errors of the others. */
interface Searched {
	complete: number;
	readonly errors: RetrievalError[];
	/** What was wrong with hits: a list that was short, or an error without a code. */
	readonly wrong: unknown[];
}

async function seeded(t: ExecutionContext): Promise<OpenSearchCollection> {
	const collection = await create(t, {timeoutMs: 2000, maxRetries: 30});
	await collection.push(Array.from({length: SEED}, (_, i) => ({id: `seed${i}`, text: `a lamp with number ${i}`})));
	await collection.refresh();
	await cluster().waitForNodes(3, true);
	return collection;
}

/** What the writes of a test did. */
interface Added {
	/** The ids of the documents that were acknowledged. */
	readonly acknowledged: Set<string>;
	readonly errors: unknown[];
}

/** Searches until `stop` aborts. Each search must return all passages, or fail with an error of this package. */
async function searchUntil(collection: OpenSearchCollection, searched: Searched, stop: AbortSignal): Promise<void> {
	while (!stop.aborted) {
		try {
			const {hits} = await collection.search('lamp', {k: SEED});
			if (hits.length === SEED) {
				searched.complete += 1;
			} else {
				searched.wrong.push(`${hits.length} hits`);
			}
		} catch (error) {
			if (error instanceof RetrievalError && error.code.startsWith('ERR_REMOTE')) {
				searched.errors.push(error);
			} else {
				searched.wrong.push(error);
			}
		}
		await delay(10);
	}
}

/** Adds documents in batches until `stop` aborts. */
async function addUntil(collection: OpenSearchCollection, {acknowledged, errors}: Added, stop: AbortSignal): Promise<void> {
	for (let batch = 0; !stop.aborted; batch++) {
		const documents = Array.from({length: 50}, (_, i) => ({id: `doc-${batch}-${i}`, text: `text ${batch} ${i}`}));
		try {
			await collection.add(documents);
			documents.forEach(({id}) => acknowledged.add(id));
		} catch (error) {
			errors.push(error);
		}
	}
}

/** Fails unless the index has every acknowledged document once, with its text. */
async function checkStored(t: ExecutionContext, collection: OpenSearchCollection, acknowledged: ReadonlySet<string>): Promise<void> {
	await collection.refresh();
	const texts = new Map<string, string>();
	for await (const {document, text} of collection.scan({filter: {not: {ids: Array.from({length: SEED}, (_, i) => `seed${i}`)}}})) {
		t.false(texts.has(document), `${document} is there twice`);
		texts.set(document, text);
	}
	for (const id of acknowledged) {
		t.is(texts.get(id), `text ${id.split('-').slice(1).join(' ')}`, `${id} is lost or differs`);
	}
}

/** How many documents were acknowledged and how many searches were complete so far. */
type Work = readonly [documents: number, searches: number];

/** Waits until there is more of both than in `before`, for at most a minute: on a busy machine, each can take seconds. */
async function progressed(work: () => Work, before: Work): Promise<boolean> {
	const isDone = (): boolean => work().every((count, i) => count > before[i]!);
	for (const end = performance.now() + 60_000; !isDone() && performance.now() < end; ) {
		await delay(50);
	}
	return isDone();
}

/** Runs searches and writes before, during and after a fault, and checks both. */
async function withFault(t: ExecutionContext, fault: () => Promise<void>, repair: () => Promise<void>): Promise<void> {
	const collection = await seeded(t);
	const stop = new AbortController();
	const added: Added = {acknowledged: new Set(), errors: []};
	const searched: Searched = {complete: 0, errors: [], wrong: []};
	const running = Promise.all([addUntil(collection, added, stop.signal), searchUntil(collection, searched, stop.signal)]);
	const work = (): Work => [added.acknowledged.size, searched.complete];
	const worked: boolean[] = [];
	try {
		worked.push(await progressed(work, [0, 0]));
		await fault();
		await delay(5000);
	} finally {
		await repair();
		worked.push(await progressed(work, work()));
		stop.abort();
		await running;
	}
	await cluster().waitForNodes(3, true);
	const {acknowledged, errors} = added;
	t.log(
		`${acknowledged.size} documents acknowledged, ${errors.length} calls failed; ${searched.complete} searches complete, ${searched.errors.length} failed`,
	);
	t.deepEqual(worked, [true, true], 'before the fault, and after the repair');
	t.deepEqual(searched.wrong, []);
	t.true(
		errors.every(error => error instanceof RetrievalError),
		String(errors[0]),
	);
	await checkStored(t, collection, acknowledged);
	const {hits} = await collection.search('lamp', {k: SEED});
	t.is(hits.length, SEED);
}

/** Returns the position of the node that manages the cluster, or of another one. */
async function nodeOf(role: 'manager' | 'other'): Promise<number> {
	const [manager] = await cluster().request<Array<{node: string}>>('/_cat/cluster_manager?format=json');
	const names = cluster().names;
	const at = names.indexOf(manager!.node);
	return role === 'manager' ? at : (at + 1) % names.length;
}

export function faultTests(): void {
	test.serial(
		'when the manager of the cluster is killed during writes and searches, nothing acknowledged is lost or doubled, and no list is short',
		async t => {
			const node = await nodeOf('manager');
			await withFault(
				t,
				async () => cluster().signal(node, 'SIGKILL'),
				async () => cluster().start(node),
			);
		},
	);

	test.serial('when a node hangs during writes and searches, nothing acknowledged is lost or doubled, and no list is short', async t => {
		const node = await nodeOf('other');
		await withFault(
			t,
			async () => cluster().signal(node, 'SIGSTOP'),
			async () => cluster().signal(node, 'SIGCONT'),
		);
	});

	test.serial(
		'when a node is cut off from the others during writes and searches, nothing acknowledged is lost or doubled, and no list is short',
		async t => {
			const node = await nodeOf('other');
			await withFault(
				t,
				async () => cluster().proxy(node).cut(),
				async () => cluster().proxy(node).restore(),
			);
		},
	);

	test.serial(
		'when a node is slow to reach during writes and searches, nothing acknowledged is lost or doubled, and no list is short',
		async t => {
			const node = await nodeOf('other');
			await withFault(
				t,
				async () => cluster().proxy(node).slow(150),
				async () => {
					// On a busy machine, it can take longer until enough data was delayed.
					for (const end = performance.now() + 60_000; cluster().proxy(node).delayedCount <= 100 && performance.now() < end; ) {
						await delay(50);
					}
					cluster().proxy(node).slow(0);
				},
			);
			t.true(cluster().proxy(node).delayedCount > 100, `${cluster().proxy(node).delayedCount}`);
		},
	);

	test.serial('a search of an index that lost a shard for good fails instead of returning the hits of the other shards', async t => {
		const name = newName();
		const collection = await create(t, {replicas: 0, maxRetries: 1}, name);
		await collection.push(Array.from({length: 60}, (_, i) => ({id: `p${i}`, text: 'a lamp'})));
		await collection.refresh();
		// A node can have several of the three shards, and another one none.
		const shards = await cluster().request<Array<{node: string}>>(`/_cat/shards/${name}?format=json`);
		const node = cluster().names.indexOf(shards[0]!.node.split(' ')[0]!);
		await cluster().signal(node, 'SIGKILL');
		try {
			await cluster().waitForNodes(2);
			const error = await t.throwsAsync(collection.search('lamp', {k: 60}), {instanceOf: RetrievalError});
			t.regex((error as RetrievalError).code, /^ERR_REMOTE/u);
			t.regex(error.message, /shard|not ready/u);
			await t.throwsAsync(collection.count(), {instanceOf: RetrievalError});
		} finally {
			cluster().start(node);
			await cluster().waitForNodes(3, true);
		}
		t.is((await collection.search('lamp', {k: 60})).hits.length, 60);
	});

	test.serial('an overloaded cluster slows writes down, and all passages are written once', async t => {
		const client = new Client({nodes: cluster().urls, maxRetries: 0});
		t.teardown(async () => client.close());
		let [rejected, requests] = [0, 0];
		const counting: OpenSearchClient = {
			transport: {
				request(params, options) {
					const sent = client.transport.request(params as never, options);
					if (params.path.endsWith('/_bulk')) {
						requests += 1;
						sent.then(
							({body}) => {
								const items = (body as {items: Array<{index: {status: number}}>}).items;
								rejected += items.some(({index}) => index.status === 429) ? 1 : 0;
							},
							(error: {statusCode?: number}) => {
								rejected += error.statusCode === 429 ? 1 : 0;
							},
						);
					}
					return sent as never;
				},
			},
			async close() {},
		};
		const collection = await create(t, {url: undefined, client: counting, maxRetries: 30});
		// A node accepts at most 3 MB of writes at a time (`indexing_pressure.memory.limit`), and this sends more.
		const word = 'lamp '.repeat(4000);
		const passages = Array.from({length: 600}, (_, i) => ({id: `p${i}`, text: `${word}${i}`}));
		t.deepEqual(await collection.push(passages, {workers: 4}), {passages: 600, written: 600});
		await collection.refresh();
		t.is(await collection.count(), 600);
		t.log(`${rejected} of ${requests} requests were rejected`);
		t.true(rejected > 0);
	});
}
