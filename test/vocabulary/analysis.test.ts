// Tests analyses of vocabulary projections: coverage, MRR, query expansion and token amnesia.
import test from 'ava';
import {
	type Hit,
	type RankedPair,
	type RankedToken,
	analyzeVocabulary,
	foundBySparse,
	queryExpansion,
	tokenAmnesia,
	tokenCoverage,
	tokenMrr,
	topComposition,
} from '../../ts/index.ts';
import {isContent} from '../../ts/vocabulary/analysis/stop-words.ts';

let ids = 0;

/** `where` is q for tokens of the question and p for tokens of the passage. */
function token(word: string, where: 'q' | 'p' | 'qp', content: boolean, questionRank: number, passageRank: number): RankedToken {
	return {
		token: word,
		id: ids++,
		inQuestion: where.includes('q'),
		inPassage: where.includes('p'),
		content,
		questionRank,
		passageRank,
	};
}

/** Two pairs: "who built bridge ?" with "the bridge engineer ?", and "gold rush" with "gold rush river". */
const pairs: readonly RankedPair[] = [
	{
		id: 'a',
		passageId: 'pa',
		tokens: [
			token('who', 'q', false, 5, 900),
			token('built', 'q', true, 3, 40),
			token('bridge', 'qp', true, 1, 2),
			token('?', 'qp', false, 10, 20),
			token('the', 'p', false, 2, 5),
			token('engineer', 'p', true, 4, 1),
		],
	},
	{
		id: 'b',
		passageId: 'pb',
		tokens: [token('gold', 'qp', true, 2, 200), token('rush', 'qp', true, 1, 10), token('river', 'p', true, 50, 4)],
	},
];

test('coverage is the share of shared tokens that are among the first k', async t => {
	// The shared tokens bridge, ?, gold and rush have ranks 1, 10, 2, 1 in Q and 2, 20, 200, 10 in P.
	t.deepEqual(await tokenCoverage(pairs, [1, 2, 10]), {shared: 4, question: [2 / 4, 3 / 4, 1], passage: [0, 1 / 4, 2 / 4]});
	// Without the question mark.
	t.deepEqual(await tokenCoverage(pairs, [1, 2, 10], 'content'), {shared: 3, question: [2 / 3, 1, 1], passage: [0, 1 / 3, 2 / 3]});
	t.deepEqual(await tokenCoverage([], [1]), {shared: 0, question: [0], passage: [0]});
});

test('token-level MRR is averaged over all tokens, and over pairs', async t => {
	const {shared, passage, passageOnly, question, questionOnly} = await tokenMrr(pairs);
	const near = (value: number, expected: number): void => {
		t.true(Math.abs(value - expected) < 1e-15, `${value}, ${expected}`);
	};
	t.deepEqual(
		[shared, passage, passageOnly, question, questionOnly].map(({tokens}) => tokens),
		[4, 7, 3, 6, 2],
	);
	near(shared.mrr, (1 / 2 + 1 / 20 + 1 / 200 + 1 / 10) / 4);
	near(shared.perPair, ((1 / 2 + 1 / 20) / 2 + (1 / 200 + 1 / 10) / 2) / 2);
	near(passage.mrr, (1 / 2 + 1 / 20 + 1 / 5 + 1 + 1 / 200 + 1 / 10 + 1 / 4) / 7);
	near(passageOnly.mrr, (1 / 5 + 1 + 1 / 4) / 3);
	near(question.mrr, (1 / 900 + 1 / 40 + 1 / 2 + 1 / 20 + 1 / 200 + 1 / 10) / 6);
	near(questionOnly.mrr, (1 / 900 + 1 / 40) / 2);
	// The second pair has no such token and does not count.
	near(questionOnly.perPair, (1 / 900 + 1 / 40) / 2);
	t.is((await tokenMrr(pairs, 'content')).questionOnly.mrr, 1 / 40);
});

test('query expansion is a content token that occurs only in the passage and ranks high in Q', async t => {
	// "engineer" has rank 4 and "river" has rank 50. "the" has rank 2 but is a stop word.
	t.deepEqual(await queryExpansion(pairs, [2, 3, 4, 49, 50]), [0, 0, 0.5, 0.5, 1]);
	t.deepEqual(await queryExpansion([], [1]), [0]);
});

test('each of the first k tokens is shared, belongs to one side, or to neither', async t => {
	const {question, passage} = await topComposition(pairs, [1, 5]);
	t.deepEqual(question, [
		{k: 1, shared: 1, questionOnly: 0, passageOnly: 0, other: 0, expansion: 0},
		// Of ten tokens, bridge, gold and rush are shared, who and built belong to the question, and the and engineer to the passage.
		{k: 5, shared: 3 / 10, questionOnly: 2 / 10, passageOnly: 2 / 10, other: 3 / 10, expansion: 1 / 10},
	]);
	t.deepEqual(passage, [
		{k: 1, shared: 0, questionOnly: 0, passageOnly: 1 / 2, other: 1 / 2, expansion: 1 / 2},
		// bridge is shared; the, engineer and river belong to the passage.
		{k: 5, shared: 1 / 10, questionOnly: 0, passageOnly: 3 / 10, other: 6 / 10, expansion: 2 / 10},
	]);
});

test('token amnesia is the worst and the median rank of shared content tokens, grouped by the rank of the passage', async t => {
	const hits = (...found: readonly string[]): Hit[] => found.map((id, i) => ({id, score: -i}));
	const run = new Map([
		['a', hits('x', 'pa')],
		['b', hits('x', 'y')],
	]);
	const stops: RankedPair = {id: 'c', passageId: 'pc', tokens: [token('of', 'qp', false, 1, 1)]};
	const same = (rank: number): Record<string, number> => ({low: rank, firstQuartile: rank, median: rank, thirdQuartile: rank, high: rank});
	t.deepEqual(await tokenAmnesia([...pairs, stops], run, [20, 5]), {
		groups: [
			// Only bridge counts.
			{from: 1, to: 5, questions: 1, max: {passage: same(2), question: same(1)}, median: {passage: same(2), question: same(1)}},
			// gold and rush have ranks 200 and 10 in P. The passage was not found.
			{from: 21, to: null, questions: 1, max: {passage: same(200), question: same(2)}, median: {passage: same(105), question: same(1.5)}},
		],
		without: 1,
	});

	// Quartiles are interpolated linearly, as in NumPy: 10 + 0.25 · 3 · 10.
	const four = [10, 20, 30, 40].map((rank, i): RankedPair => ({id: `q${i}`, passageId: 'p', tokens: [token('w', 'qp', true, 1, rank)]}));
	const {groups} = await tokenAmnesia(four, new Map(), [5]);
	t.deepEqual(groups[0]!.max.passage, {low: 11.5, firstQuartile: 17.5, median: 25, thirdQuartile: 32.5, high: 38.5});
	t.is(groups[0]!.from, 6);
});

test('the last rank of a group belongs to the group', async t => {
	const run = new Map([['a', [...'12345'].map(id => ({id: id === '5' ? 'pa' : id, score: -Number(id)}))]]);
	const {groups} = await tokenAmnesia(pairs.slice(0, 1), run, [5, 20]);
	t.deepEqual(
		groups.map(({from, to}) => [from, to]),
		[[1, 5]],
	);
	const later = await tokenAmnesia(pairs.slice(0, 1), run, [4, 20]);
	t.deepEqual(
		later.groups.map(({from, to}) => [from, to]),
		[[5, 20]],
	);
});

test('for questions that BM25 answers among its first hits, the best relevant passage is used', t => {
	const run = new Map([
		['q1', ['x', 'p7', 'p3'].map((id, i) => ({id, score: 9 - i}))],
		['q2', ['x', 'y', 'p1'].map((id, i) => ({id, score: 9 - i}))],
	]);
	const qrels = new Map([
		[
			'q1',
			new Map([
				['p3', 2],
				['p7', 1],
				['x', 0],
			]),
		],
		['q2', new Map([['p1', 1]])],
		['q3', new Map([['p1', 1]])],
	]);
	t.deepEqual(foundBySparse(run, qrels, 2), new Map([['q1', 'p7']]));
	t.deepEqual(
		foundBySparse(run, qrels),
		new Map([
			['q1', 'p7'],
			['q2', 'p1'],
		]),
	);
});

test('one report contains all analyses of questions and passages', async t => {
	const analysis = await analyzeVocabulary(pairs, {ks: [2], compositionKs: [5]});
	t.deepEqual(analysis, {
		pairs: 2,
		ks: [2],
		coverage: {all: await tokenCoverage(pairs, [2]), content: await tokenCoverage(pairs, [2], 'content')},
		mrr: {all: await tokenMrr(pairs), content: await tokenMrr(pairs, 'content')},
		expansion: await queryExpansion(pairs, [2]),
		composition: await topComposition(pairs, [5]),
	});
	await t.throwsAsync(analyzeVocabulary(pairs, {ks: []}), {code: 'ERR_ARGUMENT', message: 'ks: expected at least one rank, got none'});
	await t.throwsAsync(queryExpansion(pairs, [0]), {code: 'ERR_ARGUMENT'});
});

test('stop words, punctuation and symbols are not content tokens, but continuation pieces are', t => {
	const stops = new Set(['the', 's']);
	for (const word of ['the', 'The', 's', '?', '##-', '…', 'Ġthe', '##,']) {
		t.false(isContent(word, stops), word);
	}
	for (const word of ['bridge', '1849', '##s', '##the', 'Ġbridge', 'é', '中']) {
		t.true(isContent(word, stops), word);
	}
});
