// Tests explanations of why a passage matches a question.
import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import test from 'ava';
import {Bm25Index, OnnxEncoder, type Passage, VocabularyProjection, explainMatch, explanationHtml, rankPairs} from '../../ts/index.ts';
import {escaped} from '../../ts/drawing/html.ts';
import {shownExplanation} from '../../ts/cli/explanation.ts';

const passage: Passage = {
	id: 'court',
	title: 'The Court <of> Appeal',
	text: 'The court has nine judges & a president. Its judges are appointed by the parliament for twelve years.',
};
const question = 'How many judges serve on the court?';

test('an explanation contains both projections, the shared, query-expansion and forgotten tokens, and the BM25 contributions', async t => {
	const folder = await mkdtemp(join(tmpdir(), 'passagekit-explain-'));
	t.teardown(async () => rm(folder, {recursive: true, force: true}));
	await using encoder = await OnnxEncoder.load('minilm-encoder');
	const projection = await VocabularyProjection.load('minilm-mlm-head');
	await using bm25 = await Bm25Index.build(folder, [passage, {id: 'other', text: 'A river.'}]);
	const explanation = await explainMatch(question, passage, {encoder, projection, bm25}, {k: 12, forgottenAfter: 5});
	const {dense, marked} = explanation;

	const questionVector = await encoder.encode([question]);
	const passageVector = await encoder.encode([passage]);
	const [q] = await projection.project(questionVector, {k: 12});
	const [p] = await projection.project(passageVector, {k: 12});
	t.deepEqual(
		[dense.question, dense.passage].map(tokens => tokens.map(({rank, id, token, probability}) => [rank, id, token, probability])),
		[q!, p!].map(tokens => tokens.map(({id, token, probability}, i) => [i + 1, id, token, probability])),
	);
	const similarity = questionVector.data.reduce((sum, value, i) => sum + value * passageVector.data[i]!, 0);
	t.is(dense.similarity, similarity);
	// The content words that both texts share, in the order of the question. "the" is a stop word, so it is not among them.
	t.deepEqual(
		dense.shared.map(({token}) => token),
		['judges', 'court'],
	);
	const [ranked] = await rankPairs([{id: 'q', question, passage}], {encoder, projection});
	t.deepEqual(dense.ranked, ranked!.tokens);
	for (const {origin, id} of [...dense.question, ...dense.passage]) {
		const known = ranked!.tokens.find(token => token.id === id);
		t.is(origin, known === undefined ? 'other' : known.inQuestion ? (known.inPassage ? 'shared' : 'question') : 'passage');
	}
	t.deepEqual(
		dense.forgotten.map(({token}) => token).toSorted(),
		dense.shared
			.filter(({passageRank}) => passageRank > 5)
			.map(({token}) => token)
			.toSorted(),
	);
	t.true(
		dense.expansion.every(({inQuestion, inPassage, content, questionRank}) => !inQuestion && inPassage && content && questionRank <= 12),
	);

	// The parts of a text, joined together, are the whole text. Both occurrences of "judges" in the passage are marked.
	for (const [parts, text] of [
		[marked.question, question],
		[marked.title, passage.title!],
		[marked.text, passage.text],
	] as const) {
		t.is(parts.map(part => part.text).join(''), text);
	}
	const isForgotten = dense.forgotten.some(({token}) => token === 'judges');
	t.deepEqual(
		marked.text.filter(part => part.text === 'judges').map(part => part.kind),
		[isForgotten ? 'forgotten' : 'shared', isForgotten ? 'forgotten' : 'shared'],
	);
	t.false(marked.text.some(({text, kind}) => kind !== undefined && text === 'the'));
	t.deepEqual(explanation.bm25, await bm25.explain(question, 'court'));

	const html = explanationHtml([explanation, explanation], {headings: ['First', 'Second']});
	// The output is deterministic, texts are escaped, and the page loads nothing and runs no script.
	t.is(html, explanationHtml([explanation, explanation], {headings: ['First', 'Second']}));
	t.true(html.includes('&lt;of&gt;') && !html.includes('<of>'));
	t.false(/<script|@import|url\(|<img|undefined|NaN/u.test(html));
	for (const {token} of [...dense.question, ...dense.passage, ...dense.shared, ...dense.expansion]) {
		t.true(html.includes(escaped(token)), token);
	}
	for (const {term, contribution} of explanation.bm25!.terms) {
		t.true(html.includes(escaped(term)) && html.includes(contribution.toFixed(2)), term);
	}
	const text = shownExplanation(explanation, 'First', 100);
	t.false(/undefined|NaN/u.test(text));
	// Lines fit the given width of 100 columns, except captions of tables, which are not wrapped.
	t.true(
		text.split('\n').every(line => [...line].length <= 100 || /^(?:Shared tokens|Query expansion|BM25) /u.test(line)),
		text,
	);
});

test('invalid arguments are refused', async t => {
	await using encoder = await OnnxEncoder.load('tiny-encoder');
	const projection = await VocabularyProjection.load('tiny-encoder');
	await t.throwsAsync(explainMatch(7 as never, passage, {encoder, projection}), {code: 'ERR_ARGUMENT'});
	await t.throwsAsync(explainMatch('who?', passage, {encoder, projection}, {k: 0}), {code: 'ERR_ARGUMENT'});
	await t.throwsAsync(explainMatch('who?', {id: 'x'} as never, {encoder, projection}), {
		code: 'ERR_ARGUMENT',
		message: 'passage: text: expected a string, got undefined',
	});
});
