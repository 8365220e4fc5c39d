// Tests requests to a cluster that differs from what a call expects: a node does not know the index, because it was disconnected when the index
// was created; an alias is moved, or an index deleted, during a call; or the version of the cluster is old.
import test, {type ExecutionContext} from 'ava';
import {OpenSearchCollection, type OpenSearchCreateOptions} from '../../ts/remote/index.ts';
import {FakeCluster} from './fake/fake-cluster.ts';
import {type OwnAnswer, serve} from './fake/serve.ts';

const missing = {type: 'index_not_found_exception', reason: 'no such index [fake]'};
const shards = {total: 1, successful: 1, failed: 0};

/** Starts a node. `knows` says whether it knows the index. Its name is added to `asked` for each request that concerns an index that exists. */
async function node(t: ExecutionContext, cluster: FakeCluster, name: string, knows: () => boolean, asked: string[]): Promise<string> {
	const {url} = await serve(t, cluster, (path, lines): OwnAnswer | undefined => {
		if (path.endsWith('/_refresh')) {
			asked.push(name);
			return knows() ? {status: 200, body: {_shards: shards}} : {status: 404, body: {error: missing, status: 404}};
		}
		if (path.endsWith('/_msearch')) {
			asked.push(name);
			const found = {status: 200, _shards: shards, hits: {hits: [{_id: 'a#0', _index: 'fake', _score: 1}]}};
			const responses = lines.filter((_, i) => i % 2 === 0).map(() => (knows() ? found : {error: missing, status: 404}));
			return {status: 200, body: {responses}};
		}
		return undefined;
	});
	return url;
}

test('a request that a node refuses because it does not know the index is sent to the other nodes', async t => {
	const cluster = new FakeCluster();
	const asked: string[] = [];
	const url = [await node(t, cluster, 'stale', () => false, asked), await node(t, cluster, 'other', () => true, asked)];
	const collection = await OpenSearchCollection.create('fake', {url, encoder: false, maxRetries: 0});
	t.teardown(async () => collection.close());
	for (let i = 0; i < 4; i++) {
		await collection.refresh();
		const {hits} = await collection.search('a word', {retriever: 'bm25'});
		t.deepEqual(
			hits.map(({id}) => id),
			['a#0'],
		);
	}
	// Several requests at a time use the addresses in another order.
	const searcher = await collection.searcher('bm25');
	const run = await searcher.searchMany(
		Array.from({length: 64}, (_, i) => ({id: `q${i}`, text: 'a word'})),
		{threads: 4},
	);
	t.is(run.size, 64);
	t.true(asked.includes('stale'));
});

test('an index that no node knows is reported after each node was asked', async t => {
	const cluster = new FakeCluster();
	let isKnown = true;
	const asked: string[] = [];
	const url = [await node(t, cluster, 'a', () => isKnown, asked), await node(t, cluster, 'b', () => isKnown, asked)];
	const collection = await OpenSearchCollection.create('fake', {url, encoder: false});
	t.teardown(async () => collection.close());
	isKnown = false;
	for (const call of [async () => collection.refresh(), async () => collection.search('a word', {retriever: 'bm25'})]) {
		asked.length = 0;
		await t.throwsAsync(call(), {code: 'ERR_REMOTE', message: /no such index/u});
		t.deepEqual([...new Set(asked)].toSorted(), ['a', 'b']);
		t.is(asked.length, 7);
	}
});

test('all hits of searchMany are from one index, even if the alias is moved between its requests', async t => {
	const cluster = new FakeCluster();
	let searches = 0;
	const {url} = await serve(t, cluster, path => {
		if (!path.endsWith('/_msearch')) {
			return undefined;
		}
		searches += 1;
		cluster.index = searches < 3 ? 'fake' : 'fake-2';
		const found = {status: 200, _shards: shards, hits: {hits: [{_id: `of ${cluster.index}`, _index: cluster.index, _score: 1}]}};
		return {status: 200, body: {responses: Array.from({length: 16}, () => found)}};
	});
	await using collection = await OpenSearchCollection.create('fake', {url, encoder: false});
	const searcher = await collection.searcher('bm25');
	const queries = Array.from({length: 160}, (_, i) => ({id: `q${i}`, text: 'a word'}));
	const progress: number[] = [];
	const run = await searcher.searchMany(queries, {threads: 1, onProgress: ({done}) => void progress.push(done)});
	t.deepEqual(new Set([...run.values()].flat().map(({id}) => id)), new Set(['of fake-2']));
	t.is(run.size, 160);
	t.deepEqual(
		progress,
		progress.toSorted((a, b) => a - b),
	);
	t.is(progress.at(-1), 160);
	t.is(progress.filter(done => done === 160).length, 1);
	// The third request found that the alias was moved; then all ten were sent.
	t.is(searches, 13);
});

test('vectors that an old version of the cluster does not have are refused before the index is created', async t => {
	const create = async (version: string, options: Partial<OpenSearchCreateOptions>): Promise<void> => {
		const cluster = new FakeCluster();
		cluster.version = version;
		await (await cluster.create(t, options)).close();
	};
	const quantized = {vectors: {dim: 2, storage: 'int8Rescored'}} as const;
	await t.throwsAsync(create('2.15.0', quantized), {
		code: 'ERR_REMOTE',
		message: /2\.16 or later for the storage int8Rescored, got 2\.15\.0/u,
	});
	const dot = {vectors: {dim: 2, similarity: 'dot'}} as const;
	await t.throwsAsync(create('2.12.0', dot), {code: 'ERR_REMOTE', message: /2\.13 or later for the similarity dot, got 2\.12\.0/u});
	await create('2.16.0', quantized);
	await create('2.13.0', dot);
	await create('3.0.0', quantized);
	await create('2.0.0', {vectors: {dim: 2, similarity: 'l2'}});
	await create('2.0.0', {});
});

test('a write that a node refuses because it does not know the index is repeated', async t => {
	const cluster = new FakeCluster();
	const collection = await cluster.create(t);
	let refused = 0;
	cluster.onWrite = () => (refused++ < 2 ? {create: {status: 404, error: missing}} : undefined);
	await collection.add([
		{id: 'a', text: 'x'},
		{id: 'b', text: 'y'},
	]);
	t.deepEqual(cluster.ids, ['a#0', 'b#0']);
	t.true(refused > 2);
});

test('a call during which its index is deleted fails, instead of writing to the index that the cluster then creates', async t => {
	for (const call of ['add', 'push'] as const) {
		const cluster = new FakeCluster();
		const collection = await cluster.create(t);
		cluster.onBulk = () => {
			cluster.recreate();
		};
		await t.throwsAsync(collection[call]([{id: 'a', text: 'x'}]), {
			code: 'ERR_REMOTE',
			message: /fake: expected the index that the call began with, got one that was deleted during the call/u,
		});
	}
});
