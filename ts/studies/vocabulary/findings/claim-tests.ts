/** Tests of the paper's claims about projections (Ram et al., 2023, §5 and §6.1). */
import {bonferroni, pairedTest, rankSumTest, smallestSignificantShift} from '../../../evaluation/index.ts';
import type {Comparison} from '../../statistics/comparison.ts';
import {type Tested, corrected} from '../../statistics/correction.ts';
import type {CallOptions} from '../../../core/types.ts';
import type {AnalyzedEncoder, Baseline, VocabularySettings} from '../study.ts';
import type {AmnesiaValues, GoldValues, QuestionValues} from './question-values.ts';

/** What is compared, as results and reports name it. */
export const claimMeasures = {
	sharedInQuestion: 'shared tokens in the first 20 of Q',
	sharedInPassage: 'shared tokens in the first 20 of P',
	expansion: 'questions with expansion in the first 20 of Q',
	reciprocalShared: 'MRR of shared tokens in P',
	kinds: 'MRR in P',
	firstShared: 'questions whose first token of Q is shared',
	sides: 'questions whose worst rank is better in Q than in P',
	remembered: 'questions whose worst rank in P is better enriched',
	worst: {passage: 'worst rank in P', question: 'worst rank in Q'},
} as const;

/** What a share of questions is compared with. */
const HALF = 0.5;

type Values = Map<string, number>;

/**
Paired t-tests over questions, with Bonferroni's correction over all of them. The encoder is compared with its initialization only
if the baseline is one: static embeddings are something else.
*/
export async function claimTests(
	values: ReadonlyMap<AnalyzedEncoder, QuestionValues>,
	baseline: Baseline,
	{significance}: VocabularySettings,
	{signal}: CallOptions,
): Promise<Comparison[]> {
	const encoder = values.get('encoder')!;
	const [initialization, enriched] = [baseline.kind === 'encoder' ? values.get('baseline') : undefined, values.get('enriched')];
	const wanted: Array<readonly [a: string, b: string, measure: string, ofA: Values, ofB: Values]> = [];
	if (initialization !== undefined) {
		for (const name of ['sharedInQuestion', 'sharedInPassage', 'expansion', 'reciprocalShared'] as const) {
			wanted.push(['encoder', 'baseline', claimMeasures[name], goldBy(encoder, name), goldBy(initialization, name)]);
		}
	}
	const first = goldBy(encoder, 'firstShared');
	const sides = amnesiaBy(encoder, ({worstInQuestion, worstInPassage}) => better(worstInQuestion, worstInPassage));
	wanted.push(
		['shared', 'passageOnly', claimMeasures.kinds, goldBy(encoder, 'reciprocalShared'), goldBy(encoder, 'reciprocalPassageOnly')],
		['encoder', 'half', claimMeasures.firstShared, first, constant(first, HALF)],
		['encoder', 'half', claimMeasures.sides, sides, constant(sides, HALF)],
	);
	if (enriched !== undefined) {
		const before = new Map(encoder.amnesia.map(({id, worstInPassage}) => [id, worstInPassage]));
		const remembered = amnesiaBy(enriched, ({id, worstInPassage}) => better(worstInPassage, before.get(id)!));
		wanted.push(['enriched', 'half', claimMeasures.remembered, remembered, constant(remembered, HALF)]);
	}
	const tests: Tested[] = [];
	for (const [a, b, measure, ofA, ofB] of wanted) {
		// A t-test needs two questions.
		if ([...ofA.keys()].filter(id => ofB.has(id)).length >= 2) {
			tests.push({a, b, measure, mark: '', better: true, tested: await pairedTest(ofA, ofB, {signal})});
		}
	}
	return corrected(tests, significance);
}

/** A group of token amnesia is tested from this number of questions on. */
export const MIN_GROUP = 10;

/**
Rank-sum tests of the worst ranks of each group of questions that dense retrieval misses against the group that it finds, in P and in
Q, with Bonferroni's correction over all of them. A difference is the probability that the worst rank of a question in the group is
worse than that of a question that is found, less one half. Groups of fewer than `minGroup` questions are not tested.
*/
export async function amnesiaTests(
	{amnesia}: QuestionValues,
	nameOf: (group: number) => string,
	{bounds, minGroup, significance}: VocabularySettings,
	{signal}: CallOptions,
): Promise<Comparison[]> {
	const groups = [...bounds, null].map((_, at) => amnesia.filter(({group}) => group === at));
	const [found, ...missed] = groups as [AmnesiaValues[], ...AmnesiaValues[][]];
	const tests = [];
	for (const [i, group] of missed.entries()) {
		if (Math.min(found.length, group.length) >= minGroup) {
			for (const side of ['passage', 'question'] as const) {
				const ranks = (of: readonly AmnesiaValues[]): number[] =>
					of.map(({worstInPassage, worstInQuestion}) => (side === 'passage' ? worstInPassage : worstInQuestion));
				tests.push({a: nameOf(i + 1), b: nameOf(0), side, test: await rankSumTest(ranks(group), ranks(found), {signal})});
			}
		}
	}
	const ps = bonferroni(tests.map(({test}) => test.p));
	return tests.map(({a, b, side, test}, i) => ({
		a,
		b,
		measure: claimMeasures.worst[side],
		difference: test.probability - HALF,
		p: test.p,
		corrected: ps[i]!,
		significant: ps[i]! < significance,
		smallest: smallestSignificantShift(test, significance / tests.length),
		mark: '',
	}));
}

/** 1 if rank `a` is better than `b`, 0 if it is worse, one half if they are equal. */
const better = (a: number, b: number): number => (a === b ? HALF : Number(a < b));

const constant = (values: Values, value: number): Values => new Map([...values.keys()].map(id => [id, value]));

function goldBy({gold}: QuestionValues, name: Exclude<keyof GoldValues, 'id'>): Values {
	return new Map(gold.flatMap(values => (values[name] === null ? [] : [[values.id, values[name]] as const])));
}

function amnesiaBy({amnesia}: QuestionValues, valueOf: (values: AmnesiaValues) => number): Values {
	return new Map(amnesia.map(values => [values.id, valueOf(values)]));
}
