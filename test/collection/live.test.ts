// Tests live collections, which `Collection.open` creates and which can change: documents, commits, searches, filters, encoders and errors.
import {once} from 'node:events';
import {mkdtemp, readFile, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {Worker} from 'node:worker_threads';
import test, {type ExecutionContext} from 'ava';
import {
	Collection,
	type CollectionOptions,
	type CollectionSearchOptions,
	type Document,
	type Encoder,
	type Filter,
	type Include,
	RetrievalError,
} from '../../ts/index.ts';
import {packageRoot} from '../../ts/core/native/addon.ts';
import {highestOfThreeCounts, settlesAtOnce} from '../support/event-loop.ts';

const lamps: Document[] = [
	{id: 'lamp-1', title: 'Desk lamp', text: 'A lamp with a long cable for the desk.', fields: {price: 39, category: 'desk', inStock: true}},
	{id: 'lamp-2', title: 'Reading light', text: 'A reading light without a cable.', fields: {price: 25, category: 'light', inStock: true}},
	{
		id: 'lamp-3',
		title: 'Floor lamp',
		text: 'A tall lamp of steel for the living room.',
		fields: {price: 120, category: 'floor', inStock: false},
	},
];

/** Returns the path for a new collection, in a temporary folder that is removed after the test. */
async function collectionPath(t: ExecutionContext): Promise<string> {
	const path = await mkdtemp(join(tmpdir(), 'passagekit-live-'));
	t.teardown(async () => rm(path, {recursive: true, force: true}));
	return join(path, 'index');
}

/** Creates a collection without an encoder, whose documents have vectors of two numbers unless `options` changes that. */
async function newCollection(t: ExecutionContext, options: CollectionOptions = {}): Promise<Collection> {
	const docs = await Collection.open(await collectionPath(t), {create: true, encoder: false, vectors: {dim: 2}, ...options});
	t.teardown(async () => docs.close({discard: true}));
	return docs;
}

test('documents can be added, searched in three ways with a filter, and used to answer a question', async t => {
	const path = await collectionPath(t);
	const docs = await Collection.open(path, {create: true});
	t.is(await docs.add(lamps), 3);
	t.deepEqual((await docs.search('lamp')).hits, [], 'nothing is visible before the commit');
	t.is(await docs.commit(), 1);
	for (const retriever of ['bm25', 'dense', 'hybrid'] as const) {
		const found = await docs.search('reading light', {
			retriever,
			k: 5,
			filter: {price: {lt: 50}, category: ['light', 'desk']},
			include: ['text', 'title', 'fields', 'highlights'],
		});
		const [best] = found.hits;
		t.is(found.retriever, retriever);
		t.is(best!.id, 'lamp-2#0');
		t.is(best!.document, 'lamp-2');
		t.is(best!.title, 'Reading light');
		t.deepEqual(best!.fields, lamps[1]!.fields);
		t.deepEqual(
			best!.highlights!.map(({start, end}) => best!.text!.slice(start, end)),
			['reading', 'light'],
		);
		t.false(found.hits.some(({document}) => document === 'lamp-3'));
	}
	const {answers, passages} = await docs.ask('Which light has no cable?', {filter: {inStock: true}});
	t.true(answers.length > 0);
	t.false(passages.some(({id}) => id.startsWith('lamp-3')));
	await docs.close();
	await t.throwsAsync(docs.search('lamp'), {instanceOf: RetrievalError, code: 'ERR_CLOSED'});

	await using again = await Collection.open(path, {create: true});
	t.is((await again.stats()).documents, 3);
	t.is((await again.search('reading light', {k: 1})).hits[0]!.document, 'lamp-2');
});

test('documents are replaced and deleted with all of their passages', async t => {
	const docs = await newCollection(t, {split: {words: 3}, vectors: undefined});
	await docs.add({id: 'a', text: 'one two three four five six seven'});
	await docs.add({id: 'b', text: 'one', fields: {n: 1}});
	await docs.commit();
	t.deepEqual(
		(await docs.passagesOfDocument('a')).map(({id, text}) => [id, text]),
		[
			['a#0', 'one two three'],
			['a#1', 'four five six'],
			['a#2', 'seven'],
		],
	);
	t.deepEqual(
		(await docs.neighbors('a#1')).map(({id}) => id),
		['a#0', 'a#1', 'a#2'],
	);
	t.deepEqual(
		(await docs.neighbors({id: 'a#0'}, {after: 1})).map(({id}) => id),
		['a#0', 'a#1'],
	);
	await docs.upsert([{id: 'a', text: 'eight nine'}]);
	await docs.commit();
	t.is((await docs.passagesOfDocument('a')).length, 1);
	t.deepEqual((await docs.search('seven')).hits, []);
	t.is(await docs.delete({filter: {n: {gte: 1}}}), 1);
	t.is(await docs.delete(['a', 'unknown']), 1);
	await docs.commit();
	t.is((await docs.stats()).documents, 0);
	t.deepEqual((await docs.search('eight')).hits, []);
});

test('vectors that come with the documents are used as they are', async t => {
	const docs = await newCollection(t);
	await docs.add([
		{id: 'x', text: 'east', vector: [2, 0]},
		{id: 'y', text: 'north', vector: Float32Array.of(0, 3)},
		{
			id: 'z',
			passages: [
				{text: 'up', vector: [1, 1]},
				{text: 'down', vector: [-1, -1]},
			],
		},
	]);
	await docs.commit();
	const {hits} = await docs.search('', {retriever: 'dense', vector: [1, 0.1], k: 2});
	t.deepEqual(
		hits.map(({id}) => id),
		['x#0', 'z#0'],
	);
	t.deepEqual([...(await docs.vectors(['x#0', 'y#0']))], [1, 0, 0, 1]);
	const error = await t.throwsAsync(docs.search('east'), {code: 'ERR_ARGUMENT'});
	t.regex(error!.message, /without an encoder/u);
});

test('of several calls that create a collection at the same time, one creates it, and the others open it', async t => {
	for (let round = 0; round < 5; round++) {
		const path = await collectionPath(t);
		const opened = await Promise.all(Array.from({length: 4}, async () => Collection.open(path, {create: true, encoder: false})));
		await opened[0]!.upsert([{id: 'a', text: 'one'}]);
		await opened[0]!.commit();
		await opened[3]!.refresh();
		t.is((await opened[3]!.search('one')).hits.length, 1);
		await Promise.all(opened.map(async docs => docs.close()));
	}
});

test('settings that are not those of an existing collection are refused', async t => {
	const path = await collectionPath(t);
	const vectors = {dim: 2, similarity: 'l2', m: 8, seed: 7} as const;
	const settings = {encoder: false, analyzer: 'simple', split: {words: 50}, vectors} as const;
	await (await Collection.open(path, {create: true, ...settings})).close();
	await (await Collection.open(path, {create: true, ...settings})).close();
	await t.throwsAsync(Collection.open(path, {create: true, analyzer: 'english'}), {code: 'ERR_ANALYZER_MISMATCH'});
	await t.throwsAsync(Collection.open(path, {split: false}), {
		code: 'ERR_ARGUMENT',
		message: /split: expected \{words: 50, overlap: 0, wrap: false\}, with which the collection was created, got false/u,
	});
	await t.throwsAsync(Collection.open(path, {vectors: {similarity: 'dot'}}), {
		message: /vectors: similarity: expected "l2", with which the collection was created, got "dot"/u,
	});
	await t.throwsAsync(Collection.open(path, {vectors: {efConstruction: 100}}), {
		message: /vectors: efConstruction: expected 200, with which the collection was created, got 100/u,
	});
	await (await Collection.open(path, {vectors: {layout: 'fast', efConstruction: 200}})).close();
	const words = await collectionPath(t);
	await (await Collection.open(words, {create: true, encoder: false})).close();
	const message = /vectors: m: expected none, since the collection has no vectors, got 8/u;
	await t.throwsAsync(Collection.open(words, {vectors: {m: 8}}), {message});
	await t.throwsAsync(newCollection(t, {vectors: {m: 8}}), {message});
});

test('a missing file of the last commit is reported as damage', async t => {
	const path = await collectionPath(t);
	const docs = await Collection.open(path, {create: true, encoder: false, vectors: {dim: 2}});
	await docs.add({id: 'a', text: 'one', vector: [1, 0]});
	await docs.close();
	await rm(join(path, 'vectors-1.log'));
	await t.throwsAsync(Collection.open(path), {
		code: 'ERR_INDEX_CORRUPT',
		message: /vectors-1\.log: expected a file of the last commit, got no such file/u,
	});
});

test('an encoder that is not that of an existing collection is refused when it is opened', async t => {
	const path = await collectionPath(t);
	const docs = await Collection.open(path, {create: true, encoder: 'tiny-encoder', encoderOptions: {normalize: true}});
	await docs.upsert({id: 'a', text: 'one'});
	await docs.close();
	const code = 'ERR_ENCODER_MISMATCH';
	await t.throwsAsync(Collection.open(path, {encoder: false}), {
		code,
		message: /\(tiny-encoder\), got false; searches with the retriever bm25/u,
	});
	await t.throwsAsync(Collection.open(path, {encoder: 'no-such-model'}), {code: 'ERR_MODEL_MISSING'});
	await t.throwsAsync(Collection.open(path, {encoder: 'minilm-encoder'}), {code: 'ERR_DIMENSION'});
	// A model under another name may be the same one.
	const folder = join(packageRoot, 'models', 'tiny-encoder');
	const again = await Collection.open(path, {encoder: folder, encoderOptions: {normalize: true}});
	t.is((await again.search('one')).hits.length, 1);
	await again.close();
	await t.throwsAsync(Collection.open(path, {encoder: folder}), {code});
	const words = await collectionPath(t);
	await (await Collection.open(words, {create: true, encoder: false})).close();
	for (const options of [{encoder: 'tiny-encoder'}, {create: true, encoder: 'tiny-encoder'}, {questionEncoder: 'tiny-encoder'}]) {
		await t.throwsAsync(Collection.open(words, options), {
			code,
			message: /expected none, since the collection was created without vectors/u,
		});
	}
});

test('ids of another type are refused', async t => {
	const docs = await newCollection(t);
	await t.throwsAsync(docs.get('a#0' as never), {code: 'ERR_ARGUMENT', message: /^get: ids: expected an array of strings/u});
	await t.throwsAsync(docs.vectors([1] as never), {code: 'ERR_ARGUMENT', message: /^vectors: ids\[0\]: expected a string, got number/u});
});

test('the pages of a dense search after the first hundred hits come from one list', async t => {
	const docs = await newCollection(t, {vectors: {dim: 16, m: 4, efConstruction: 20}});
	const random = randomGenerator(5);
	const vector = (): number[] => Array.from({length: 16}, () => random() - 0.5);
	await docs.add(Array.from({length: 4000}, (_, i) => ({id: `d${i}`, text: 'a', vector: vector()})));
	await docs.commit();
	await docs.optimize();
	const options = {vector: vector(), retriever: 'dense'} as const;
	const ids: string[] = [];
	for (let offset = 100; offset < 400; offset += 20) {
		ids.push(...(await docs.search('query', {...options, k: 20, offset})).hits.map(({id}) => id));
	}
	t.is(new Set(ids).size, 300);
	t.deepEqual(
		ids,
		(await docs.search('query', {...options, k: 300, offset: 100})).hits.map(({id}) => id),
	);
});

test('the pages of a hybrid search after the first hundred hits have the order of one list', async t => {
	const docs = await newCollection(t);
	const random = randomGenerator(3);
	await docs.add(
		Array.from({length: 600}, (_, i) => ({
			id: `d${i}`,
			text: `bridge ${'stone '.repeat(i % 7)}`,
			vector: [random() - 0.5, random() - 0.5],
		})),
	);
	await docs.commit();
	const options = {vector: [1, 0.3], fusion: {method: 'rrf'}} as const;
	const pages = [];
	for (let offset = 100; offset < 300; offset += 20) {
		pages.push(...(await docs.search('bridge', {...options, k: 20, offset})).hits);
	}
	t.deepEqual(pages, (await docs.search('bridge', {...options, k: 200, offset: 100})).hits);
	t.is(new Set(pages.map(({id}) => id)).size, 200);
});

test('a search does not wait for a change, even if it looks for commits', async t => {
	const docs = await newCollection(t, {vectors: undefined, refreshMs: 0});
	await docs.add([{id: 'a', text: 'one'}]);
	await docs.commit();
	async function* searching(): AsyncGenerator<Document> {
		const {hits} = await docs.search('one');
		yield {id: 'b', text: `one ${hits.length}`};
	}
	t.is(await docs.add(searching()), 1);
	await docs.commit();
	t.is((await docs.search('one')).hits.length, 2);
});

test('a change that waits for another one can be aborted at once', async t => {
	const docs = await newCollection(t, {vectors: undefined});
	let release!: () => void;
	const released = new Promise<void>(resolve => {
		release = resolve;
	});
	async function* slow(): AsyncGenerator<Document> {
		await released;
		yield {id: 'slow', text: 'slow'};
	}
	const first = docs.add(slow());
	const controller = new AbortController();
	const waiting = docs.add([{id: 'aborted', text: 'a'}], {signal: controller.signal});
	const last = docs.add([{id: 'last', text: 'b'}], {signal: new AbortController().signal});
	controller.abort(new Error('enough'));
	await t.throwsAsync(waiting, {message: 'enough'});
	release();
	t.deepEqual(await Promise.all([first, last]), [1, 1]);
	await docs.commit();
	t.is((await docs.stats()).documents, 2);
});

test('a blank query has no hits and no answers', async t => {
	const docs = await Collection.open(await collectionPath(t), {create: true});
	t.teardown(async () => docs.close());
	await docs.add(lamps);
	await docs.commit();
	for (const query of ['', ' \n\u00A0']) {
		for (const retriever of ['bm25', 'dense', 'hybrid'] as const) {
			t.deepEqual(await docs.search(query, {retriever}), {hits: [], retriever});
		}
		t.deepEqual(await docs.ask(query), {answers: [], passages: [], retriever: 'hybrid'});
	}
	const {answers, passages} = await docs.ask('How long does the battery last?');
	t.deepEqual([answers[0]!.document, passages[0]!.document], [answers[0]!.passageId.split('#')[0], passages[0]!.id.split('#')[0]]);
});

test('searches can page through the hits, and return each document once with groupBy', async t => {
	const docs = await newCollection(t, {split: {words: 2}, vectors: undefined});
	await docs.add(Array.from({length: 9}, (_, i) => ({id: `d${i}`, text: 'stone bridge '.repeat(i + 1)})));
	await docs.commit();
	const all = (await docs.search('bridge', {k: 100})).hits;
	t.is(all.length, 45);
	const pages = [];
	for (let offset = 0; offset < 45; offset += 7) {
		pages.push(...(await docs.search('bridge', {k: 7, offset})).hits);
	}
	t.deepEqual(pages, all);
	const documents = (await docs.search('bridge', {k: 100, groupBy: 'document'})).hits.map(({document}) => document);
	t.is(new Set(documents).size, 9);
	t.is(documents.length, 9);
});

test('fields can be replaced without encoding texts again, counted, and used to sort', async t => {
	let encoded = 0;
	const encoder: Encoder = {
		dim: 2,
		identity: 'counting',
		async encode(inputs) {
			encoded += inputs.length;
			return {data: new Float32Array(inputs.length * 2).fill(1), rows: inputs.length, dim: 2};
		},
	};
	const docs = await Collection.open(await collectionPath(t), {create: true, encoder});
	t.teardown(async () => docs.close());
	await docs.add(lamps);
	await docs.commit();
	t.is(encoded, 3);
	await docs.setFields('lamp-3', {price: 99, category: 'floor', inStock: true});
	await docs.upsert([lamps[0]!, {...lamps[1]!, text: 'Another text.'}]);
	await docs.commit();
	t.is(encoded, 4, 'only the text that changed is encoded again');
	t.deepEqual(await docs.facets('inStock'), [{value: true, count: 3}]);
	t.deepEqual(
		(await docs.list({sortBy: 'price', order: 'descending', k: 2})).map(({document}) => document),
		['lamp-3', 'lamp-1'],
	);
	t.is(await docs.count({filter: {price: {lt: 50}}}), 2);
	const seen: string[] = [];
	for await (const {document} of docs) {
		seen.push(document);
	}
	t.deepEqual(seen.sort(), ['lamp-1', 'lamp-2', 'lamp-3']);
	await t.throwsAsync(docs.setFields('unknown', {}), {code: 'ERR_ARGUMENT', message: /expected a document of the collection/u});
});

test('the encoder of a collection is checked when it is opened', async t => {
	const path = await collectionPath(t);
	const makeEncoder = (identity: string, dim = 2): Encoder => ({
		dim,
		identity,
		encode: async inputs => ({data: new Float32Array(inputs.length * dim).fill(1), rows: inputs.length, dim}),
	});
	const docs = await Collection.open(path, {create: true, encoder: makeEncoder('first')});
	await docs.add({id: 'a', text: 'a text'});
	await docs.close();
	await t.throwsAsync(Collection.open(path, {encoder: makeEncoder('second')}), {code: 'ERR_ENCODER_MISMATCH'});
	await t.throwsAsync(Collection.open(path, {encoder: makeEncoder('first', 3)}), {code: 'ERR_DIMENSION'});
	const without = await Collection.open(path);
	t.is((await without.search('text', {retriever: 'bm25'})).hits.length, 1, 'close() committed the change');
	await t.throwsAsync(without.search('text'), {code: 'ERR_ARGUMENT', message: /expected the encoder .*\(first\)/u});
	await without.close();
	await using again = await Collection.open(path, {encoder: makeEncoder('first')});
	t.is((await again.search('text')).hits.length, 1);
});

test('a second writer is refused with an error that says where the first one is, and readers see commits after a refresh', async t => {
	const path = await collectionPath(t);
	await using writer = await Collection.open(path, {create: true, encoder: false});
	await writer.add({id: 'a', text: 'a bridge'});
	await writer.commit();
	await using reader = await Collection.open(path);
	await t.throwsAsync(reader.add({id: 'b', text: 'b'}), {code: 'ERR_INDEX_LOCKED', message: /one in this process/u});
	await writer.add({id: 'b', text: 'another bridge'});
	await writer.commit();
	t.is((await reader.search('bridge')).hits.length, 1);
	t.true(await reader.refresh());
	t.is((await reader.search('bridge')).hits.length, 2);
	t.false(await reader.refresh());
});

test('a reader with refreshMs sees the commits of a writer without a call of refresh', async t => {
	const path = await collectionPath(t);
	await using writer = await Collection.open(path, {create: true, encoder: false, autoCommit: true});
	await using reader = await Collection.open(path, {refreshMs: 0});
	for (let i = 1; i <= 3; i++) {
		await writer.add({id: `d${i}`, text: 'a bridge'});
		t.is((await reader.search('bridge')).hits.length, i);
	}
	await using rarelyRefreshed = await Collection.open(path, {refreshMs: 1e9});
	t.is((await rarelyRefreshed.search('bridge')).hits.length, 3);
	await writer.add({id: 'd4', text: 'a bridge'});
	t.is((await rarelyRefreshed.search('bridge')).hits.length, 3);
});

test('several threads can share a collection, which stays open until the last of them closes it', async t => {
	const docs = await newCollection(t);
	await docs.add({id: 'a', text: 'a bridge', vector: [1, 0]});
	await docs.commit();
	const worker = new Worker(
		`const {parentPort, workerData} = require('node:worker_threads');
		import(workerData.module).then(async ({Collection}) => {
			const docs = await Collection.attach(workerData.handle, {encoder: false});
			await docs.add({id: 'b', text: 'another bridge', vector: [0, 1]});
			await docs.commit();
			const {hits} = await docs.search('bridge', {retriever: 'bm25'});
			await docs.close();
			parentPort.postMessage(hits.length);
		});`,
		{eval: true, workerData: {handle: docs.share(), module: new URL('../../dist/ts/index.js', import.meta.url).href}},
	);
	t.deepEqual(await once(worker, 'message'), [2]);
	await worker.terminate();
	t.is((await docs.search('bridge', {retriever: 'bm25'})).hits.length, 2, 'the change of the other thread is visible');
	const handle = docs.share();
	await docs.close();
	await t.throwsAsync(Collection.attach(handle), {code: 'ERR_ARGUMENT', message: /open in this process/u});
});

test('a missing collection, an unknown version, a damaged description file and a folder with other files are refused', async t => {
	const path = await collectionPath(t);
	await t.throwsAsync(Collection.open(path), {code: 'ERR_IO'});
	await (await Collection.open(path, {create: true, encoder: false})).close();
	const description = join(path, 'passagekit.json');
	const text = await readFile(description, 'utf8');
	await writeFile(description, text.replace('"version": 2', '"version": 3'));
	await t.throwsAsync(Collection.open(path), {code: 'ERR_INDEX_VERSION'});
	await writeFile(description, text.replace(/"id": "./u, '"id": "x'));
	await t.throwsAsync(Collection.open(path), {code: 'ERR_INDEX_CORRUPT'});
	await writeFile(description, Buffer.from(text.replace(/"id": "./u, '"id": "\u{ff}'), 'latin1'));
	await t.throwsAsync(Collection.open(path), {code: 'ERR_INDEX_CORRUPT', message: /not UTF-8/u});
	await rm(description);
	await writeFile(join(path, 'notes.txt'), 'mine');
	await t.throwsAsync(Collection.open(path, {create: true, encoder: false}), {code: 'ERR_ARGUMENT', message: /notes\.txt/u});
});

test('a built collection refuses changes, and reading the manifest of a live collection fails', async t => {
	const path = await collectionPath(t);
	await using built = await Collection.build([{id: 'p', text: 'a stone bridge'}], path, {encoder: false});
	t.deepEqual((await built.search('bridge', {include: ['text']})).hits[0], {
		...(await built.search('bridge')).hits[0]!,
		text: 'a stone bridge',
	});
	for (const call of [
		async () => built.add({id: 'a', text: 'x'}),
		async () => built.commit(),
		async () => built.stats(),
		async () => built.search('bridge', {groupBy: 'document'}),
		async () => Collection.open(path, {split: false}),
	]) {
		await t.throwsAsync(call(), {code: 'ERR_ARGUMENT', message: /Collection\.build made/u});
	}
	const live = await newCollection(t);
	t.throws(() => live.manifest, {code: 'ERR_ARGUMENT', message: /which changes/u});
});

test('changes are committed one after another in the order of the calls, while searches run', async t => {
	const docs = await newCollection(t, {autoCommit: true});
	const changes = [];
	for (let i = 0; i < 40; i++) {
		changes.push(docs.upsert({id: `d${i % 10}`, text: `bridge ${i}`, vector: [1, i]}));
	}
	let searches = 0;
	const searching = (async () => {
		for (; searches < 50; searches++) {
			const {hits} = await docs.search('bridge', {retriever: 'bm25', k: 100});
			t.true(hits.length <= 10);
		}
	})();
	await Promise.all([...changes, searching]);
	const texts = (await docs.search('bridge', {retriever: 'bm25', k: 100, include: ['text']})).hits.map(({text}) => text);
	t.deepEqual(texts.sort(), Array.from({length: 10}, (_, i) => `bridge ${i + 30}`).sort());
	await docs.optimize();
	const {segments, pendingVectors} = await docs.stats();
	t.deepEqual({segments, pendingVectors}, {segments: 1, pendingVectors: 0});
});

test('count and facets count passages, or each document once', async t => {
	const path = await collectionPath(t);
	await using docs = await Collection.open(path, {create: true, encoder: false});
	// Several commits, so that the passages of the collection are in several segments.
	for (const [id, count] of [
		['a', 3],
		['b', 1],
		['c', 2],
	] as const) {
		const passages = Array.from({length: count}, (_, i) => ({text: `stone ${i}`}));
		await docs.add({id, passages, fields: {kind: id === 'b' ? 'x' : 'y'}});
		await docs.commit();
	}
	await docs.delete(['a']);
	await docs.add({id: 'a#0', passages: [{text: 'one'}, {text: 'two'}], fields: {kind: 'y'}});
	await docs.commit();
	t.is(await docs.count(), 5);
	t.is(await docs.count({groupBy: 'document'}), 3);
	t.is(await docs.count({groupBy: 'document', filter: {kind: 'y'}}), 2);
	// A document counts if any of its passages matches, not only the first.
	t.is(await docs.count({groupBy: 'document', filter: {ids: ['c#1', 'a#0#0', 'a#0#1']}}), 2);
	t.deepEqual(await docs.facets('kind'), [
		{value: 'y', count: 4},
		{value: 'x', count: 1},
	]);
	t.deepEqual(await docs.facets('kind', {groupBy: 'document'}), [
		{value: 'y', count: 2},
		{value: 'x', count: 1},
	]);
	await t.throwsAsync(docs.count({groupBy: 'passage' as 'document'}), {code: 'ERR_ARGUMENT', message: /groupBy.*document/u});
	await docs.optimize();
	t.is(await docs.count({groupBy: 'document'}), 3);
});

/** Creates a collection of 300 documents with random words and fields, and with random vectors of dimension `dim` if it is given. */
async function randomCollection(t: ExecutionContext, random: () => number, dim: number | undefined): Promise<Collection> {
	const docs = await newCollection(t, {vectors: dim === undefined ? undefined : {dim}, split: false});
	const words = ['stone', 'bridge', 'river', 'lamp', 'desk', 'cable', 'light'];
	await docs.add(
		Array.from({length: 300}, (_, i) => ({
			id: `d${i}`,
			title: i % 3 === 0 ? `Title ${i}` : undefined,
			text: Array.from({length: 3 + Math.floor(random() * 9)}, () => words[Math.floor(random() * words.length)]).join(' '),
			vector: dim === undefined ? undefined : Array.from({length: dim}, () => random() - 0.5),
			fields: {price: Math.floor(random() * 100)},
		})),
	);
	await docs.commit();
	return docs;
}

/** Returns a function that returns pseudorandom numbers between 0 and 1 (Park and Miller, 1988, with the multiplier 48271). */
function randomGenerator(seed: number): () => number {
	let state = seed;
	return () => {
		state = (state * 48_271) % 2_147_483_647;
		return state / 2_147_483_647;
	};
}

test('searches on the JavaScript thread and on other threads return the same hits', async t => {
	const random = randomGenerator(17);
	const docs = await randomCollection(t, random, 8);
	const pick = <T>(...values: readonly T[]): T => values[Math.floor(random() * values.length)]!;
	const searches = Array.from({length: 400}, () => {
		const retriever = pick('bm25', 'dense', 'hybrid') as 'bm25' | 'dense' | 'hybrid';
		const options: CollectionSearchOptions = {
			retriever,
			k: pick(0, 1, 5, 20),
			offset: pick(0, 0, 3),
			filter: pick<Filter | undefined>(undefined, {price: {lt: 50}}, {price: {lt: 2}}, {documents: ['d1', 'd2']}),
			include: pick<Include[]>([], ['text', 'title'], ['fields', 'highlights']),
			groupBy: pick(undefined, 'document'),
			exact: pick(true, false),
			vector: retriever === 'bm25' ? undefined : Array.from({length: 8}, () => random() - 0.5),
		};
		return [pick('stone bridge', 'lamp', 'river river cable', 'unknown'), options] as const;
	});
	// These searches start together, so most of them run on other threads.
	const expected = await Promise.all(searches.map(async ([text, options]) => docs.search(text, options)));
	let inlineCount = 0;
	for (const [i, [text, options]] of searches.entries()) {
		await new Promise(resolve => {
			setImmediate(resolve);
		});
		const searching = docs.search(text, options);
		inlineCount += (await settlesAtOnce(searching)) ? 1 : 0;
		t.deepEqual(await searching, expected[i]);
	}
	t.true(inlineCount > 50, `${inlineCount} ran on the JavaScript thread`);
});

test.serial('a BM25 search runs on the JavaScript thread, also after a commit, and with a filter once the filter is cached', async t => {
	// With vectors, the thread that inserts them into the graph would lock the collection from time to time.
	const docs = await randomCollection(t, randomGenerator(18), undefined);
	/** Whether one search runs on the JavaScript thread. */
	const runsInline = async (options: CollectionSearchOptions): Promise<boolean> => {
		await new Promise(resolve => {
			setImmediate(resolve);
		});
		return settlesAtOnce(docs.search('stone bridge', {retriever: 'bm25', ...options}));
	};
	// Tries up to three searches: on a busy machine, the time budget of the event-loop iteration of one search may be used up.
	const runsInlineOnce = async (options: CollectionSearchOptions): Promise<boolean> =>
		(await highestOfThreeCounts(0, async () => ((await runsInline(options)) ? 1 : 0))) > 0;
	t.true(await runsInlineOnce({}));
	const filter = {price: {lt: 50}};
	t.false(await runsInline({filter}), 'the filter must be evaluated');
	await docs.search('stone bridge', {retriever: 'bm25', filter});
	t.true(await runsInlineOnce({filter}));
	await docs.add({id: 'new', text: 'a stone bridge'});
	await docs.commit();
	t.true(await runsInlineOnce({}));
	t.false(await runsInline({filter}), 'the filter must be evaluated again');
	t.true(await runsInlineOnce({k: 1_000_000_000}), 'there are only 301 passages');
	await docs.add(Array.from({length: 2000}, (_, i) => ({id: `more ${i}`, text: 'stone'})));
	await docs.commit();
	t.true(await runsInlineOnce({}));
	t.false(await runsInlineOnce({k: 1_000_000_000}), 'a search for many hits is not quick');
});

test('a search fails with the same error on the JavaScript thread and on another one', async t => {
	const docs = await randomCollection(t, randomGenerator(19), 8);
	const failures: ReadonlyArray<readonly [CollectionSearchOptions, {code?: 'ERR_ARGUMENT' | 'ERR_DIMENSION'; message: RegExp}]> = [
		[{filter: {prize: {lt: 5}}}, {code: 'ERR_ARGUMENT', message: /^filter\.prize: .*did you mean "price"/u}],
		[{filter: {price: 'cheap'}}, {code: 'ERR_ARGUMENT', message: /^filter\.price/u}],
		[
			{retriever: 'dense', vector: [1]},
			{code: 'ERR_DIMENSION', message: /expected 8 numbers, got 1/u},
		],
		[{signal: AbortSignal.abort(new Error('enough'))}, {message: /^enough$/u}],
	];
	for (const [options, expected] of failures) {
		await new Promise(resolve => {
			setImmediate(resolve);
		});
		const alone = await t.throwsAsync(docs.search('bridge', {retriever: 'bm25', ...options}), expected);
		const together = await Promise.allSettled(
			Array.from({length: 200}, async () => docs.search('bridge', {retriever: 'bm25', ...options})),
		);
		for (const settled of together) {
			t.is(settled.status === 'rejected' && (settled.reason as Error).message, alone!.message);
		}
	}
});

test('closing a collection waits for the calls in progress, also while they load models', async t => {
	const path = await collectionPath(t);
	const docs = await Collection.open(path, {create: true});
	await docs.upsert([{id: 'suez', text: 'The Suez Canal was opened in 1869.'}]);
	await docs.close();
	for (const isWarm of [false, true]) {
		const opened = await Collection.open(path);
		if (isWarm) {
			await opened.ask('When was the canal opened?');
		}
		const searcher = await opened.searcher('bm25');
		const calls: Array<Promise<unknown>> = (['bm25', 'dense', 'hybrid'] as const).flatMap(retriever => [
			opened.search('canal', {retriever}),
			opened.ask('When was the canal opened?', {retriever}),
		]);
		calls.push(opened.search('canal', {include: ['sentence']}), searcher.searchMany([{id: 'q', text: 'canal'}]));
		let succeeded = 0;
		for (const call of calls) {
			void call.then(() => (succeeded += 1));
		}
		const [first, second] = [opened.close(), opened.close()];
		await t.throwsAsync(opened.search('canal'), {code: 'ERR_CLOSED'});
		await t.throwsAsync(opened.ask('canal'), {code: 'ERR_CLOSED'});
		await t.throwsAsync(opened.upsert([{id: 'a', text: 'a'}]), {code: 'ERR_CLOSED'});
		await t.throwsAsync(opened.reader(), {code: 'ERR_CLOSED'});
		await second;
		t.is(succeeded, calls.length);
		await first;
		await t.throwsAsync(searcher.search('canal'), {code: 'ERR_CLOSED'});
	}
});

test('searches that wait when the collection is closed still complete, and aborted ones reject with the reason', async t => {
	const docs = await randomCollection(t, randomGenerator(20), 8);
	const vector = Float32Array.from({length: 8}, (_, i) => i - 3);
	const options: CollectionSearchOptions = {retriever: 'dense', vector, k: 9};
	for (let i = 0; i < 20; i++) {
		await docs.search('', options);
	}
	const expected = await docs.search('', options);
	const controller = new AbortController();
	const [searches, aborted]: [Array<Promise<unknown>>, Array<Promise<unknown>>] = [[], []];
	// Starts searches for 3 ms. When the time budget, 1 ms per iteration of the event loop, is used up, one search waits for the next
	// iteration, and the others run on other threads.
	for (const began = performance.now(); performance.now() - began < 3; ) {
		searches.push(docs.search('', options));
		await undefined;
		aborted.push(docs.search('', {...options, signal: controller.signal}));
		await undefined;
	}
	vector.fill(0);
	const reason = new Error('enough');
	controller.abort(reason);
	const closing = docs.close();
	for (const hits of await Promise.all(searches)) {
		t.deepEqual(hits, expected);
	}
	for (const settled of await Promise.allSettled(aborted)) {
		t.deepEqual(settled, settled.status === 'fulfilled' ? {status: 'fulfilled', value: expected} : {status: 'rejected', reason});
	}
	await closing;
	await t.throwsAsync(docs.search('', options), {code: 'ERR_CLOSED'});
});
