// Tests requests while the cluster changes: a node does not know the index, because it was disconnected when the index was created, an
// alias is moved, or its version is old.
import test, {type ExecutionContext} from 'ava';
import {OpenSearchCollection, type OpenSearchCreateOptions} from '../../ts/remote/index.ts';
import {FakeCluster} from './fake/fake-cluster.ts';
import {type OwnAnswer, serve} from './fake/serve.ts';

const missing = {type: 'index_not_found_exception', reason: 'no such index [fake]'};
const shards = {total: 1, successful: 1, failed: 0};

/** Starts a node. `knows` says whether it knows the index. `paths` gets the paths of requests that concern an index that exists. */
async function node(t: ExecutionContext, cluster: FakeCluster, knows: () => boolean, paths: string[]): Promise<string> {
	const {url} = await serve(t, cluster, (path): OwnAnswer | undefined => {
		if (path.endsWith('/_refresh')) {
			paths.push(path);
			return knows() ? {status: 200, body: {_shards: shards}} : {status: 404, body: {error: missing, status: 404}};
		}
		if (path.endsWith('/_msearch')) {
			paths.push(path);
			const found = {status: 200, _shards: shards, hits: {hits: [{_id: 'a#0', _index: 'fake', _score: 1}]}};
			return {status: 200, body: {responses: [knows() ? found : {error: missing, status: 404}]}};
		}
		return undefined;
	});
	return url;
}

test('a request that a node refuses because it does not know the index is sent to the other nodes', async t => {
	const cluster = new FakeCluster();
	const paths: string[] = [];
	const url = [await node(t, cluster, () => false, paths), await node(t, cluster, () => true, paths)];
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
	t.true(paths.length > 8, `${paths.length}: no request reached the node that does not know the index`);
});

test('an index that no node knows is reported after each node was asked once', async t => {
	const cluster = new FakeCluster();
	let isKnown = true;
	const paths: string[] = [];
	const url = [await node(t, cluster, () => isKnown, paths), await node(t, cluster, () => isKnown, paths)];
	const collection = await OpenSearchCollection.create('fake', {url, encoder: false});
	t.teardown(async () => collection.close());
	isKnown = false;
	for (const call of [async () => collection.refresh(), async () => collection.search('a word', {retriever: 'bm25'})]) {
		paths.length = 0;
		await t.throwsAsync(call(), {code: 'ERR_REMOTE', message: /no such index/u});
		t.is(paths.length, 2);
	}
});

test('all hits of searchMany are from one index, also if the alias is moved between its requests', async t => {
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
	t.is(progress.at(-1), 160);
	// Ten requests were sent, and then all of them again.
	t.is(searches, 20);
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
