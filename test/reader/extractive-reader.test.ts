// Tests `ExtractiveReader`: offsets, evidence fusion, limits and errors.
import test from 'ava';
import {ExtractiveReader, type RetrievedPassage, RetrievalError} from '../../ts/index.ts';

const passages: RetrievedPassage[] = [
	{id: 'piano', title: 'Piano', text: 'Bartolomeo Cristofori built the first pianos in Florence.', score: 1},
	{
		id: 'suez',
		title: 'Suez Canal',
		text: '🚀 The Suez Canal was opened to shipping in November 1869 after ten years of digging.',
		score: 12,
	},
];
const question = 'In which month and year was the Suez Canal opened?';

test("each answer is the part of its passage between the answer's offsets", async t => {
	const reader = await ExtractiveReader.load('minilm-reader');
	for (const scoring of ['original', 'normalized', 'probability', 'summedProbability'] as const) {
		const answers = await reader.read(question, passages, {scoring, k: 5});
		t.regex(answers[0]!.text, /1869/u, scoring);
		t.is(answers[0]!.passageId, 'suez');
		t.is(new Set(answers.map(({text}) => text)).size, answers.length, 'no text is returned twice');
		for (const {text, passageId, start, end} of answers) {
			t.is(passages.find(({id}) => id === passageId)!.text.slice(start, end), text);
		}
		if (scoring !== 'original') {
			t.true(answers.every(({score}, i) => score > 0 && score <= 1 && (i === 0 || score <= answers[i - 1]!.score)));
		}
	}
});

test('with evidence fusion, the retrieval score can decide between passages', async t => {
	const reader = await ExtractiveReader.load('minilm-reader');
	/**
	Returns the id of the passage with the best answer if retrieval scores are weighted by `gamma`. The passage about pianos has the
	retrieval score 100, the other one 0.
	*/
	const read = async (gamma: number): Promise<string> =>
		(
			await reader.read(
				question,
				passages.map((passage, i) => ({...passage, score: i === 0 ? 100 : 0})),
				{evidence: {beta: 1, gamma}},
			)
		)[0]!.passageId;
	t.is(await read(0), 'suez');
	t.is(await read(1), 'piano');
});

test('limits on answers are respected, and without passages or without text there are no answers', async t => {
	const reader = await ExtractiveReader.load('minilm-reader');
	const [one] = await reader.read(question, passages, {maxAnswerTokens: 1});
	t.notRegex(one!.text, /\s/u);
	t.is((await reader.read(question, passages, {k: 2})).length, 2);
	t.deepEqual(await reader.read(question, []), []);
	t.deepEqual(await reader.read(question, [{id: 'x', text: '', score: 0}]), []);
});

test('invalid arguments are refused, and so is an encoder in place of a reader', async t => {
	const reader = await ExtractiveReader.load('minilm-reader');
	await t.throwsAsync(reader.read(question, [{id: 'x', text: 'y', score: Number.NaN}]), {
		instanceOf: RetrievalError,
		message: 'passages[0]: score: expected a finite number, got NaN',
	});
	await t.throwsAsync(reader.read(question, passages, {scoring: 'best' as 'original'}), {
		message: 'scoring: expected one of original, normalized, probability, summedProbability, got "best"',
	});
	await t.throwsAsync(ExtractiveReader.load('minilm-encoder'), {
		code: 'ERR_MODEL',
		message: /expected outputs start_logits and end_logits .*, got outputs last_hidden_state/u,
	});
	reader.close();
	await t.throwsAsync(reader.read(question, passages), {code: 'ERR_CLOSED'});
});
