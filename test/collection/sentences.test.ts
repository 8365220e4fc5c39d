// Tests the option `include: ['sentence']` of searches, which adds the offsets of the sentence that is most similar to the question to each
// hit: which sentence is returned, when the option is refused, and how a search is aborted.
import {mkdtemp, readFile, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import test, {type ExecutionContext} from 'ava';
import {
	Collection,
	type CollectionOptions,
	type Document,
	type Encoder,
	type EncoderInput,
	type Highlight,
	OnnxEncoder,
	PhraseSegmenter,
	createEncoder,
	encyclopedia,
} from '../../ts/index.ts';

/** Creates an empty collection, which is removed after the test. */
async function createdCollection(t: ExecutionContext, options: CollectionOptions): Promise<Collection> {
	const path = await mkdtemp(join(tmpdir(), 'passagekit-sentences-'));
	const docs = await Collection.open(join(path, 'index'), {create: true, split: false, ...options});
	t.teardown(async () => {
		await docs.close({discard: true});
		await rm(path, {recursive: true, force: true});
	});
	return docs;
}

/** Creates a collection of these documents, which is removed after the test. */
async function added(t: ExecutionContext, documents: readonly Document[], options: CollectionOptions): Promise<Collection> {
	const docs = await createdCollection(t, options);
	await docs.add(documents);
	await docs.commit();
	return docs;
}

const sliced = (text: string, {start, end}: Highlight): string => text.slice(start, end);

/** The inner product of two vectors. */
const product = (a: Float32Array, b: Float32Array): number => a.reduce((sum, value, i) => sum + value * b[i]!, 0);

/**
Makes an encoder with vectors of two numbers. The vector of an input is that of its text, `vectorOf(text)`; titles are ignored. `calls` has
the inputs of each call.
*/
function encoder2d(vectorOf: (text: string) => readonly [number, number]): Encoder & {readonly calls: EncoderInput[][]} {
	const calls: EncoderInput[][] = [];
	return {
		dim: 2,
		calls,
		async encode(inputs, {signal} = {}) {
			signal?.throwIfAborted();
			calls.push([...inputs]);
			const data = Float32Array.from(inputs.flatMap(input => [...vectorOf(typeof input === 'string' ? input : input.text)]));
			return {data, rows: inputs.length, dim: 2};
		},
	};
}

const articles: Document[] = [
	{
		id: 'bridge',
		title: 'Forth Bridge',
		text: 'It stands west of Edinburgh. Dr. Fowler and Mr. Baker designed it. More than 4,000 people built it. It was opened in 1890.',
	},
	{id: 'comet', text: 'Halley’s Comet is seen every 75 years. The Bayeux Tapestry shows it. Its core is made of ice and dust.'},
	{id: 'clock', title: 'Clocks', text: 'A pendulum keeps time.'},
];

for (const retriever of ['dense', 'hybrid'] as const) {
	test(`the sentence of a ${retriever} hit is the one whose vector has the highest inner product with the question`, async t => {
		const docs = await added(t, articles, {});
		await using encoder = await OnnxEncoder.load('minilm-encoder');
		const segmenter = await PhraseSegmenter.open({sentences: 1});
		const questions = ['Where is the bridge?', 'When did the bridge open?', 'What is a comet made of?', 'Which tapestry has a comet?'];
		const found = new Set<string>();
		for (const question of questions) {
			const {data: query} = await encoder.encode([question], {batchTokens: 1});
			const {hits} = await docs.search(question, {retriever, include: ['text', 'title', 'sentence']});
			t.is(hits.length, 3);
			for (const {text, title, sentence} of hits) {
				// Each sentence is encoded in a call of its own.
				const scores = [];
				for (const phrase of segmenter.segment(text)) {
					const {data} = await encoder.encode([title === undefined ? phrase.text : {title, text: phrase.text}]);
					scores.push({place: {start: phrase.start, end: phrase.end}, score: product(query, data)});
				}
				t.deepEqual(sentence, scores.toSorted((a, b) => b.score - a.score)[0]!.place, question);
			}
			found.add(sliced(hits[0]!.text, hits[0]!.sentence));
			// The sentence does not depend on the other hits.
			const [first] = (await docs.search(question, {retriever, k: 1, include: ['sentence']})).hits;
			t.deepEqual(first!.sentence, hits[0]!.sentence);
		}
		t.true(found.has('It was opened in 1890.'));
	});
}

test('for most questions of the encyclopedia, the sentence of a passage with the answer contains the answer', async t => {
	const {articles: folder, questions} = encyclopedia();
	const all = await questions('dev');
	const files = [...new Set(all.map(({passage}) => passage.slice(0, passage.indexOf('#'))))];
	const documents = files.map(async id => {
		const [, title, text] = /^# ([^\n]+)\n+(.+)$/su.exec(await readFile(join(folder, id), 'utf8'))!;
		return {id, title: title!, text: text!};
	});
	const docs = await added(t, await Promise.all(documents), {split: {words: 100}});
	let [passageCount, answerCount] = [0, 0];
	for (const {text: question, passage, evidence} of all) {
		const filter = {documents: [passage.slice(0, passage.indexOf('#'))]};
		const {hits} = await docs.search(question, {retriever: 'dense', filter, include: ['text', 'sentence']});
		for (const {text, sentence} of hits.filter(hit => hit.text.includes(evidence))) {
			passageCount += 1;
			answerCount += sliced(text, sentence).includes(evidence) ? 1 : 0;
		}
	}
	// For some questions, two passages contain the words of the answer.
	t.true(passageCount > 0.5 * all.length, `${passageCount} passages for ${all.length} questions`);
	// A random sentence would contain the answer in a fifth of the cases.
	t.true(answerCount > 0.8 * passageCount, `${answerCount} of ${passageCount}`);
});

test('offsets count UTF-16 code units, also after emoji, in Japanese and in German', async t => {
	const texts = [
		'🌉🌉 Bridges are long. 🕰️ Clocks are needles! 👩‍👩‍👧 Families are large.',
		'吾輩は猫である。針はまだ無い。𠮷野家で食べた。',
		'Die Brücke ist z. B. aus Stahl. Die Nadel wäre größer. Übrigens schneit es.',
		'Café was de\u0301compose\u0301. The needle is here.\r\n\r\n  Last one.  ',
	];
	const encoder = encoder2d(text => (/needle|針|Nadel/u.test(text) && !/Bridges|吾輩|Brücke|Café/u.test(text) ? [1, 0] : [0, 1]));
	const docs = await added(
		t,
		texts.map((text, i) => ({id: `d${i}`, text})),
		{encoder},
	);
	const {hits} = await docs.search('', {retriever: 'dense', vector: [1, 0], include: ['text', 'sentence']});
	t.deepEqual(
		hits.map(({text, sentence}) => sliced(text, sentence)).toSorted(),
		['The needle is here.', 'Die Nadel wäre größer.', '🕰️ Clocks are needles!', '針はまだ無い。'].toSorted(),
	);
});

test('the sentences of all hits are encoded in one call with the titles, except those that are the only sentence of a text', async t => {
	const encoder = encoder2d(text => [text.length, 1]);
	const docs = await added(t, [...articles, {id: 'blank', text: '  '}], {encoder});
	encoder.calls.length = 0;
	const {hits} = await docs.search('question', {retriever: 'dense', include: ['sentence', 'text']});
	t.is(encoder.calls.length, 2);
	t.deepEqual(encoder.calls[0], ['question']);
	const title = 'Forth Bridge';
	t.deepEqual(
		new Set(encoder.calls[1]),
		new Set([
			{title, text: 'It stands west of Edinburgh.'},
			{title, text: 'Dr. Fowler and Mr. Baker designed it.'},
			{title, text: 'More than 4,000 people built it.'},
			{title, text: 'It was opened in 1890.'},
			{text: 'Halley’s Comet is seen every 75 years.'},
			{text: 'The Bayeux Tapestry shows it.'},
			{text: 'Its core is made of ice and dust.'},
		]),
	);
	const sentenceOf = (id: string): Highlight => hits.find(({document}) => document === id)!.sentence;
	t.deepEqual(sentenceOf('clock'), {start: 0, end: 22});
	t.deepEqual(sentenceOf('blank'), {start: 0, end: 0});

	encoder.calls.length = 0;
	const clock = await docs.search('clock', {filter: {documents: ['clock', 'blank']}, vector: [1, 1], include: ['sentence']});
	t.is(clock.hits.length, 2);
	t.deepEqual(Object.keys(clock.hits[0]!).toSorted(), ['document', 'id', 'score', 'sentence']);
	t.deepEqual(encoder.calls, [], 'the vector was given, and no text has two sentences');
	await docs.search('question', {include: ['text']});
	t.deepEqual(encoder.calls, [['question']], 'a search that does not ask for sentences encodes none');
});

test('a search for sentences may have no hits, and the first of several equally similar sentences is returned', async t => {
	const docs = await added(t, articles, {encoder: encoder2d(() => [0.6, 0.8])});
	t.deepEqual((await docs.search('', {retriever: 'dense', k: 0, include: ['sentence']})).hits, []);
	t.deepEqual((await docs.search('x', {filter: {documents: ['none']}, include: ['sentence']})).hits, []);
	const {hits} = await docs.search('question', {include: ['text', 'sentence']});
	t.deepEqual(hits.map(({text, sentence}) => sliced(text, sentence)).toSorted(), [
		'A pendulum keeps time.',
		'Halley’s Comet is seen every 75 years.',
		'It stands west of Edinburgh.',
	]);
});

test('sentences are compared with the question by the similarity of the collection', async t => {
	// For the query [1, 0], the inner products are 5, 1 and 0.9, the cosines 0.71, 0.71 and 1, and the Euclidean distances 6.4, 1 and 0.1.
	const vectors: Record<string, readonly [number, number]> = {'Long one.': [5, 5], 'Even one.': [1, 1], 'Near one.': [0.9, 0]};
	const encoder = encoder2d(text => vectors[text] ?? [1, 0]);
	for (const [similarity, expected] of [
		['dot', 'Long one.'],
		['cosine', 'Near one.'],
		['l2', 'Near one.'],
	] as const) {
		const text = 'Long one. Even one. Near one.';
		const docs = await added(t, [{id: 'a', text}], {encoder, vectors: {similarity}});
		const {hits} = await docs.search('', {retriever: 'dense', vector: [1, 0], include: ['sentence']});
		t.is(sliced(text, hits[0]!.sentence), expected, similarity);
	}
	// [3, 0.1] has the higher cosine with [1, 0], and [1, 0.5] the smaller distance.
	const other = encoder2d(text => (text === 'Far one.' ? [3, 0.1] : [1, 0.5]));
	for (const [similarity, expected] of [
		['cosine', 'Far one.'],
		['l2', 'Close one.'],
	] as const) {
		const text = 'Far one. Close one.';
		const docs = await added(t, [{id: 'a', text}], {encoder: other, vectors: {similarity}});
		const {hits} = await docs.search('', {retriever: 'dense', vector: [1, 0], include: ['sentence']});
		t.is(sliced(text, hits[0]!.sentence), expected, similarity);
	}
});

test('sentences are encoded by the passage encoder, and compared with the vector of the question encoder', async t => {
	const passageEncoder = encoder2d(text => (text.startsWith('Its core') ? [0, 1] : [1, 0]));
	const questionEncoder = encoder2d(() => [0, 1]);
	const docs = await added(t, articles, {passageEncoder, questionEncoder});
	const {hits} = await docs.search('question', {retriever: 'dense', filter: {documents: ['comet']}, include: ['text', 'sentence']});
	t.is(sliced(hits[0]!.text, hits[0]!.sentence), 'Its core is made of ice and dust.');
	t.deepEqual(questionEncoder.calls, [['question']]);
});

test('an encoder made by createEncoder encodes sentences in batches, and its cache keeps their vectors', async t => {
	const batches: number[] = [];
	const encoder = createEncoder(
		async texts => {
			batches.push(texts.length);
			return texts.map(text => [text.includes('ice') ? 1 : 0, 1]);
		},
		{dim: 2, identity: 'ice', cache: true, batchSize: 4},
	);
	const docs = await added(t, articles, {encoder});
	batches.length = 0;
	// The first search encodes the question, and the 7 sentences in batches of 4. The second one finds all vectors in the cache.
	for (const expected of [[1, 4, 3], []]) {
		const {hits} = await docs.search('ice', {retriever: 'dense', include: ['text', 'sentence']});
		t.is(hits[0]!.document, 'comet');
		t.is(sliced(hits[0]!.text, hits[0]!.sentence), 'Its core is made of ice and dust.');
		t.deepEqual(batches.splice(0), expected);
	}
});

test('a search that is aborted while sentences are encoded rejects with the reason of the abort', async t => {
	const controller = new AbortController();
	const reason = new Error('enough');
	let calls = 0;
	const encoder: Encoder = {
		dim: 2,
		async encode(inputs, {signal} = {}) {
			calls += 1;
			if (calls === 3) {
				// The first call encodes the passages, the second one the question, and the third one the sentences.
				controller.abort(reason);
				signal!.throwIfAborted();
			}
			return {data: new Float32Array(inputs.length * 2).fill(1), rows: inputs.length, dim: 2};
		},
	};
	const docs = await added(t, articles, {encoder});
	const error = await t.throwsAsync(docs.search('x', {retriever: 'dense', include: ['sentence'], signal: controller.signal}));
	t.is(error, reason);
	t.is(calls, 3);
	t.is((await docs.search('x', {retriever: 'dense', include: ['sentence']})).hits.length, 3);
});

test('include: sentence is refused if there are no vectors that can choose a sentence, and the message says why', async t => {
	const encoder = encoder2d(() => [1, 0]);
	const withoutVectors = await added(t, [{id: 'a', text: 'One. Two.'}], {encoder: false});
	const withGivenVectors = await added(t, [{id: 'a', text: 'One. Two.', vector: [1, 0]}], {encoder: false, vectors: {dim: 2}});
	const encoded = await added(t, articles, {encoder});
	const include = ['sentence'] as const;
	for (const [call, message] of [
		[
			async () => withoutVectors.search('one', {include}),
			/^include: sentence: expected the retriever dense or hybrid, since the collection has no vectors, got bm25; highlights/u,
		],
		[
			async () => encoded.search('one', {retriever: 'bm25', include}),
			/^include: sentence: expected the retriever dense or hybrid, since vectors choose the sentence, got bm25/u,
		],
		[
			async () => withGivenVectors.search('one', {vector: [1, 0], k: 0, include}),
			/^include: sentence: expected a collection with a passage encoder, .*, got one whose vectors come with the documents/u,
		],
		[async () => encoded.search('one', {include: ['sentences' as 'sentence']}), /^include\[0\]: expected .*sentence, got "sentences"/u],
	] as const) {
		await t.throwsAsync(call(), {code: 'ERR_ARGUMENT', message});
	}
	const path = await mkdtemp(join(tmpdir(), 'passagekit-sentences-'));
	t.teardown(async () => rm(path, {recursive: true, force: true}));
	await using built = await Collection.build([{id: 'p', text: 'One. Two.'}], join(path, 'built'), {encoder: false});
	await t.throwsAsync(built.search('one', {include}), {code: 'ERR_ARGUMENT', message: /include: sentence: .*Collection\.build made/u});
});

test('a collection whose vectors came with the documents returns sentences if it is opened with the encoder of the passages', async t => {
	const path = await mkdtemp(join(tmpdir(), 'passagekit-sentences-'));
	t.teardown(async () => rm(path, {recursive: true, force: true}));
	const created = await Collection.open(path, {create: true, encoder: false, vectors: {dim: 2}});
	await created.add({id: 'a', text: 'One is here. Two is there.', vector: [1, 0]});
	await created.close();
	await using docs = await Collection.open(path, {passageEncoder: encoder2d(text => (text.startsWith('Two') ? [1, 0] : [0, 1]))});
	const {hits} = await docs.search('one', {retriever: 'dense', vector: [1, 0], include: ['text', 'sentence']});
	t.is(sliced(hits[0]!.text, hits[0]!.sentence), 'Two is there.');
});

test('the error for a missing encoder object names the encoder, and invalid vectors of sentences are an error', async t => {
	const path = await mkdtemp(join(tmpdir(), 'passagekit-sentences-'));
	t.teardown(async () => rm(path, {recursive: true, force: true}));
	let vector = [1, 0];
	const encoder: Encoder = {
		dim: 2,
		identity: 'mine',
		encode: async inputs => ({data: Float32Array.from(inputs.flatMap(() => vector)), rows: inputs.length, dim: 2}),
	};
	const docs = await Collection.open(path, {create: true, encoder});
	await docs.add(articles);
	await docs.commit();
	const search = async (): Promise<unknown> => docs.search('x', {retriever: 'dense', vector: [1, 0], include: ['sentence']});
	vector = [1];
	await t.throwsAsync(search(), {code: 'ERR_DIMENSION', message: 'encoder: expected 7 vectors of dimension 2, got 7 with 7 numbers'});
	for (const value of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]) {
		vector = [0, value];
		await t.throwsAsync(search(), {
			code: 'ERR_ENCODER',
			message: /^encoder: expected finite numbers for ".*", inputs\[0\], got -?(NaN|Infinity)$/u,
		});
	}
	await docs.close();
	await using again = await Collection.open(path);
	await t.throwsAsync(again.search('x', {retriever: 'dense', vector: [1, 0], include: ['sentence']}), {
		code: 'ERR_ARGUMENT',
		message:
			'include: sentence: passageEncoder: expected the encoder that the collection was created with (mine), got none; pass it to Collection.open',
	});
});
