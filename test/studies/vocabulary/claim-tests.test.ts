// Tests the values that a vocabulary study (Ram et al., 2023) computes for each question, and the significance tests of
// claims about these values.
import test from 'ava';
import {type RankedPair, type RankedToken, pairedTest, rankSumTest} from '../../../ts/index.ts';
import {amnesiaTests, claimMeasures, claimTests} from '../../../ts/studies/vocabulary/findings/claim-tests.ts';
import {type QuestionValues, questionValues} from '../../../ts/studies/vocabulary/findings/question-values.ts';
import type {AnalyzedEncoder} from '../../../ts/studies/vocabulary/study.ts';
import {vocabularyStudy} from '../../support/vocabulary-study.ts';

const {settings} = vocabularyStudy();

/**
Returns a token of the question, of the passage, or of both, with its ranks in the projections Q (of the question) and P
(of the passage).
*/
const token = (of: 'both' | 'question' | 'passage', questionRank: number, passageRank: number, content = true): RankedToken => ({
	token: `${of}${questionRank}`,
	id: questionRank,
	inQuestion: of !== 'passage',
	inPassage: of !== 'question',
	content,
	questionRank,
	passageRank,
});

const pair = (id: string, ...tokens: readonly RankedToken[]): RankedPair => ({id, passageId: `p${id}`, tokens});

test('the values of a question follow from the ranks of the tokens of the question and of its passage', async t => {
	const pairs = [
		// The third token is a shared stop word, which does not count for amnesia.
		pair(
			'1',
			token('both', 1, 4),
			token('both', 21, 20),
			token('both', 300, 9000, false),
			token('passage', 20, 2),
			token('passage', 90, 8),
		),
		// The first token of Q occurs only in the question, and no token is shared.
		pair('2', token('question', 1, 7), token('passage', 21, 5), token('passage', 2, 10, false)),
	];
	const dense = new Map([
		[
			'1',
			[
				{id: 'p9', score: 2},
				{id: 'p1', score: 1},
			],
		],
	]);
	const {gold, amnesia} = await questionValues(pairs, pairs, dense, [1, 5]);
	t.deepEqual(gold, [
		{
			id: '1',
			sharedInQuestion: 1 / 3,
			sharedInPassage: 2 / 3,
			expansion: 1,
			firstShared: 1,
			reciprocalShared: (1 / 4 + 1 / 20 + 1 / 9000) / 3,
			reciprocalPassageOnly: (1 / 2 + 1 / 8) / 2,
		},
		{
			id: '2',
			sharedInQuestion: null,
			sharedInPassage: null,
			expansion: 0,
			firstShared: 0,
			reciprocalShared: null,
			reciprocalPassageOnly: (1 / 5 + 1 / 10) / 2,
		},
	]);
	// The passage has rank 2, which is in the second group (ranks 2 to 5). The second question shares no token with its
	// passage, so it is left out.
	t.deepEqual(amnesia, [{id: '1', group: 1, worstInQuestion: 21, worstInPassage: 20}]);
});

/** Returns made-up values of 60 questions. The larger `gain` is, the better the values are. */
function values(gain: number): QuestionValues {
	const ids = Array.from({length: 60}, (_, i) => i);
	return {
		gold: ids.map(i => ({
			id: `q${i}`,
			sharedInQuestion: i % 7 === 0 ? null : ((i * 13) % 17) / 40 + gain,
			sharedInPassage: ((i * 5) % 11) / 30 + gain,
			expansion: Number((i * 7) % 10 < 3 + 20 * gain),
			firstShared: Number(i % 10 < 8),
			reciprocalShared: 1 / (1 + (i % 9)) + gain,
			reciprocalPassageOnly: 1 / (3 + (i % 5)),
		})),
		amnesia: ids.map(i => ({
			id: `q${i}`,
			group: i < 30 ? 0 : i < 45 ? 1 : i < 54 ? 2 : 3,
			worstInQuestion: 10 + ((i * 37) % 50) * (i < 30 ? 1 : 3),
			worstInPassage: Math.round((20 + ((i * 29) % 70)) * (1 - gain)),
		})),
	};
}

test('a claim is tested on the questions for which both conditions have a value, and all tests are corrected together', async t => {
	const [encoder, baseline, enriched] = [values(0.1), values(0), values(0.3)];
	const all = new Map<AnalyzedEncoder, QuestionValues>([
		['encoder', encoder],
		['baseline', baseline],
		['enriched', enriched],
	]);
	const found = await claimTests(all, {kind: 'encoder', name: 'init', sha256: '0'}, settings, {});
	const testOf = (a: string, measure: string): (typeof found)[number] => found.find(test => test.a === a && test.measure === measure)!;
	t.is(found.length, 8);
	const byQuestion = (
		values: QuestionValues,
		name: 'sharedInQuestion' | 'reciprocalShared' | 'reciprocalPassageOnly',
	): Map<string, number> => new Map(values.gold.filter(value => value[name] !== null).map(value => [value.id, value[name]!]));
	const shared = await pairedTest(byQuestion(encoder, 'sharedInQuestion'), byQuestion(baseline, 'sharedInQuestion'));
	// The test leaves out the 9 questions whose value is null.
	t.is(shared.queries, 51);
	t.like(testOf('encoder', claimMeasures.sharedInQuestion), {b: 'baseline', difference: shared.difference, p: shared.p});
	const kinds = await pairedTest(byQuestion(encoder, 'reciprocalShared'), byQuestion(encoder, 'reciprocalPassageOnly'));
	t.like(testOf('shared', claimMeasures.kinds), {b: 'passageOnly', p: kinds.p, corrected: Math.min(1, 8 * kinds.p)});
	// The first token of Q is shared for 48 of the 60 questions, which is 0.8; the difference from one half is 0.3.
	const first = testOf('encoder', claimMeasures.firstShared);
	t.true(Math.abs(first.difference - 0.3) < 1e-12 && first.significant);
	const better = encoder.amnesia.map(({worstInQuestion: q, worstInPassage: p}): number => (q < p ? 1 : q === p ? 0.5 : 0));
	const sides = testOf('encoder', claimMeasures.sides);
	t.true(Math.abs(sides.difference - (better.reduce((sum, value) => sum + value, 0) / 60 - 0.5)) < 1e-12);
	// With enrichment, the worst rank in P is better for every question.
	t.like(testOf('enriched', claimMeasures.remembered), {difference: 0.5, p: 0});

	// If the baseline is static embeddings, the encoder is not compared with it.
	const names = (await claimTests(all, {kind: 'static'}, settings, {})).map(({a, b}) => `${a} ${b}`);
	t.deepEqual(names, ['shared passageOnly', 'encoder half', 'encoder half', 'enriched half']);
});

test('each later group of questions is compared with the first group, if both are large enough', async t => {
	const made = values(0.1);
	const found = await amnesiaTests(made, group => `group ${group}`, settings, {});
	// The groups have 30, 15, 9 and 6 questions, so only the second one is large enough to be compared with the first.
	// They are compared in P and in Q.
	t.deepEqual(
		found.map(({a, b, measure}) => [a, b, measure]),
		[
			['group 1', 'group 0', 'worst rank in P'],
			['group 1', 'group 0', 'worst rank in Q'],
		],
	);
	const ranks = (group: number): number[] => made.amnesia.filter(value => value.group === group).map(value => value.worstInQuestion);
	const expected = await rankSumTest(ranks(1), ranks(0));
	t.like(found[1], {difference: expected.probability - 0.5, p: expected.p, corrected: Math.min(1, 2 * expected.p)});
	t.true(found[1]!.significant && found[1]!.difference > 0.3);
	t.is((await amnesiaTests(made, String, {...settings, minGroup: 9}, {})).length, 4);
	t.is((await amnesiaTests(made, String, {...settings, minGroup: 31}, {})).length, 0);
});
