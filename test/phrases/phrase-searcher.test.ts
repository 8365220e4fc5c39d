// Tests `PhraseSearcher`, alone and in a `HybridSearcher`, and indexing passages with `PhraseIndex.addPassages`.
import test from 'ava';
import {HybridSearcher, OnnxEncoder, PhraseIndex, type PhrasePlace, PhraseSearcher, PhraseSegmenter, type Query} from '../../ts/index.ts';

/** The sentences of each passage, by passage id. */
const passages: Readonly<Record<string, readonly string[]>> = {
	radium: ['Marie Curie was born in Warsaw. ', 'In 1898 she discovered radium with her husband. ', 'She liked to ride a bicycle.'],
	tower: ['The tower in Paris is named after an engineer. ', 'It was finished in 1889 for a fair.'],
	honey: ['Bees gather nectar. ', 'From it they make honey, which does not spoil.'],
};

const questions: Query[] = [
	{id: 'q1', text: 'who found the element radium?'},
	{id: 'q2', text: 'in which year was it finished for the fair?'},
	{id: 'q3', text: 'which food never goes bad?'},
];

test('a phrase searcher finds the passage and the phrase, works in a hybrid searcher, and refuses an index of another encoder', async t => {
	const encoder = await OnnxEncoder.load('minilm-encoder');
	const phrases: PhrasePlace[] = Object.entries(passages).flatMap(([id, sentences]) =>
		sentences.map((text, at) => {
			const start = sentences.slice(0, at).join('').length;
			return {id, start, end: start + text.trim().length};
		}),
	);
	const vectors = await encoder.encode(Object.values(passages).flat());
	await using index = new PhraseIndex({dim: encoder.dim, metadata: {encoder: encoder.identity!}});
	await index.add(phrases, vectors);
	const searcher = new PhraseSearcher({encoder, index});

	const best = await Promise.all(questions.map(async ({text}) => (await searcher.search(text, {k: 1}))[0]!));
	t.deepEqual(
		best.map(({id, start, end}) => passages[id]!.join('').slice(start, end)),
		[
			'In 1898 she discovered radium with her husband.',
			'It was finished in 1889 for a fair.',
			'From it they make honey, which does not spoil.',
		],
	);
	const run = await searcher.searchMany(questions, {k: 3});
	for (const {id, text} of questions) {
		const alone = (await searcher.search(text, {k: 3})).map(hit => ({id: hit.id, score: hit.score}));
		t.deepEqual(run.get(id), alone);
		t.is(new Set(alone.map(hit => hit.id)).size, 3);
	}
	const hybrid = new HybridSearcher({searchers: [searcher, searcher], fusion: {method: 'rrf'}});
	t.deepEqual(
		[...(await hybrid.searchMany(questions, {k: 1})).values()].map(([hit]) => hit!.id),
		['radium', 'tower', 'honey'],
	);

	// `searchWithPhrases` returns the best passages and the best phrases. The scores of these phrases come from a second index, whose vectors
	// are not normalized: they are 1, 2 or 3 times as long as those of the encoder.
	await using unnormalizedIndex = new PhraseIndex({dim: encoder.dim, normalize: false, metadata: {encoder: encoder.identity!}});
	const unnormalized = {...vectors, data: vectors.data.map((x, i) => x * (1 + (Math.floor(i / encoder.dim) % 3)))};
	await unnormalizedIndex.add(phrases, unnormalized);
	const both = new PhraseSearcher({encoder, index, unnormalizedIndex});
	const many = await both.searchManyWithPhrases(questions, {k: 2, maxPhrases: 4});
	for (const {id, text} of questions) {
		const {hits, phrases: found} = await both.searchWithPhrases(text, {k: 2, maxPhrases: 4});
		t.deepEqual(hits, await searcher.search(text, {k: 2}));
		const question = (await encoder.encode([text])).data;
		const products = phrases.map((phrase, row) => {
			const vector = unnormalized.data.subarray(row * encoder.dim, (row + 1) * encoder.dim);
			return {...phrase, score: vector.reduce((sum, x, i) => sum + x * question[i]!, 0)};
		});
		const expected = products.sort((a, b) => b.score - a.score).slice(0, 4);
		t.deepEqual(
			found.map(({id, start, end}) => ({id, start, end})),
			expected.map(({id, start, end}) => ({id, start, end})),
		);
		t.true(found.every(({score}, i) => Math.abs(score - expected[i]!.score) < 1e-5));
		t.deepEqual(many.run.get(id), run.get(id)!.slice(0, 2));
		t.deepEqual(
			many.phrases.get(id),
			found.map(({id, start, end, score}) => ({id: `${id}:${start}-${end}`, score})),
		);
	}

	await using other = new PhraseIndex({dim: encoder.dim, metadata: {encoder: 'another'}});
	t.throws(() => new PhraseSearcher({encoder, index: other}), {code: 'ERR_ENCODER_MISMATCH', message: /expected .* another, got/u});
	await using small = new PhraseIndex({dim: 3});
	t.throws(() => new PhraseSearcher({encoder, index: small}), {code: 'ERR_DIMENSION'});
});

test('addPassages splits passages into phrases, encodes them and indexes them', async t => {
	const encoder = await OnnxEncoder.load('minilm-encoder');
	const segmenter = await PhraseSegmenter.open({sentences: 1});
	const all = Object.entries(passages).map(([id, sentences]) => ({id, text: sentences.join('')}));
	await using index = new PhraseIndex({dim: encoder.dim});
	const seen: number[] = [];
	const added = await index.addPassages([...all, {id: 'blank', text: ' \n'}], {
		encoder,
		segmenter,
		onProgress: ({done}) => seen.push(done),
	});
	t.deepEqual([added, seen], [{passages: 3, phrases: 7}, [4]]);
	t.deepEqual(
		(await index.phrases('radium')).map(({start, end}) => all[0]!.text.slice(start, end)),
		passages['radium']!.map(sentence => sentence.trim()),
	);
	const [hit] = await new PhraseSearcher({encoder, index}).search('who found the element radium?', {k: 1});
	t.is(all[0]!.text.slice(hit!.start, hit!.end), 'In 1898 she discovered radium with her husband.');

	await using titled = new PhraseIndex({dim: encoder.dim});
	await titled.addPassages([{id: 'a', title: 'Bees', text: 'They make honey.'}], {encoder, segmenter});
	const alone = await encoder.encode([{title: 'Bees', text: 'They make honey.'}]);
	// The phrase was encoded with the title: its normalized vector has the direction of `alone`.
	t.true(Math.abs((await titled.search(alone.data))[0]!.score - Math.hypot(...alone.data)) < 1e-5);
	await titled.delete(['a']);
	await titled.addPassages([{id: 'a', title: 'Bees', text: 'They make honey.'}], {encoder, segmenter, titles: false});
	t.true((await titled.search(alone.data))[0]!.score < 0.999 * Math.hypot(...alone.data));

	await t.throwsAsync(index.addPassages([], {encoder, segmenter: {} as PhraseSegmenter}), {message: /expected a PhraseSegmenter/u});
	await t.throwsAsync(index.addPassages([{id: 'a'} as never], {encoder, segmenter}), {message: /passages\[0\]: text/u});
	const stop = AbortSignal.abort(new Error('enough'));
	await t.throwsAsync(index.addPassages([{id: 'new', text: 'A sentence.'}], {encoder, segmenter, signal: stop}), {message: 'enough'});
	t.is(await index.passageCount(), 3);
});
