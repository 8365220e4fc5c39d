// Tests the two forms of reader models: DPR readers and question-answering models.
import test from 'ava';
import {ExtractiveReader, type RetrievedPassage} from '../../ts/index.ts';
import {modelWithoutOutputs} from '../support/onnx.ts';

const question = 'In which month and year was the Suez Canal opened?';
const passages: RetrievedPassage[] = [
	{id: 'piano', title: 'Piano', text: 'Bartolomeo Cristofori built the first pianos in Florence.', score: 1},
	{id: 'suez', title: 'Suez Canal', text: 'The Suez Canal was opened to shipping in November 1869.', score: 12},
];

test('the form of a model is recognized by the names of its outputs', async t => {
	const dpr = await ExtractiveReader.load('minilm-reader');
	t.is(dpr.form, 'dpr');
	const plain = await ExtractiveReader.load(await modelWithoutOutputs(t, 'minilm-reader', ['relevance_logit']));
	t.is(plain.form, 'question-answering');
	plain.close();
	t.throws(() => plain.form, {code: 'ERR_CLOSED'});
	const neither = await modelWithoutOutputs(t, 'tiny-reader', ['end_logits']);
	await t.throwsAsync(ExtractiveReader.load(neither), {
		code: 'ERR_MODEL',
		message:
			/expected outputs start_logits and end_logits \(a question-answering model\), or these and relevance_logit \(DPR's reader\), got outputs start_logits, relevance_logit$/u,
	});
});

test('a question-answering model finds the answer in the passage whose best span beats "no answer" by the most', async t => {
	const reader = await ExtractiveReader.load(await modelWithoutOutputs(t, 'minilm-reader', ['relevance_logit']));
	for (const scoring of ['original', 'normalized', 'probability', 'summedProbability'] as const) {
		const answers = await reader.read(question, passages, {scoring, k: 3});
		t.true(answers.length > 0);
		for (const {text, passageId, start, end} of answers) {
			t.is(passages.find(({id}) => id === passageId)!.text.slice(start, end), text);
		}
	}
	const [best] = await reader.read(question, passages);
	t.is(best!.passageId, 'suez');
	t.regex(best!.text, /1869/u);
});

test('the relevance of a question-answering model is the score of the best span minus the score of "no answer"', async t => {
	const reader = await ExtractiveReader.load(await modelWithoutOutputs(t, 'minilm-reader', ['relevance_logit']));
	/** How much the two passages differ in relevance and in the score of their best spans. */
	const differences = async (maxAnswerTokens: number): Promise<{relevance: number; bestSpan: number}> => {
		const options = {maxAnswerTokens, spansPerPassage: 1, k: 2};
		// With one span per passage, the normalized score is exp(relevance) / Σ exp(relevance), the sum over the passages.
		const normalized = await reader.read(question, passages, {...options, scoring: 'normalized'});
		const spans = await reader.read(question, passages, {...options, scoring: 'original'});
		const scoreIn = (answers: typeof spans, id: string): number => answers.find(({passageId}) => passageId === id)!.score;
		return {
			relevance: Math.log(scoreIn(normalized, 'suez') / scoreIn(normalized, 'piano')),
			bestSpan: scoreIn(spans, 'suez') - scoreIn(spans, 'piano'),
		};
	};
	const [short, long] = [await differences(1), await differences(10)];
	t.not(short.bestSpan, long.bestSpan);
	// The score of "no answer" does not depend on `maxAnswerTokens`, so the limit changes both differences by the same amount.
	t.true(Math.abs(long.relevance - short.relevance - (long.bestSpan - short.bestSpan)) < 1e-4, JSON.stringify({short, long}));
	// The relevance logit of a DPR reader does not depend on spans.
	const dpr = await ExtractiveReader.load('minilm-reader');
	const firstScore = async (maxAnswerTokens: number): Promise<number> =>
		(await dpr.read(question, passages, {maxAnswerTokens, spansPerPassage: 1}))[0]!.score;
	t.is(await firstScore(1), await firstScore(10));
});

test('titles change the answers of a question-answering model only with the option titles', async t => {
	const folder = await modelWithoutOutputs(t, 'tiny-reader', ['relevance_logit']);
	const untitled = passages.map(({id, text, score}) => ({id, text, score}));
	const withoutTitles = await ExtractiveReader.load(folder);
	const expected = await withoutTitles.read(question, untitled, {k: 5, scoring: 'original'});
	t.deepEqual(await withoutTitles.read(question, passages, {k: 5, scoring: 'original'}), expected);
	const withTitles = await ExtractiveReader.load(folder, {titles: true});
	t.notDeepEqual(await withTitles.read(question, passages, {k: 5, scoring: 'original'}), expected);
	// DPR readers read titles by default.
	const dpr = await ExtractiveReader.load('tiny-reader', {titles: false});
	const never = await dpr.read(question, passages, {k: 5, scoring: 'original'});
	t.deepEqual(never, await dpr.read(question, untitled, {k: 5, scoring: 'original'}));
	t.notDeepEqual(never, await (await ExtractiveReader.load('tiny-reader')).read(question, passages, {k: 5, scoring: 'original'}));
});

test('with the model_type dpr in config.json, a model gets the input of the original DPR code, and its scores change', async t => {
	const unchanged = await ExtractiveReader.load(await modelWithoutOutputs(t, 'tiny-reader', []));
	const original = await ExtractiveReader.load(await modelWithoutOutputs(t, 'tiny-reader', [], '{"model_type": "dpr"}'));
	const read = async (reader: ExtractiveReader): Promise<unknown> => reader.read(question, passages, {k: 5, scoring: 'original'});
	t.deepEqual(await read(unchanged), await read(await ExtractiveReader.load('tiny-reader')));
	t.notDeepEqual(await read(original), await read(unchanged));
});
