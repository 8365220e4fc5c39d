// Tests how documents are added to a collection (all or none of an array, those before an error of an iterable), and the checks of encoders.
import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import test, {type ExecutionContext} from 'ava';
import {Collection, type CollectionOptions, type Document, type Encoder, RetrievalError} from '../../ts/index.ts';

/** Creates a collection without an encoder, whose documents have vectors of two numbers unless `options` changes that. */
async function newCollection(t: ExecutionContext, options: CollectionOptions = {}): Promise<Collection> {
	const path = await mkdtemp(join(tmpdir(), 'passagekit-adding-'));
	const docs = await Collection.open(join(path, 'index'), {create: true, encoder: false, vectors: {dim: 2}, ...options});
	t.teardown(async () => {
		await docs.close({discard: true});
		await rm(path, {recursive: true, force: true});
	});
	return docs;
}

test('either all documents of an array are added or none, and the error names the invalid part', async t => {
	const docs = await newCollection(t);
	const good: Document = {id: 'good', text: 'fine', vector: [1, 0]};
	const cases: Array<[unknown, string, RegExp]> = [
		[{id: 'a', text: 'x', vector: [1]}, 'ERR_DIMENSION', /documents\[1\] \("a"\): vector: expected 2 numbers, got 1/u],
		[{id: 'a', text: 'x', vector: [1, Number.NaN]}, 'ERR_ARGUMENT', /documents\[1\] \("a"\): vector\[1\]: expected a finite number/u],
		[
			{id: 'a', text: 'x'},
			'ERR_ARGUMENT',
			/add: documents\[1\] \("a"\): vector: expected one, since the collection was created without an encoder, got none/u,
		],
		[{id: '', text: 'x', vector: [1, 0]}, 'ERR_ARGUMENT', /documents\[1\]: id/u],
		[{id: 'a', vector: [1, 0]}, 'ERR_ARGUMENT', /documents\[1\] \("a"\): text: expected a string/u],
		[{id: 'a', text: 'x', passages: [], vector: [1, 0]}, 'ERR_ARGUMENT', /text or passages/u],
		[{id: 'a', passages: []}, 'ERR_ARGUMENT', /at least one passage/u],
		[{id: 'a', text: 'x', vector: [1, 0], fields: {bad: {}}}, 'ERR_ARGUMENT', /documents\[1\] \("a"\): fields.bad/u],
		[{id: 'a', text: 'x', vector: [1, 0], colour: 'red'}, 'ERR_ARGUMENT', /colour/u],
		[{id: 'good', text: 'x', vector: [1, 0]}, 'ERR_DUPLICATE_ID', /"good" twice/u],
		[
			{id: 'a', text: 'x', vector: [0, 0]},
			'ERR_ARGUMENT',
			/documents\[1\] \("a"\): vector: expected a vector with a direction, .*, got only zeros/u,
		],
		[
			{id: 'a', text: 'x', vector: [1e39, 0]},
			'ERR_ARGUMENT',
			/documents\[1\] \("a"\): vector\[0\]: expected a number in the range of 32-bit floats/u,
		],
		[null, 'ERR_ARGUMENT', /documents\[1\]/u],
	];
	for (const [bad, code, message] of cases) {
		const error = await t.throwsAsync(docs.add([good, bad as Document]), {instanceOf: RetrievalError, code: code as 'ERR_ARGUMENT'});
		t.regex(error!.message, message);
	}
	await docs.commit();
	t.is((await docs.stats()).documents, 0);
	await docs.add(good);
	await t.throwsAsync(docs.add(good), {code: 'ERR_DUPLICATE_ID', message: /add: expected documents with new ids, got "good" again/u});
	await t.throwsAsync(docs.add('text' as never), {code: 'ERR_ARGUMENT'});
});

test('the documents of an iterable are added while it is read, and an error says how many were added', async t => {
	for (const count of [2, 3000]) {
		async function* stream(end: () => Document): AsyncGenerator<Document> {
			for (let i = 0; i < count; i++) {
				yield {id: `d${i}`, text: `number ${i}`, vector: [1, i]};
			}
			yield end();
		}
		const failures: Array<[end: () => Document, message: RegExp]> = [
			[
				() => {
					throw new RetrievalError('ERR_FORMAT', 'the end of the file is damaged');
				},
				new RegExp(`^the end of the file is damaged. The ${count} documents before it were added; roll back to undo that`, 'u'),
			],
			[
				() => {
					throw new Error('a failure of the source');
				},
				/^a failure of the source$/u,
			],
			[
				() => ({id: 'bad', text: 5 as unknown as string, vector: [1, 1]}),
				new RegExp(
					`documents\\[${count}\\] \\("bad"\\): text: expected a string, got number. The ${count} documents before it were added`,
					'u',
				),
			],
		];
		for (const [end, message] of failures) {
			const docs = await newCollection(t);
			await t.throwsAsync(docs.add(stream(end)), {message});
			await docs.commit();
			t.is((await docs.stats()).documents, count);
		}
	}
	// A duplicate id is found when its batch is added, and the documents before it remain added.
	const docs = await newCollection(t);
	function* duplicates(): Generator<Document> {
		for (let i = 0; i < 1500; i++) {
			yield {id: `d${i === 1400 ? 7 : i}`, text: `number ${i}`, vector: [1, i]};
		}
	}
	await t.throwsAsync(docs.add(duplicates()), {
		code: 'ERR_DUPLICATE_ID',
		message: /add: documents\[1400\] \("d7"\): expected documents with new ids, got "d7" again\. The 1400 documents before it were added/u,
	});
	await docs.rollback();
	t.is((await docs.stats()).hasChanges, false);
	await t.throwsAsync(docs.add({id: 'a', title: 'T'} as unknown as Document), {
		message: /documents\[0\] \("a"\): text: expected a string/u,
	});
});

test('the first error of an iterable is reported, even if the documents before it cannot be added', async t => {
	const docs = await newCollection(t, {vectors: undefined});
	function* failing(): Generator<Document> {
		yield {id: 'a', text: 'one'};
		yield {id: 'a', text: 'two'};
		throw new Error('a failure of the source');
	}
	await t.throwsAsync(docs.add(failing()), {message: 'a failure of the source'});
	await docs.commit();
	t.is((await docs.stats()).documents, 1, 'the document before those that cannot be added');
	function* invalid(): Generator<Document> {
		yield {id: 'b', text: 'one'};
		yield {id: 'b', text: 'two'};
		yield {id: 'c', text: 3 as unknown as string};
	}
	await t.throwsAsync(docs.add(invalid()), {
		message: /documents\[2\] \("c"\): text: expected a string, got number\. 1 document was added; roll back/u,
	});
});

test('the documents before an invalid one of an iterable are added, whatever is invalid', async t => {
	const invalid: Array<[Partial<Document>, RegExp]> = [
		[{vector: [0, 0]}, /vector: expected a vector with a direction/u],
		[{vector: undefined}, /vector: expected one, since the collection was created without an encoder/u],
		[{fields: {'': 1}}, /fields/u],
		[{fields: {long: 'x'.repeat(40_000)}}, /fields/u],
		[{fields: Object.fromEntries(Array.from({length: 300}, (_, i) => [`field${i}`, i]))}, /fields/u],
	];
	for (const [part, message] of invalid) {
		for (const upsert of [false, true]) {
			const docs = await newCollection(t);
			function* documents(): Generator<Document> {
				for (let i = 0; i < 1200; i++) {
					yield {id: `d${i}`, text: `number ${i}`, vector: [1, i], ...(i === 1100 ? part : {})};
				}
			}
			const error = await t.throwsAsync(upsert ? docs.upsert(documents()) : docs.add(documents()), {code: 'ERR_ARGUMENT', message});
			t.regex(error!.message, /^(add|upsert): documents\[1100\] \("d1100"\): .* The 1100 documents before it were added; roll back/u);
			await docs.commit();
			t.is((await docs.stats()).documents, 1100);
		}
	}
});

test('in an iterable, upsert replaces an earlier document with the same id, however far apart they are', async t => {
	for (const distance of [1, 1500]) {
		const docs = await newCollection(t);
		function* documents(): Generator<Document> {
			for (let i = 0; i <= distance; i++) {
				yield {id: i === distance ? 'd0' : `d${i}`, text: `number ${i}`, vector: [1, i]};
			}
		}
		t.is(await docs.upsert(documents()), distance + 1);
		await docs.commit();
		t.is((await docs.stats()).documents, distance);
		t.is((await docs.get(['d0#0']))[0]?.text, `number ${distance}`);
	}
	const docs = await newCollection(t);
	await t.throwsAsync(docs.upsert([1, 2].map(i => ({id: 'a', text: `${i}`, vector: [1, i]}))), {
		code: 'ERR_DUPLICATE_ID',
		message: /upsert: expected each document once, got "a" twice in one call/u,
	});
});

test('what an encoder returns is checked when documents are added and when queries are encoded', async t => {
	let result: unknown;
	const encoder: Encoder = {dim: 3, encode: async () => result as never};
	const docs = await newCollection(t, {encoder, vectors: {}});
	const data = Float32Array.of(1, 1, 1);
	const cases: Array<[unknown, string, RegExp]> = [
		[{data: Float64Array.of(1, 1, 1), rows: 1, dim: 3}, 'ERR_ENCODER', /data a Float32Array, got an object whose data is/u],
		[{data: [1, 1, 1], rows: 1, dim: 3}, 'ERR_ENCODER', /data a Float32Array, got an object whose data is an Array/u],
		[[[1, 2, 3]], 'ERR_ENCODER', /got an array \(createEncoder makes an encoder/u],
		[undefined, 'ERR_ENCODER', /got undefined/u],
		[{data: Float32Array.of(1, Number.NaN, 1), rows: 1, dim: 3}, 'ERR_ENCODER', /expected finite numbers for "one", inputs\[0\], got NaN/u],
		[{data, rows: 2, dim: 3}, 'ERR_DIMENSION', /expected 1 vectors of dimension 3, got 2 with 3 numbers/u],
		[{data: Float32Array.of(1, 1), rows: 1, dim: 2}, 'ERR_DIMENSION', /expected 1 vectors of dimension 3, got 1 with 2 numbers/u],
	];
	for (const [returned, code, message] of cases) {
		result = returned;
		await t.throwsAsync(docs.add({id: 'a', text: 'one'}), {instanceOf: RetrievalError, code: code as 'ERR_ENCODER', message});
		await t.throwsAsync(docs.search('one'), {instanceOf: RetrievalError, code: code as 'ERR_ENCODER', message});
	}
	result = {data, rows: 1, dim: 3};
	await docs.add({id: 'a', text: 'one'});
	await docs.commit();
	t.is((await docs.search('one')).hits.length, 1);
});

test('hybrid searches use hybridNorm by default if the encoder says that its vectors have length 1', async t => {
	const encoder = (normalized?: boolean): Encoder => ({
		dim: 2,
		normalized,
		encode: async inputs => ({data: new Float32Array(2 * inputs.length).fill(Math.SQRT1_2), rows: inputs.length, dim: 2}),
	});
	const hybridNorm = {method: 'hybridNorm', alpha: 0.05} as const;
	const dprHybrid = {method: 'dprHybrid'} as const;
	for (const [normalized, fusion, other] of [
		[true, hybridNorm, dprHybrid],
		[undefined, dprHybrid, hybridNorm],
	] as const) {
		const docs = await newCollection(t, {encoder: encoder(normalized), vectors: {}});
		await docs.add([
			{id: 'a', text: 'a stone bridge'},
			{id: 'b', text: 'a river'},
		]);
		await docs.commit();
		const {hits} = await docs.search('bridge');
		t.deepEqual(hits, (await docs.search('bridge', {fusion})).hits);
		t.notDeepEqual(hits, (await docs.search('bridge', {fusion: other})).hits);
	}
	await t.throwsAsync(newCollection(t, {encoder: {...encoder(), normalized: 'yes' as never}}), {
		code: 'ERR_ARGUMENT',
		message: /encoder: normalized/u,
	});
});

test('queries with the same id are refused', async t => {
	const docs = await newCollection(t);
	await docs.add({id: 'a', text: 'one', vector: [1, 0]});
	await docs.commit();
	const searcher = await docs.searcher('bm25');
	const queries = ['one', 'two'].map(text => ({id: 'q', text}));
	await t.throwsAsync(searcher.searchMany(queries), {
		code: 'ERR_DUPLICATE_ID',
		message: /queries: expected distinct ids, got "q" twice/u,
	});
});
