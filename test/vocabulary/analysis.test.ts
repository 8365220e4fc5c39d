// Tests the analyses of Ram et al. (2023) of vocabulary projections: coverage, MRR, query expansion, composition and token amnesia.
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

let nextId = 0;

/**
Returns a ranked token. `where` contains q for tokens of the question and p for tokens of the passage. The token has the rank
`questionRank` in the question's projection Q, and the rank `passageRank` in the passage's projection P.
*/
function token(word: string, where: 'q' | 'p' | 'qp', content: boolean, questionRank: number, passageRank: number): RankedToken {
	return {
		token: word,
		id: nextId++,
		inQuestion: where.includes('q'),
		inPassage: where.includes('p'),
		content,
		questionRank,
		passageRank,
	};
}

/**
Two pairs of a question and a passage: "who built bridge ?" with "the bridge engineer ?", and "gold rush" with "gold rush river". The
ranks are made up.
*/
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

test('coverage is the share of the shared tokens that are among the first k of a projection', async t => {
	// The shared tokens bridge, ?, gold and rush have ranks 1, 10, 2, 1 in Q and 2, 20, 200, 10 in P.
	t.deepEqual(await tokenCoverage(pairs, [1, 2, 10]), {shared: 4, question: [2 / 4, 3 / 4, 1], passage: [0, 1 / 4, 2 / 4]});
	// The question mark is not a content token.
	t.deepEqual(await tokenCoverage(pairs, [1, 2, 10], 'content'), {shared: 3, question: [2 / 3, 1, 1], passage: [0, 1 / 3, 2 / 3]});
	t.deepEqual(await tokenCoverage([], [1]), {shared: 0, question: [0], passage: [0]});
});

test('token-level MRR is averaged over all tokens, and over the means of the pairs', async t => {
	const {shared, passage, passageOnly, question, questionOnly} = await tokenMrr(pairs);
	const assertNear = (value: number, expected: number): void => {
		t.true(Math.abs(value - expected) < 1e-15, `${value}, ${expected}`);
	};
	t.deepEqual(
		[shared, passage, passageOnly, question, questionOnly].map(({tokens}) => tokens),
		[4, 7, 3, 6, 2],
	);
	assertNear(shared.mrr, (1 / 2 + 1 / 20 + 1 / 200 + 1 / 10) / 4);
	assertNear(shared.perPair, ((1 / 2 + 1 / 20) / 2 + (1 / 200 + 1 / 10) / 2) / 2);
	assertNear(passage.mrr, (1 / 2 + 1 / 20 + 1 / 5 + 1 + 1 / 200 + 1 / 10 + 1 / 4) / 7);
	assertNear(passageOnly.mrr, (1 / 5 + 1 + 1 / 4) / 3);
	assertNear(question.mrr, (1 / 900 + 1 / 40 + 1 / 2 + 1 / 20 + 1 / 200 + 1 / 10) / 6);
	assertNear(questionOnly.mrr, (1 / 900 + 1 / 40) / 2);
	// The second pair has no token that is only in the question, so it does not count.
	assertNear(questionOnly.perPair, (1 / 900 + 1 / 40) / 2);
	t.is((await tokenMrr(pairs, 'content')).questionOnly.mrr, 1 / 40);
});

test('query expansion is the share of pairs where a content token that occurs only in the passage is among the first k of Q', async t => {
	// "engineer" has rank 4 and "river" has rank 50. "the" has rank 2 but is a stop word.
	t.deepEqual(await queryExpansion(pairs, [2, 3, 4, 49, 50]), [0, 0, 0.5, 0.5, 1]);
	t.deepEqual(await queryExpansion([], [1]), [0]);
});

test('each of the first k tokens is in both texts, in one of them, or in neither', async t => {
	const {question, passage} = await topComposition(pairs, [1, 5]);
	t.deepEqual(question, [
		{k: 1, shared: 1, questionOnly: 0, passageOnly: 0, other: 0, expansion: 0},
		// Q has five first tokens for each of the two pairs, ten in all: three are shared (bridge, gold, rush), two are only in the
		// question (who, built), two are only in the passage (the, engineer), and the other three are in neither.
		{k: 5, shared: 3 / 10, questionOnly: 2 / 10, passageOnly: 2 / 10, other: 3 / 10, expansion: 1 / 10},
	]);
	t.deepEqual(passage, [
		{k: 1, shared: 0, questionOnly: 0, passageOnly: 1 / 2, other: 1 / 2, expansion: 1 / 2},
		// bridge is shared; the, engineer and river are only in the passage.
		{k: 5, shared: 1 / 10, questionOnly: 0, passageOnly: 3 / 10, other: 6 / 10, expansion: 2 / 10},
	]);
});

test('token amnesia reports the worst and the median rank of shared content tokens, grouped by the rank of the passage', async t => {
	const hits = (...found: readonly string[]): Hit[] => found.map((id, i) => ({id, score: -i}));
	const run = new Map([
		['a', hits('x', 'pa')],
		['b', hits('x', 'y')],
	]);
	// This pair shares no content token, so it is in no group.
	const stopWordPair: RankedPair = {id: 'c', passageId: 'pc', tokens: [token('of', 'qp', false, 1, 1)]};
	/** Returns the quantiles of a group with one pair. */
	const allQuantiles = (rank: number): Record<string, number> => ({
		low: rank,
		firstQuartile: rank,
		median: rank,
		thirdQuartile: rank,
		high: rank,
	});
	t.deepEqual(await tokenAmnesia([...pairs, stopWordPair], run, [20, 5]), {
		groups: [
			// The passage has rank 2 in the run. The only shared content token is bridge.
			{
				from: 1,
				to: 5,
				questions: 1,
				max: {passage: allQuantiles(2), question: allQuantiles(1)},
				median: {passage: allQuantiles(2), question: allQuantiles(1)},
			},
			// The passage is not in the run. gold and rush have the ranks 200 and 10 in P, and 2 and 1 in Q.
			{
				from: 21,
				to: null,
				questions: 1,
				max: {passage: allQuantiles(200), question: allQuantiles(2)},
				median: {passage: allQuantiles(105), question: allQuantiles(1.5)},
			},
		],
		withoutSharedCount: 1,
	});

	// Quantiles are interpolated linearly, as in NumPy: the first quartile is 10 + 0.25 · (40 − 10).
	const fourPairs = [10, 20, 30, 40].map(
		(rank, i): RankedPair => ({id: `q${i}`, passageId: 'p', tokens: [token('w', 'qp', true, 1, rank)]}),
	);
	// The run is empty, so all passages are in the last group.
	const {groups} = await tokenAmnesia(fourPairs, new Map(), [5]);
	t.deepEqual(groups[0]!.max.passage, {low: 11.5, firstQuartile: 17.5, median: 25, thirdQuartile: 32.5, high: 38.5});
	t.is(groups[0]!.from, 6);
});

test('the last rank of a group belongs to the group', async t => {
	// The passage has rank 5.
	const run = new Map([['a', [...'12345'].map(id => ({id: id === '5' ? 'pa' : id, score: -Number(id)}))]]);
	const {groups} = await tokenAmnesia(pairs.slice(0, 1), run, [5, 20]);
	t.deepEqual(
		groups.map(({from, to}) => [from, to]),
		[[1, 5]],
	);
	const nextGroup = await tokenAmnesia(pairs.slice(0, 1), run, [4, 20]);
	t.deepEqual(
		nextGroup.groups.map(({from, to}) => [from, to]),
		[[5, 20]],
	);
});

test('a question with a relevant passage among the first hits of a run is paired with the first such passage', t => {
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

test('analyzeVocabulary returns the results of all analyses, and refuses ranks below 1 and an empty list of ranks', async t => {
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
	await t.throwsAsync(analyzeVocabulary(pairs, {ks: [0]}), {code: 'ERR_ARGUMENT'});
	await t.throwsAsync(queryExpansion(pairs, [0]), {code: 'ERR_ARGUMENT'});
});

test('stop words, punctuation and symbols are not content tokens, but continuation pieces are', t => {
	const stopWords = new Set(['the', 's']);
	for (const word of ['the', 'The', 's', '?', '##-', '…', 'Ġthe', '##,']) {
		t.false(isContent(word, stopWords), word);
	}
	for (const word of ['bridge', '1849', '##s', '##the', 'Ġbridge', 'é', '中']) {
		t.true(isContent(word, stopWords), word);
	}
});
