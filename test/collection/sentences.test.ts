// Tests the best sentences of hits: which sentence it is, its offsets, when it is refused, and that searches for it can be aborted.
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

async function opened(t: ExecutionContext, options: CollectionOptions): Promise<Collection> {
	const path = await mkdtemp(join(tmpdir(), 'passagekit-sentences-'));
	const docs = await Collection.open(join(path, 'index'), {create: true, split: false, ...options});
	t.teardown(async () => {
		await docs.close({discard: true});
		await rm(path, {recursive: true, force: true});
	});
	return docs;
}

async function added(t: ExecutionContext, documents: readonly Document[], options: CollectionOptions): Promise<Collection> {
	const docs = await opened(t, options);
	await docs.add(documents);
	await docs.commit();
	return docs;
}

const sliced = (text: string, {start, end}: Highlight): string => text.slice(start, end);

const product = (a: Float32Array, b: Float32Array): number => a.reduce((sum, value, i) => sum + value * b[i]!, 0);

/** An encoder whose vectors of two numbers are `vectorOf` of the texts, without titles. `calls` has the inputs of each call. */
function planar(vectorOf: (text: string) => readonly [number, number]): Encoder & {readonly calls: EncoderInput[][]} {
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
	test(`the sentence of a ${retriever} hit has the highest inner product with the question among separately encoded sentences`, async t => {
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
				const scores = [];
				for (const phrase of segmenter.segment(text)) {
					const {data} = await encoder.encode([title === undefined ? phrase.text : {title, text: phrase.text}]);
					scores.push({place: {start: phrase.start, end: phrase.end}, score: product(query, data)});
				}
				t.deepEqual(sentence, scores.toSorted((a, b) => b.score - a.score)[0]!.place, question);
			}
			found.add(sliced(hits[0]!.text, hits[0]!.sentence));
			// The sentence is the same whatever else is found.
			const [first] = (await docs.search(question, {retriever, k: 1, include: ['sentence']})).hits;
			t.deepEqual(first!.sentence, hits[0]!.sentence);
		}
		t.true(found.has('It was opened in 1890.'));
	});
}

test('for most questions of the encyclopedia, the sentence of the gold passage has the words that answer the question', async t => {
	const {articles: folder, questions} = encyclopedia();
	const all = await questions('dev');
	const files = [...new Set(all.map(({passage}) => passage.slice(0, passage.indexOf('#'))))];
	const documents = files.map(async id => {
		const [, title, text] = /^# ([^\n]+)\n+(.+)$/su.exec(await readFile(join(folder, id), 'utf8'))!;
		return {id, title: title!, text: text!};
	});
	const docs = await added(t, await Promise.all(documents), {split: {words: 100}});
	let [passages, answered] = [0, 0];
	for (const {text: question, passage, evidence} of all) {
		const filter = {documents: [passage.slice(0, passage.indexOf('#'))]};
		const {hits} = await docs.search(question, {retriever: 'dense', filter, include: ['text', 'sentence']});
		for (const {text, sentence} of hits.filter(hit => hit.text.includes(evidence))) {
			passages += 1;
			answered += sliced(text, sentence).includes(evidence) ? 1 : 0;
		}
	}
	// The words of some answers are in two passages.
	t.true(passages > 0.5 * all.length, `${passages} of ${all.length}`);
	// A random sentence has the answer in a fifth of the cases.
	t.true(answered > 0.8 * passages, `${answered} of ${passages}`);
});

test('offsets count UTF-16 code units, also after emoji, in Japanese and in German', async t => {
	const texts = [
		'🌉🌉 Bridges are long. 🕰️ Clocks are needles! 👩‍👩‍👧 Families are large.',
		'吾輩は猫である。針はまだ無い。𠮷野家で食べた。',
		'Die Brücke ist z. B. aus Stahl. Die Nadel wäre größer. Übrigens schneit es.',
		'Café was de\u0301compose\u0301. The needle is here.\r\n\r\n  Last one.  ',
	];
	const encoder = planar(text => (/needle|針|Nadel/u.test(text) && !/Bridges|吾輩|Brücke|Café/u.test(text) ? [1, 0] : [0, 1]));
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

test('the sentences of all hits are encoded in one call with their titles, except the single sentences of texts', async t => {
	const encoder = planar(text => [text.length, 1]);
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

test('a search without hits finds no sentences, and of equally similar sentences the first one is returned', async t => {
	const docs = await added(t, articles, {encoder: planar(() => [0.6, 0.8])});
	t.deepEqual((await docs.search('', {retriever: 'dense', k: 0, include: ['sentence']})).hits, []);
	t.deepEqual((await docs.search('x', {filter: {documents: ['none']}, include: ['sentence']})).hits, []);
	const {hits} = await docs.search('question', {include: ['text', 'sentence']});
	t.deepEqual(hits.map(({text, sentence}) => sliced(text, sentence)).toSorted(), [
		'A pendulum keeps time.',
		'Halley’s Comet is seen every 75 years.',
		'It stands west of Edinburgh.',
	]);
});

test('the similarity of the collection compares the sentences', async t => {
	// With the query [1, 0]: inner products 5, 1 and 0.9; cosines 0.71, 0.71… and 1; distances 6.4, 1 and 0.1.
	const vectors: Record<string, readonly [number, number]> = {'Long one.': [5, 5], 'Even one.': [1, 1], 'Near one.': [0.9, 0]};
	const encoder = planar(text => vectors[text] ?? [1, 0]);
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
	const other = planar(text => (text === 'Far one.' ? [3, 0.1] : [1, 0.5]));
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

test('sentences are encoded by the encoder of passages, and compared with the vector of the question encoder', async t => {
	const passageEncoder = planar(text => (text.startsWith('Its core') ? [0, 1] : [1, 0]));
	const questionEncoder = planar(() => [0, 1]);
	const docs = await added(t, articles, {passageEncoder, questionEncoder});
	const {hits} = await docs.search('question', {retriever: 'dense', filter: {documents: ['comet']}, include: ['text', 'sentence']});
	t.is(sliced(hits[0]!.text, hits[0]!.sentence), 'Its core is made of ice and dust.');
	t.deepEqual(questionEncoder.calls, [['question']]);
});

test('with createEncoder, sentences are embedded in batches, and its cache keeps their vectors', async t => {
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
	for (const expected of [[1, 4, 3], []]) {
		const {hits} = await docs.search('ice', {retriever: 'dense', include: ['text', 'sentence']});
		t.is(hits[0]!.document, 'comet');
		t.is(sliced(hits[0]!.text, hits[0]!.sentence), 'Its core is made of ice and dust.');
		t.deepEqual(batches.splice(0), expected);
	}
});

test('an abort while sentences are encoded rejects the search with its reason', async t => {
	const controller = new AbortController();
	const reason = new Error('enough');
	let calls = 0;
	const encoder: Encoder = {
		dim: 2,
		async encode(inputs, {signal} = {}) {
			calls += 1;
			if (calls === 3) {
				// The third call, after those for the passages and for the question, is that for the sentences.
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

test('sentences are refused where no vector can choose them, and the message says why', async t => {
	const encoder = planar(() => [1, 0]);
	const words = await added(t, [{id: 'a', text: 'One. Two.'}], {encoder: false});
	const given = await added(t, [{id: 'a', text: 'One. Two.', vector: [1, 0]}], {encoder: false, vectors: {dim: 2}});
	const encoded = await added(t, articles, {encoder});
	const include = ['sentence'] as const;
	for (const [call, message] of [
		[
			async () => words.search('one', {include}),
			/^include: sentence: expected the retriever dense or hybrid, since the collection has no vectors, got bm25; highlights/u,
		],
		[
			async () => encoded.search('one', {retriever: 'bm25', include}),
			/^include: sentence: expected the retriever dense or hybrid, since vectors choose the sentence, got bm25/u,
		],
		[
			async () => given.search('one', {vector: [1, 0], k: 0, include}),
			/^include: sentence: expected a collection with an encoder of passages, .*, got one whose vectors come with the documents/u,
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

test('a collection with given vectors finds sentences if it is opened with the encoder of its passages', async t => {
	const path = await mkdtemp(join(tmpdir(), 'passagekit-sentences-'));
	t.teardown(async () => rm(path, {recursive: true, force: true}));
	const make = await Collection.open(path, {create: true, encoder: false, vectors: {dim: 2}});
	await make.add({id: 'a', text: 'One is here. Two is there.', vector: [1, 0]});
	await make.close();
	await using docs = await Collection.open(path, {passageEncoder: planar(text => (text.startsWith('Two') ? [1, 0] : [0, 1]))});
	const {hits} = await docs.search('one', {retriever: 'dense', vector: [1, 0], include: ['text', 'sentence']});
	t.is(sliced(hits[0]!.text, hits[0]!.sentence), 'Two is there.');
});

test('an encoder of the caller that was not passed again is named, and invalid vectors of sentences are an error', async t => {
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
		await t.throwsAsync(search(), {code: 'ERR_ENCODER', message: /^encoder: expected finite numbers for the sentence "/u});
	}
	await docs.close();
	await using again = await Collection.open(path);
	await t.throwsAsync(again.search('x', {retriever: 'dense', vector: [1, 0], include: ['sentence']}), {
		code: 'ERR_ARGUMENT',
		message:
			'include: sentence: passageEncoder: expected the encoder that the collection was created with (mine), got none; pass it to Collection.open',
	});
});
