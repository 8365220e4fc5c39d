/** Tests of aliases that move, and of indexes that are replaced, while collections are open. */
import type {IncomingMessage} from 'node:http';
import test, {type ExecutionContext} from 'ava';
import {OpenSearchCollection} from '../../../ts/remote/index.ts';
import {forwarding, serve} from './front.ts';
import {cluster, create, newName} from './support.ts';

const names = async (alias: string): Promise<string[]> => Object.keys(await cluster().request<object>(`/_alias/${alias}`)).sort();
const nameOf = async (collection: OpenSearchCollection): Promise<string> => (await collection.stats()).index;

/** Creates an index with one document, "a lamp". */
async function withLamp(t: ExecutionContext, id: string, options: Parameters<typeof create>[1] = {}): Promise<OpenSearchCollection> {
	const collection = await create(t, {vectors: {dim: 2, similarity: 'dot'}, encoder: false, shards: 1, ...options});
	await collection.add({id, text: 'a lamp', vector: [1, 2]});
	await collection.refresh();
	return collection;
}

/** Starts a server in front of a node that calls `before` before it forwards a request. */
async function front(t: ExecutionContext, before: (incoming: IncomingMessage) => Promise<void>): Promise<string> {
	const forward = forwarding(cluster().urls[0]!, () => true);
	return serve(t, (incoming, response) => {
		incoming.pause();
		void before(incoming).then(() => forward(incoming, response));
	});
}

export function aliasTests(): void {
	test.serial('reads fail after an alias was moved to an index with other settings, also if the answer is empty', async t => {
		const alias = newName();
		const old = await withLamp(t, 'old');
		await old.useAlias(alias);
		const other = await withLamp(t, 'other', {k1: 1.2, vectors: {dim: 2, similarity: 'l2'}});
		const calls: Record<string, (reader: OpenSearchCollection) => Promise<unknown>> = {
			search: async reader => reader.search('lamp', {retriever: 'bm25'}),
			'search without hits': async reader => reader.search('nothing', {retriever: 'bm25'}),
			get: async reader => reader.get(['old#0']),
			passagesOfDocument: async reader => reader.passagesOfDocument('old'),
			neighbors: async reader => reader.neighbors('old#0'),
			vectors: async reader => reader.vectors(['other#0']),
			count: async reader => reader.count(),
			'count of documents': async reader => reader.count({groupBy: 'document'}),
			scan: async reader => reader.scan().next(),
		};
		for (const [what, call] of Object.entries(calls)) {
			await old.useAlias(alias);
			await using reader = await OpenSearchCollection.open(alias, {url: cluster().urls});
			await other.useAlias(alias);
			await t.throwsAsync(call(reader), {code: 'ERR_REMOTE', message: /alias was moved and whose settings differ/u}, what);
		}
	});

	test.serial('all hits of an answer are from one index, although the alias is moved between a search and its repetition', async t => {
		const alias = newName();
		const [first, second] = [await withLamp(t, 'first'), await withLamp(t, 'second')];
		await first.useAlias(alias);
		let searches = 0;
		const forward = forwarding(cluster().urls[0]!, () => true);
		// The first answer is made of the lists of two indexes, as if the alias had been moved between the two searches.
		const url = await serve(t, (incoming, response) => {
			if (!incoming.url!.startsWith('/_msearch') || ++searches > 1) {
				forward(incoming, response);
				return;
			}
			void (async () => {
				const text = Buffer.concat(await incoming.toArray()).toString();
				const ask = async (): Promise<{responses: unknown[]}> =>
					(
						await fetch(`${cluster().urls[0]!}/_msearch`, {method: 'POST', headers: {'content-type': 'application/x-ndjson'}, body: text})
					).json() as Promise<{responses: unknown[]}>;
				const before = await ask();
				await second.useAlias(alias);
				const after = await ask();
				response.writeHead(200, {'content-type': 'application/json'});
				response.end(JSON.stringify({...after, responses: [before.responses[0], after.responses[1]]}));
			})();
		});
		await using reader = await OpenSearchCollection.open(alias, {url});
		const {hits} = await reader.search('lamp', {retriever: 'hybrid', vector: [1, 2], k: 10});
		t.deepEqual(
			hits.map(({id}) => id),
			['second#0'],
		);
		t.is(searches, 2);
	});

	test.serial('an index that was deleted and created again with other settings is noticed', async t => {
		const name = newName();
		const first = await create(t, {}, name);
		await first.add({id: 'a', text: 'a lamp'});
		await cluster().request(`/${name}`, undefined, 'DELETE');
		await using _second = await OpenSearchCollection.create(name, {url: cluster().urls, encoder: false, analyzer: 'simple'});
		await t.throwsAsync(first.add({id: 'b', text: 'a lamp'}), {
			code: 'ERR_REMOTE',
			message: /one that was deleted and created again, and whose settings differ; close the collection/u,
		});
	});

	test.serial('an index whose vectors have another dimension than it says is refused', async t => {
		const collection = await withLamp(t, 'a');
		const index = await nameOf(collection);
		const mapping = await cluster().request<Record<string, {mappings: {_meta: {passagekit: {vectors: object}}}}>>(`/${index}/_mapping`);
		const {passagekit} = mapping[index]!.mappings._meta;
		const wrong = {...passagekit, vectors: {...passagekit.vectors, dim: 3}};
		await cluster().request(`/${index}/_mapping`, {_meta: {passagekit: wrong}}, 'PUT');
		await using other = await OpenSearchCollection.open(index, {url: cluster().urls});
		await t.throwsAsync(other.vectors(['a#0']), {code: 'ERR_DIMENSION', message: /expected vectors of 3 numbers.*got 2 for "a#0"/u});
	});

	test.serial('calls that move an alias at the same time leave it on one index', async t => {
		for (const isNew of [true, false]) {
			const alias = newName();
			const collections = [await create(t), await create(t), await create(t)];
			if (!isNew) {
				await (await create(t)).useAlias(alias);
			}
			await Promise.all(collections.map(async collection => collection.useAlias(alias)));
			const owners = await names(alias);
			t.is(owners.length, 1, owners.join());
		}
	});

	test.serial('an alias that another call added to its index in between is moved all the same', async t => {
		const alias = newName();
		const [first, second] = [await create(t), await create(t)];
		const other = await nameOf(second);
		let posts = 0;
		const url = await front(t, async ({url: path, method}) => {
			if (method === 'POST' && path!.startsWith('/_aliases') && ++posts === 1) {
				await cluster().request('/_aliases', {actions: [{add: {index: other, alias}}]});
			}
		});
		await using moving = await OpenSearchCollection.open(await nameOf(first), {url});
		t.deepEqual(await moving.useAlias(alias, {deleteOld: true}), [other]);
		t.deepEqual(await names(alias), [await nameOf(first)]);
		// It did not have the alias when the call began, so it is not deleted.
		t.is(await second.count(), 0);
	});

	test.serial('an alias is moved once, and its old index deleted, although the answer is lost', async t => {
		const alias = newName();
		const [old, rebuilt] = [await create(t), await create(t)];
		await old.useAlias(alias);
		const [oldName, newIndex] = [await nameOf(old), await nameOf(rebuilt)];
		let posts = 0;
		const forward = forwarding(cluster().urls[0]!, () => true);
		const url = await serve(t, (incoming, response) => {
			if (incoming.method !== 'POST' || !incoming.url!.startsWith('/_aliases') || ++posts > 1) {
				forward(incoming, response);
				return;
			}
			void (async () => {
				const body: unknown = JSON.parse(Buffer.concat(await incoming.toArray()).toString());
				await cluster().request('/_aliases', body);
				response.destroy();
			})();
		});
		await using moving = await OpenSearchCollection.open(newIndex, {url});
		t.deepEqual(await moving.useAlias(alias, {deleteOld: true}), [oldName]);
		t.deepEqual(await names(alias), [newIndex]);
		t.is(posts, 2);
	});

	test.serial('names of several indexes, and those that OpenSearch does not accept, are refused', async t => {
		const url = 'http://127.0.0.1:1';
		const collection = await create(t);
		for (const name of [
			'docs*',
			'a,b',
			'a b',
			'Docs',
			'_all',
			'-x',
			'.',
			'..',
			'<docs-{now/d}>',
			'other:docs',
			'a/b',
			'a\n',
			'x'.repeat(256),
		]) {
			const refusal = {code: 'ERR_ARGUMENT', message: /expected a valid name of an index: up to 255 bytes in lowercase/u};
			await t.throwsAsync(OpenSearchCollection.open(name, {url}), refusal, name);
			await t.throwsAsync(OpenSearchCollection.create(name, {url, encoder: false}), refusal, name);
			await t.throwsAsync(collection.useAlias(name), refusal, name);
		}
	});
}
