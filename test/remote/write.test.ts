// Tests what writes send to a cluster, and what remains after failures at chosen requests, with a cluster in memory.
import {once} from 'node:events';
import test from 'ava';
import {type Encoder, RetrievalError} from '../../ts/index.ts';
import {OpenSearchCollection, RemoteWriteError} from '../../ts/remote/index.ts';
import {FakeCluster, answerError} from './fake/fake-cluster.ts';
import {serve} from './fake/serve.ts';

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
	const {server, url} = await serve(t, cluster, path => {
		if (path.endsWith('/_bulk')) {
			server.emit('bulk');
			return null;
		}
		return undefined;
	});
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

/** A document `d` with this number of passages. */
function document(count: number, text = 'x'): {readonly id: string; readonly passages: ReadonlyArray<{readonly text: string}>} {
	return {id: 'd', passages: Array.from({length: count}, (_, i) => ({text: `${text} ${i}`}))};
}

/** The passages of a document `d`, with their ids. */
function passagesOf(count: number, text = 'x'): Array<{readonly id: string; readonly text: string}> {
	return document(count, text).passages.map((passage, i) => ({...passage, id: `d#${i}`}));
}

const changes: Readonly<Record<string, (collection: OpenSearchCollection, count: number) => Promise<unknown>>> = {
	upsert: async (collection, count) => collection.upsert(document(count, 'new')),
	push: async (collection, count) => collection.push(passagesOf(count, 'new')),
};

for (const [name, change] of Object.entries(changes)) {
	test(`${name}: a call that shrinks or grows a document and fails leaves only passages that a repetition or a delete removes`, async t => {
		for (const count of [1, 3, 8]) {
			for (const step of [0, 1, 2, 3]) {
				for (const isRepeated of [true, false]) {
					const cluster = new FakeCluster();
					const collection = await cluster.create(t);
					await collection.add(document(5));
					// Every bulk request of the call can be the one that fails. Some of its writes are done, and the others refused.
					const first = cluster.bulks.length + step;
					cluster.onWrite = ({action, id}) =>
						cluster.bulks.length > first && ['d#0', 'd#3', 'd#4'].includes(id) ? {[action]: {status: 400, error: {type: 't'}}} : undefined;
					await change(collection, count).catch(() => {});
					cluster.onWrite = () => undefined;
					const what = `${count} passages, request ${step + 1}`;
					if (isRepeated) {
						await change(collection, count);
						t.deepEqual(
							cluster.ids,
							passagesOf(count).map(({id}) => id),
							what,
						);
						t.is(cluster.stored.get('d#0')!.count, count);
					} else {
						await collection.delete('d');
						t.deepEqual(cluster.ids, [], what);
					}
				}
			}
		}
	});
}

test('a delete that fails leaves only passages that a repetition removes', async t => {
	for (const kept of ['d#0', 'd#2', 'd#4']) {
		const cluster = new FakeCluster();
		const collection = await cluster.create(t);
		await collection.add(document(5));
		cluster.onWrite = ({id}) => (id === kept ? {delete: {status: 400, error: {type: 'test_exception', reason: 'of a test'}}} : undefined);
		await t.throwsAsync(collection.delete('d'), {instanceOf: RemoteWriteError});
		t.true(cluster.ids.includes(kept));
		cluster.onWrite = () => undefined;
		t.is(await collection.delete(['d', '', 'unknown']), 1);
		t.deepEqual(cluster.ids, []);
	}
});

test('a push of a document with fewer passages deletes the others, but no passage that was pushed apart from them', async t => {
	const cluster = new FakeCluster();
	const collection = await cluster.create(t);
	const other = {id: 'other', text: 'x'};
	await collection.push([...passagesOf(5), other]);
	t.deepEqual(await collection.push([...passagesOf(3), other]), {passages: 4, written: 3});
	t.deepEqual(cluster.ids, ['d#0', 'd#1', 'd#2', 'other']);
	const [zero, one, two] = passagesOf(3) as [{id: string; text: string}, {id: string; text: string}, {id: string; text: string}];
	await collection.push([zero, other, one, two]);
	t.deepEqual(cluster.ids, ['d#0', 'd#1', 'd#2', 'other']);
	await collection.push([zero]);
	t.deepEqual(cluster.ids, ['d#0', 'd#1', 'd#2', 'other']);
});

test('pushed passages come after those that were added before, before those that are added later, and in the order of the source', async t => {
	const cluster = new FakeCluster();
	const collection = await cluster.create(t);
	await collection.add({id: 'z-first', text: 'x'});
	const source = Array.from({length: 2000}, (_, i) => ({id: `p${(i * 7919) % 2000}`, text: `${i}`}));
	const ids = source.map(({id}) => id);
	await collection.push(source);
	await collection.push([
		{id: 'b', text: 'x'},
		{id: 'a', text: 'x'},
	]);
	await collection.add({id: 'a-last', text: 'x'});
	t.deepEqual(cluster.order, ['z-first#0', ...ids, 'b', 'a', 'a-last#0']);
});

test('a push that was stopped continues with the order of the source', async t => {
	const source = Array.from({length: 3000}, (_, i) => ({id: `p${(i * 7919) % 3000}`, text: `${i}`}));
	const ids = source.map(({id}) => id);
	for (const failing of [1, 2, 3, 5]) {
		const cluster = new FakeCluster();
		const collection = await cluster.create(t);
		cluster.onBulk = number => {
			if (number === failing) {
				throw answerError(400);
			}
		};
		await t.throwsAsync(collection.push(source, {workers: 3}));
		const before = cluster.stored.size;
		t.true(before < 3000);
		t.deepEqual(await collection.push(source), {passages: 3000, written: 3000 - before});
		t.deepEqual(cluster.order, ids, `${failing}`);
	}
});

test('a passage that is inserted or changed is the only one that a push encodes and writes, and the others keep their order', async t => {
	const cluster = new FakeCluster();
	const encoded: string[] = [];
	const encoder: Encoder = {
		dim: 2,
		identity: 'test-encoder',
		async encode(inputs) {
			encoded.push(...inputs.map(input => (typeof input === 'string' ? input : input.text)));
			return {data: Float32Array.from(inputs.flatMap(() => [0.6, 0.8])), rows: inputs.length, dim: 2};
		},
	};
	const collection = await cluster.create(t, {encoder});
	const source = Array.from({length: 700}, (_, i) => ({id: `p${999 - i}`, text: `text ${i}`}));
	await collection.push(source);
	encoded.length = 0;
	const changed = [{id: 'new', text: 'inserted'}, ...source.slice(0, 9), {...source[9]!, text: 'changed'}, ...source.slice(10)];
	t.deepEqual(await collection.push(changed), {passages: 701, written: 2});
	t.deepEqual(encoded, ['inserted', 'changed']);
	t.deepEqual(
		cluster.order,
		changed.map(({id}) => id),
	);
	encoded.length = 0;
	// Other fields, but the same texts: written with the vectors that are stored.
	t.is((await collection.push(changed.map(passage => ({...passage, fields: {price: 1}})))).written, 701);
	t.deepEqual(encoded, []);
	t.deepEqual(cluster.stored.get('p999')!['vector'], [0.600000024, 0.800000012]);
});

test('ids and fields that a cluster refuses are errors before anything is sent', async t => {
	const cluster = new FakeCluster();
	const collection = await cluster.create(t);
	const long = 'é'.repeat(256);
	await collection.push([{id: long, text: 'x'}]);
	await collection.add({id: long.slice(1), text: 'x', fields: {f: 'é'.repeat(16_381)}});
	const before = cluster.bulks.length;
	const fields = {color: ['red', 'é'.repeat(16_380)]};
	for (const [call, message] of [
		[collection.push([{id: `${long}x`, text: 'x'}]), /passages\[0\]: id: expected at most 512 bytes .*, got 513/u],
		[collection.push([{id: '', text: 'x'}]), /passages\[0\]: id: expected the id of a passage of a document, got ""/u],
		[collection.push([{id: '#0', text: 'x'}]), /passages\[0\]: id: .*got "#0", whose document has no id/u],
		[collection.push([{id: 'a', text: 'x', fields}]), /"a": fields: expected at most 32763 bytes .*, got 32765 in "color"/u],
		[collection.add({id: long, text: 'x'}), /add: documents\[0\]: id: expected at most 512 bytes .*, got 514/u],
		[collection.upsert({id: 'a', text: 'x', fields}), /upsert: documents\[0\]: fields: .*, got 32765 in "color"/u],
		[collection.setFields('a', fields), /setFields: fields: .*, got 32765 in "color"/u],
		[collection.push([{id: 'a', text: 'x', vector: null as never}]), /"a": vector: expected none, .*got null/u],
		[collection.setFields('', {}), /expected the id of a document of the index, got ""/u],
	] as const) {
		await t.throwsAsync(call, {instanceOf: RetrievalError, code: 'ERR_ARGUMENT', message});
	}
	const vectors = await new FakeCluster().create(t, {vectors: {dim: 2, similarity: 'dot'}});
	await t.throwsAsync(vectors.push([{id: 'a', text: 'x', vector: null as never}]), {code: 'ERR_ARGUMENT', message: /"a": vector: .*null/u});
	t.is(cluster.bulks.length, before);
});

test('a push leaves time for timers while it reads a long source', async t => {
	const cluster = new FakeCluster();
	const collection = await cluster.create(t);
	const text = 'word '.repeat(20_000);
	let [ticks, ticksOfReading] = [0, 0];
	const timer = setInterval(() => {
		ticks += 1;
	}, 1);
	// The index is asked for the passages of a batch when the batch has been read.
	cluster.onRequest = ({path}) => {
		ticksOfReading ||= path.endsWith('/_mget') ? ticks : 0;
	};
	await collection.push(Array.from({length: 300}, (_, i) => ({id: `p${i}`, text}))).finally(() => clearInterval(timer));
	t.true(ticksOfReading > 30, `${ticksOfReading}`);
});
