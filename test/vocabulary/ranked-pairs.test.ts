// Tests `rankPairs`, which ranks the tokens of questions and passages in the projections of their vectors onto the vocabulary.
import test from 'ava';
import {
	type EncodeOptions,
	type Encoder,
	type EncoderInput,
	OnnxEncoder,
	type Passage,
	type QuestionPassage,
	VocabularyProjection,
	encyclopedia,
	rankPairs,
	readPassages,
} from '../../ts/index.ts';

/** Reads the first passages of the example encyclopedia. */
async function firstPassages(count: number): Promise<Passage[]> {
	const found: Passage[] = [];
	for await (const passage of readPassages(encyclopedia().articles)) {
		found.push(passage);
		if (found.length === count) {
			break;
		}
	}
	return found;
}

test('the ranks of the tokens of question, title and text are positions in projections onto the whole vocabulary', async t => {
	await using encoder = await OnnxEncoder.load('tiny-encoder');
	const projection = await VocabularyProjection.load('tiny-encoder');
	const passages = await firstPassages(3);
	const pairs: QuestionPassage[] = passages.map((passage, i) => ({
		id: `q${i}`,
		question: `Who wrote about the ${passage.title}, and when?`,
		passage,
	}));
	let reported = 0;
	const ranked = await rankPairs(pairs, {encoder, projection}, {onProgress: ({done}) => (reported = done)});
	t.is(reported, 3);
	t.deepEqual(
		ranked.map(({id, passageId}) => [id, passageId]),
		pairs.map(({id, passage}) => [id, passage.id]),
	);
	// Encodes one question at a time, as `rankPairs` does.
	const questionVectors = await encoder.encode(
		pairs.map(({question}) => question),
		{batchTokens: 1},
	);
	const passageVectors = await encoder.encode(passages);
	const [questionProjections, passageProjections] = [
		await projection.project(questionVectors, {k: projection.size}),
		await projection.project(passageVectors, {k: projection.size}),
	];
	for (const [i, {tokens}] of ranked.entries()) {
		const {question, passage} = pairs[i]!;
		const inQuestion = projection.tokenize(question).ids;
		const inPassage = projection.tokenize(`${passage.title} ${passage.text}`).ids;
		// Each token occurs once in the result. The tokens of the question come first.
		t.deepEqual(
			tokens.map(({id}) => id),
			[...new Set([...inQuestion, ...inPassage])],
		);
		const rankIn = (list: ReadonlyArray<{readonly id: number}>, id: number): number => 1 + list.findIndex(token => token.id === id);
		for (const token of tokens) {
			t.is(token.questionRank, rankIn(questionProjections[i]!, token.id), `${token.token} in Q`);
			t.is(token.passageRank, rankIn(passageProjections[i]!, token.id), `${token.token} in P`);
			t.is(token.inQuestion, inQuestion.includes(token.id));
			t.is(token.inPassage, inPassage.includes(token.id));
		}
		// Only "wrote" is a content token among these six.
		t.deepEqual(
			tokens.filter(({token}) => ['the', 'who', 'and', ',', '?', 'wrote'].includes(token)).map(({token, content}) => [token, content]),
			[...new Set(tokens.map(({token}) => token))]
				.filter(token => ['the', 'who', 'and', ',', '?', 'wrote'].includes(token))
				.map(token => [token, token === 'wrote']),
		);
	}
	t.true(ranked[0]!.tokens.some(({inQuestion, inPassage}) => inQuestion && inPassage));
});

test('a passage with two questions is encoded once, and the caller can replace the list of stop words', async t => {
	await using encoder = await OnnxEncoder.load('tiny-encoder');
	const projection = await VocabularyProjection.load('tiny-encoder');
	const [passage] = await firstPassages(1);
	/** For each call of the passage encoder, the number of passages in the call. */
	const batchSizes: number[] = [];
	const countingEncoder: Encoder = {
		dim: encoder.dim,
		async encode(inputs: readonly EncoderInput[], options?: EncodeOptions) {
			batchSizes.push(inputs.length);
			return encoder.encode(inputs, options);
		},
	};
	const pairs = [
		{id: 'a', question: 'what is it?', passage: passage!},
		{id: 'b', question: 'where is it?', passage: passage!},
	];
	const [a, b] = await rankPairs(pairs, {encoder: countingEncoder, questionEncoder: encoder, projection}, {stopWords: ['is']});
	t.deepEqual(batchSizes, [1]);
	const rankOf = (pair: typeof a, word: string): number | undefined => pair!.tokens.find(({token}) => token === word)?.passageRank;
	t.is(rankOf(a, 'is'), rankOf(b, 'is'));
	t.deepEqual(
		a!.tokens.filter(({inQuestion}) => inQuestion).map(({token, content}) => [token, content]),
		[
			['what', true],
			['is', false],
			['it', true],
			['?', false],
		],
	);
});

test('invalid pairs are refused, with errors that say what was expected', async t => {
	await using encoder = await OnnxEncoder.load('tiny-encoder');
	const projection = await VocabularyProjection.load('tiny-encoder');
	const [passage] = await firstPassages(1);
	const pair = {id: 'a', question: 'what?', passage: passage!};
	await t.throwsAsync(rankPairs([pair, pair], {encoder, projection}), {
		code: 'ERR_DUPLICATE_ID',
		message: 'pairs[1]: expected a question once, got "a" again',
	});
	await t.throwsAsync(rankPairs([{...pair, question: 7 as never}], {encoder, projection}), {
		code: 'ERR_ARGUMENT',
		message: 'pairs[0]: question: expected a string, got number',
	});
	await t.throwsAsync(rankPairs('pairs' as never, {encoder, projection}), {code: 'ERR_ARGUMENT'});
	const wide: Encoder = {dim: 384, encode: async () => ({data: new Float32Array(0), rows: 0, dim: 384})};
	await t.throwsAsync(rankPairs([pair], {encoder: wide, projection}), {
		code: 'ERR_DIMENSION',
		message: 'encoder: expected vectors of dimension 128, got 384',
	});
	const reason = new Error('enough');
	await t.throwsAsync(rankPairs([pair], {encoder, projection}, {signal: AbortSignal.abort(reason)}), {is: reason});
	t.deepEqual(await rankPairs([], {encoder, projection}), []);
});
