// Tests what writes send to a cluster, and what remains after failures at chosen requests, with a cluster in memory.
import {once} from 'node:events';
import {createServer} from 'node:http';
import type {AddressInfo} from 'node:net';
import test from 'ava';
import {RetrievalError} from '../../ts/index.ts';
import {OpenSearchCollection, RemoteWriteError} from '../../ts/remote/index.ts';
import {FakeCluster, answerError} from './fake/fake-cluster.ts';

test('an abort during a bulk write ends the call with the reason of its signal, whatever the reason is', async t => {
	for (const reason of [new Error('stop'), 'stop', null]) {
		const cluster = new FakeCluster();
		const collection = await cluster.create(t);
		const controller = new AbortController();
		cluster.onBulk = async () => {
			controller.abort(reason);
			throw Object.assign(new Error('aborted'), {name: 'RequestAbortedError'});
		};
		const {signal} = controller;
		for (const call of [
			async () => collection.add({id: 'a', text: 'x'}, {signal}),
			async () => collection.push([{id: 'a', text: 'x'}], {signal}),
		]) {
			const error: unknown = await call().then(
				() => 'none',
				(error_: unknown) => error_,
			);
			t.is(error, reason);
		}
	}
});

test('an abort, and a close, while the cluster does not answer a bulk write end the call with an error that says so', async t => {
	const cluster = new FakeCluster();
	const server = createServer((incoming, response) => {
		const chunks: Buffer[] = [];
		incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
		incoming.on('end', () => {
			const [path = ''] = incoming.url!.split('?');
			if (path.endsWith('/_bulk')) {
				server.emit('bulk');
				return;
			}
			const body = Buffer.concat(chunks).toString();
			const request = {method: incoming.method!, path, ...(body === '' ? {} : {body})};
			void Promise.resolve(cluster.transport.request(request)).then(answer => {
				const exists = incoming.method !== 'HEAD' || answer.body === true;
				response.writeHead(exists ? 200 : 404, {'content-type': 'application/json'});
				response.end(incoming.method === 'HEAD' ? undefined : JSON.stringify(answer.body));
			});
		});
	});
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	t.teardown(() => {
		server.closeAllConnections();
		server.close();
	});
	const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	const collection = await OpenSearchCollection.create('fake', {url, encoder: false, timeoutMs: 1000});
	const controller = new AbortController();
	const reason = new Error('stop');
	const adding = collection.add({id: 'a', text: 'x'}, {signal: controller.signal});
	await once(server, 'bulk');
	controller.abort(reason);
	t.is(await t.throwsAsync(adding), reason);
	const closed = collection.add({id: 'a', text: 'x'});
	await once(server, 'bulk');
	const [error] = await Promise.all([t.throwsAsync(closed, {instanceOf: RetrievalError}), collection.close()]);
	t.is((error as RetrievalError).code, 'ERR_CLOSED');
});

test('maxRetries limits how often a bulk write is repeated', async t => {
	for (const maxRetries of [0, 2]) {
		const overloaded = new FakeCluster();
		const one = await overloaded.create(t, {maxRetries});
		overloaded.onBulk = () => {
			throw answerError(429);
		};
		await t.throwsAsync(one.add({id: 'a', text: 'x'}), {code: 'ERR_REMOTE', message: /overloaded/u});
		t.is(overloaded.bulks.length, 1 + maxRetries);
		// The same for a request that succeeds, but whose writes the cluster has no memory for.
		const busy = new FakeCluster();
		const two = await busy.create(t, {maxRetries});
		busy.onWrite = () => ({create: {status: 429, error: {type: 'test_exception', reason: 'of a test'}}});
		await t.throwsAsync(two.add({id: 'a', text: 'x'}), {instanceOf: RemoteWriteError, message: /overloaded/u});
		t.is(busy.bulks.length, 1 + maxRetries);
	}
});

test('a bulk request asks for short answers, and for an end of its wait for a shard before the client gives up', async t => {
	const cluster = new FakeCluster();
	const collection = await cluster.create(t, {timeoutMs: 2000});
	await collection.add({id: 'a', text: 'x'});
	t.deepEqual(cluster.bulks[0]!.query, {timeout: '1500ms', filter_path: 'items.*.status,items.*.error'});
	// An answer of something that is not a cluster.
	cluster.onBulk = () => ({});
	await t.throwsAsync(collection.add({id: 'b', text: 'x'}), {
		instanceOf: RetrievalError,
		code: 'ERR_REMOTE',
		message: /expected the results of 1 writes, got 0/u,
	});
});

test('an error of add after the first batch still lists the writes that were refused', async t => {
	const cluster = new FakeCluster();
	const collection = await cluster.create(t);
	cluster.onWrite = ({id}) =>
		id === 'd1500#0' ? {create: {status: 400, error: {type: 'mapper_parsing_exception', reason: 'of a test'}}} : undefined;
	const error = await t.throwsAsync(collection.add(Array.from({length: 2000}, (_, i) => ({id: `d${i}`, text: 'x'}))), {
		instanceOf: RemoteWriteError,
		message: /The documents before it \(1024\) were added/u,
	});
	t.deepEqual(
		(error as RemoteWriteError).refused.map(({id, status, code}) => ({id, status, code})),
		[{id: 'd1500#0', status: 400, code: 'ERR_REMOTE'}],
	);
	t.true(error.cause instanceof RemoteWriteError);
});
