// Tests how readers read passages that exceed the token limit: in overlapping windows, or truncated (`cut`).
import test from 'ava';
import {ExtractiveReader, type RetrievedPassage} from '../../ts/index.ts';

const question = 'In which year was the Suez Canal opened?';
const answer = 'The Suez Canal was opened to shipping in November 1869 after ten years of digging.';
const filler = 'Rain fell on the quiet hills and nobody spoke of it. ';
const passage = (text: string, id = 'p'): RetrievedPassage => ({id, text, score: 1});

test('an answer at the end of a long text is found with windows, but not if the text is cut', async t => {
	const text = `${filler.repeat(100)}🚀 ${answer}`;
	for (const scoring of ['original', 'normalized', 'probability', 'summedProbability'] as const) {
		const reader = await ExtractiveReader.load('minilm-reader');
		const [found] = await reader.read(question, [passage(text)], {scoring});
		t.regex(found!.text, /1869/u, scoring);
		t.is(text.slice(found!.start, found!.end), found!.text);
	}
	const cuttingReader = await ExtractiveReader.load('minilm-reader', {longPassages: 'cut'});
	for (const cut of await cuttingReader.read(question, [passage(text)], {k: 20})) {
		t.notRegex(cut.text, /1869/u);
	}
});

test('passages that fit are read in the same way with windows and with cutting, for any overlap', async t => {
	const passages = [passage(answer, 'a'), passage(filler, 'b')];
	const expected = await (await ExtractiveReader.load('minilm-reader', {longPassages: 'cut'})).read(question, passages, {k: 9});
	t.is(expected.length, 9);
	for (const overlapTokens of [0, 10, 50]) {
		const reader = await ExtractiveReader.load('minilm-reader', {overlapTokens});
		t.deepEqual(await reader.read(question, passages, {k: 9}), expected);
	}
});

test('an answer in two windows counts once', async t => {
	// About 80 tokens of text fit next to the question and the special tokens, and nearly all of them are also in a neighboring window.
	const reader = await ExtractiveReader.load('minilm-reader', {maxTokens: 96, maxQuestionTokens: 12, overlapTokens: 39});
	const text = `${filler.repeat(3)}${answer} ${filler.repeat(6)}`;
	const options = {k: 9, spansPerPassage: 4};
	const spans = await reader.read(question, [passage(text)], {...options, scoring: 'original'});
	t.is(new Set(spans.map(({text}) => text)).size, 4, 'the four spans are distinct');
	// With one passage, the normalized score of an answer is the softmax over the scores of the spans.
	const sum = spans.reduce((sum, {score}) => sum + Math.exp(score), 0);
	const answers = await reader.read(question, [passage(text)], options);
	t.deepEqual(
		answers.map(({text, start}) => `${start} ${text}`),
		spans.map(({text, start}) => `${start} ${text}`),
	);
	for (const [i, {score}] of answers.entries()) {
		t.true(Math.abs(score - Math.exp(spans[i]!.score) / sum) < 1e-9);
	}
});

test('the order of the passages does not change scores', async t => {
	// With 400 tokens per batch, the twelve passages need several batches.
	const reader = await ExtractiveReader.load('minilm-reader', {batchTokens: 400});
	const passages = Array.from({length: 12}, (_, i) => passage(`${filler.repeat(i % 5)}${answer.replace('ten', String(i))}`, `p${i}`));
	const forward = await reader.read(question, passages, {k: 30, scoring: 'original'});
	const backward = await reader.read(question, passages.toReversed(), {k: 30, scoring: 'original'});
	const sorted = (answers: typeof forward): string[] => answers.map(({text, score}) => `${text} ${score}`).toSorted();
	t.deepEqual(sorted(forward), sorted(backward));
});

test('offsets are correct next to accents, capitals, emoji, CJK characters and combining marks', async t => {
	const reader = await ExtractiveReader.load('minilm-reader');
	for (const place of [
		'Ávila',
		'A\u0301vila',
		'ÎLE-DE-FRANCE',
		'Mu\u0308nchen',
		'東京',
		'👩‍👩‍👧 Park 🚀',
		'Łódź',
		'caf\u00E9',
		'cafe\u0301',
	]) {
		const text = `🚀 É\u0301 Kö\u0308ln. The fair of 1869 was held in ${place}`;
		const answers = await reader.read('Where was the fair held?', [passage(text)], {k: 40, spansPerPassage: 40, maxAnswerTokens: 12});
		for (const {text: found, start, end} of answers) {
			t.is(text.slice(start, end), found);
			t.notRegex(text.slice(end), /^\p{M}/u, `"${found}" ends before a combining mark`);
		}
		t.true(
			answers.some(({end}) => end === text.length),
			`an answer ends where ${place} ends`,
		);
	}
});

test('empty texts, a huge word and a question that exceeds the token limit can be read', async t => {
	const reader = await ExtractiveReader.load('minilm-reader');
	t.deepEqual(await reader.read(question, [passage('')]), []);
	const huge = 'x'.repeat(100_000);
	t.is((await reader.read(question, [passage(huge)]))[0]!.text, huge);
	t.deepEqual(await reader.read('', [passage('')]), []);
	// Only the first 40 tokens of the question are read.
	const long = `${question} ${'and why '.repeat(200)}`;
	const [found] = await reader.read(long, [passage(answer)]);
	t.regex(found!.text, /1869/u);
});

test('invalid options for long passages are refused', async t => {
	const refused = async (options: object, message: string): Promise<void> => {
		await t.throwsAsync(ExtractiveReader.load('tiny-reader', options), {code: 'ERR_ARGUMENT', message});
	};
	await refused({longPassages: 'drop'}, 'longPassages: expected one of window, cut, got "drop"');
	await refused({overlapTokens: -1}, 'overlapTokens: expected a whole number of at least 0, got -1');
	await refused({titles: 'yes'}, 'titles: expected a boolean, got "yes"');
	// 256 tokens minus 40 of the question and 4 special tokens are 212. A title can have half of them, which leaves 106.
	await refused(
		{overlapTokens: 200},
		'overlapTokens: expected less than 106, the tokens that the longest question and title leave for the text, got 200',
	);
});
