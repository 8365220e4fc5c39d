/** Compares dense and hybrid searches in a cluster with embedded ones. */
import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import test, {type ExecutionContext} from 'ava';
import {Collection, type Document, type Encoder, type FusionMethod, encyclopedia, fuse, readDocuments} from '../../../ts/index.ts';
import {OpenSearchCollection} from '../../../ts/remote/index.ts';
import {random, row} from '../../support/vectors.ts';
import {cluster, create, newName, sameHits, sameRuns} from './support.ts';

/** Adds the encyclopedia, with vectors of the bundled encoder, to a cluster and to an embedded collection. */
async function both(t: ExecutionContext): Promise<{readonly remote: OpenSearchCollection; readonly embedded: Collection}> {
	const folder = await mkdtemp(join(tmpdir(), 'passagekit-remote-'));
	t.teardown(async () => rm(folder, {recursive: true, force: true}));
	const embedded = await Collection.open(join(folder, 'index'), {create: true});
	t.teardown(async () => embedded.close());
	const documents: Document[] = [];
	for await (const document of readDocuments(encyclopedia().articles)) {
		documents.push({...document, fields: {length: document.text.length}});
	}
	await embedded.add(documents);
	await embedded.commit();
	const remote = await create(t, {encoder: 'minilm-encoder'});
	// The passages take their vectors along, so nothing is encoded a second time.
	const passages = [];
	for await (const passage of embedded.scan()) {
		passages.push(passage);
	}
	const ids = passages.map(({id}) => id);
	const vectors = await embedded.vectors(ids);
	const dim = vectors.length / ids.length;
	await remote.push(
		passages.map(({id, title, text, fields}, i) => ({id, title: title!, text, fields, vector: vectors.subarray(i * dim, (i + 1) * dim)})),
	);
	await remote.refresh();
	return {remote, embedded};
}

const unitVectors: Encoder = {
	dim: 4,
	identity: 'test-encoder',
	async encode(inputs) {
		const data = Float32Array.from(inputs.flatMap(input => vectorOf(typeof input === 'string' ? input : input.text)));
		return {data, rows: inputs.length, dim: 4};
	},
};

/** Returns a hit without its score. */
function partsOf({score, ...parts}: {readonly score: number}): object {
	return {isScored: Number.isFinite(score), ...parts};
}

/** Returns a vector that depends on the letters of a text. */
function vectorOf(text: string): number[] {
	return Array.from({length: 4}, (_, i) =>
		Array.from(text).reduce((sum, letter, at) => sum + Math.sin(letter.codePointAt(0)! * (i + 1) + at), 0),
	);
}

export function denseTests(): void {
	test.serial('encyclopedia: dense and hybrid hits are those of an embedded collection, filtered or not, and so are answers', async t => {
		const {remote, embedded} = await both(t);
		const questions = (await encyclopedia().questions('test')).slice(0, 15).map(({id, text}) => ({id, text}));
		const run = async (one: OpenSearchCollection | Collection, ...[retriever, options]: Parameters<Collection['searcher']>) =>
			(await one.searcher(retriever, options)).searchMany(questions, {k: 100});
		const exact = await run(embedded, 'dense', {vectorIndex: 'flat'});
		sameRuns(t, await run(remote, 'dense', {vectorIndex: 'flat'}), exact, 1e-5);

		const graph = await run(remote, 'dense');
		let found = 0;
		for (const [query, hits] of exact) {
			const ids = new Set(graph.get(query)!.map(({id}) => id));
			found += hits.filter(({id}) => ids.has(id)).length;
		}
		const recall = found / (100 * questions.length);
		t.log(`recall@100 of the graph: ${recall}`);
		t.true(recall >= 0.95, `${recall}`);

		const sparse = await run(remote, 'bm25');
		for (const fusion of [{method: 'hybridNorm', alpha: 0.05}, {method: 'rrf'}, {method: 'dprHybrid'}] as FusionMethod[]) {
			const fused = await run(remote, 'hybrid', {vectorIndex: 'flat', fusion, depth: 100});
			// The lists are equal, so the fused list must be equal too.
			const dense = await run(remote, 'dense', {vectorIndex: 'flat'});
			sameRuns(t, fused, await fuse({dense, sparse}, fusion, {k: 100}), 0);
			sameRuns(t, fused, await run(embedded, 'hybrid', {vectorIndex: 'flat', fusion, depth: 100}), 1e-4);
		}

		const filter = {length: {lt: 2500}};
		for (const retriever of ['dense', 'hybrid'] as const) {
			const options = {filter, retriever, exact: true, k: 20, include: ['text', 'title', 'fields', 'sentence']} as const;
			const [{hits}, {hits: expected}] = await Promise.all([
				remote.search(questions[0]!.text, options),
				embedded.search(questions[0]!.text, options),
			]);
			t.true(hits.length === 20);
			sameHits(t, hits, expected, 1e-4, retriever);
			t.deepEqual(hits.map(partsOf), expected.map(partsOf));
		}
		// The graph finds passages that match, not just those of the best passages that match.
		t.is((await remote.search(questions[0]!.text, {retriever: 'dense', filter, k: 20})).hits.length, 20);

		const options = {vectorIndex: 'flat', passages: 5, answers: 1} as const;
		const [answer, expected] = await Promise.all([remote.ask(questions[0]!.text, options), embedded.ask(questions[0]!.text, options)]);
		t.is(answer.answers[0]!.text, expected.answers[0]!.text);
		t.deepEqual(
			answer.passages.map(({id}) => id),
			expected.passages.map(({id}) => id),
		);
	});

	for (const similarity of ['dot', 'cosine', 'l2'] as const) {
		test.serial(`scores of vectors with the similarity ${similarity} are those of an embedded collection, negative ones too`, async t => {
			const folder = await mkdtemp(join(tmpdir(), 'passagekit-remote-'));
			t.teardown(async () => rm(folder, {recursive: true, force: true}));
			const settings = {encoder: unitVectors, vectors: {similarity}};
			const embedded = await Collection.open(join(folder, 'index'), {create: true, ...settings});
			t.teardown(async () => embedded.close());
			const remote = await create(t, settings);
			const documents = Array.from({length: 60}, (_, i) => ({id: `d${i}`, text: `text ${i}`}));
			for (const one of [remote, embedded]) {
				await one.add(documents);
			}
			await embedded.commit();
			await remote.refresh();
			const ids = documents.map(({id}) => `${id}#0`);
			t.deepEqual(await remote.vectors(ids), await embedded.vectors(ids));
			for (const exact of [true, false]) {
				const options = {retriever: 'dense', k: 60, exact, efSearch: 60} as const;
				const [{hits}, {hits: expected}] = await Promise.all([
					remote.search('a query', options),
					embedded.search('a query', {...options, exact: true}),
				]);
				sameHits(t, hits, expected, 1e-5 * Math.max(1, ...expected.map(({score}) => score ** 2)), `exact: ${exact}`);
				t.true(similarity === 'cosine' || hits.some(({score}) => score < 0));
			}
		});
	}

	test.serial('a search of a graph with quantized codes finds the same passages, with the scores of the full vectors', async t => {
		const name = newName();
		const settings = {encoder: false, split: false, vectors: {dim: 64, similarity: 'dot', storage: 'int8Rescored'}} as const;
		const remote = await create(t, settings, name);
		t.is((await remote.stats()).storage, 'int8Rescored');
		const mapping = await cluster().request<Record<string, {mappings: {properties: {vector: {method: {parameters: object}}}}}>>(
			`/${name}/_mapping`,
		);
		t.deepEqual(mapping[name]!.mappings.properties.vector.method.parameters, {
			m: 24,
			ef_construction: 200,
			encoder: {name: 'sq', parameters: {bits: 7}},
		});
		const vectors = random(2000, 64);
		await remote.push(Array.from({length: 2000}, (_, i) => ({id: `p${i}`, text: `text ${i}`, vector: row(vectors, i)})));
		await remote.refresh();
		let found = 0;
		const queries = random(20, 64, 2);
		for (let i = 0; i < queries.rows; i++) {
			const vector = row(queries, i);
			const options = {retriever: 'dense', vector, k: 100, efSearch: 200} as const;
			const [{hits}, {hits: exact}] = await Promise.all([remote.search('', options), remote.search('', {...options, exact: true})]);
			const scores = new Map(exact.map(({id, score}) => [id, score]));
			found += hits.filter(({id}) => scores.has(id)).length;
			// The order is that of the full vectors.
			t.deepEqual(
				hits.filter(({id}) => scores.has(id)).map(({id, score}) => ({id, score})),
				exact.filter(({id}) => hits.some(hit => hit.id === id)).map(({id, score}) => ({id, score})),
			);
		}
		t.log(`recall@100: ${found / 2000}`);
		t.true(found >= 0.95 * 2000, `${found}`);
		const open = async (storage: 'f32' | 'int8Rescored' | undefined) =>
			OpenSearchCollection.create(name, {
				...settings,
				url: cluster().urls,
				vectors: {...settings.vectors, storage},
				shards: 3,
				ifExists: 'open',
			});
		await t.throwsAsync(open('f32'), {
			code: 'ERR_ARGUMENT',
			message: /expected an index with vectors\.storage "f32", got one that exists with "int8Rescored"/u,
		});
		for (const storage of ['int8Rescored', undefined] as const) {
			await using opened = await open(storage);
			t.is((await opened.stats()).storage, 'int8Rescored');
		}
	});

	test.serial(
		'an encoder that differs from that of the index is refused, and passages that stay the same are not encoded again',
		async t => {
			let encoded = 0;
			const counting: Encoder = {
				...unitVectors,
				async encode(inputs, options) {
					encoded += inputs.length;
					return unitVectors.encode(inputs, options);
				},
			};
			const remote = await create(t, {encoder: counting});
			const {index} = await remote.stats();
			await remote.add([{id: 'a', passages: [{text: 'one'}, {text: 'two'}]}]);
			t.is(encoded, 2);
			await remote.upsert([{id: 'a', passages: [{text: 'one'}, {text: 'three'}, {text: 'four'}]}]);
			t.is(encoded, 4);
			await remote.refresh();
			t.deepEqual([...(await remote.vectors(['a#0', 'a#2']))], [...Float32Array.from([...vectorOf('one'), ...vectorOf('four')])]);
			const open = async (encoder: Encoder | undefined) => OpenSearchCollection.open(index, {url: cluster().urls, encoder});
			await t.throwsAsync(open({...unitVectors, identity: 'another'}), {code: 'ERR_ENCODER_MISMATCH'});
			await t.throwsAsync(open({...unitVectors, dim: 5}), {code: 'ERR_DIMENSION'});
			await using without = await open(undefined);
			await t.throwsAsync(without.search('one', {retriever: 'dense'}), {
				code: 'ERR_ARGUMENT',
				message: /pass it to Collection.open|got none/u,
			});
			t.is((await without.search('one', {retriever: 'bm25'})).hits.length, 1);
			await t.throwsAsync(remote.search('one', {include: ['highlights'] as never}), {code: 'ERR_ARGUMENT', message: /highlights/u});
			await t.throwsAsync(remote.search('one', {retriever: 'dense', k: 20_000}), {code: 'ERR_ARGUMENT', message: /exact: true/u});
			t.is((await remote.search('one', {retriever: 'dense', k: 20_000, exact: true})).hits.length, 3);
		},
	);
}
