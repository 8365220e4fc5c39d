/**
Significance tests of the paper's claims about projections (Ram et al., 2023, §5 and §6.1). Q is the projection of a
question, P that of a passage.
*/
import type {CallOptions} from '../../../core/types.ts';
import {bonferroni, rankSumTest, smallestSignificantShift} from '../../../evaluation/index.ts';
import type {Comparison} from '../../statistics/comparison.ts';
import {type ConditionPair, type ValueByQuestion, comparePairs} from '../../statistics/paired-comparisons.ts';
import type {AnalyzedEncoder, Baseline, VocabularySettings} from '../study.ts';
import type {AmnesiaValues, GoldValues, QuestionValues} from './question-values.ts';

/**
The measures of these tests, as results and reports name them. Shared tokens are in both question and passage. Content
tokens are neither stop words nor punctuation marks. Query expansion means content tokens that are in the passage and
not in the question. The worst rank in a projection is that of the shared content token that the projection ranks last.
*/
export const claimMeasures = {
	sharedInQuestion: 'shared tokens in the first 20 of Q',
	sharedInPassage: 'shared tokens in the first 20 of P',
	expansion: 'questions with expansion in the first 20 of Q',
	reciprocalShared: 'MRR of shared tokens in P',
	/** Compares shared tokens with tokens that are only in the passage. */
	kinds: 'MRR in P',
	firstShared: 'questions whose first token of Q is shared',
	/** Compares the two projections, Q and P. */
	sides: 'questions whose worst rank is better in Q than in P',
	/** Compares P of the encoder with lexical enrichment ("enriched") with P of the encoder without it. */
	remembered: 'questions whose worst rank in P is better enriched',
	worst: {passage: 'worst rank in P', question: 'worst rank in Q'},
} as const;

/** A claim about most questions is tested by comparing this with the share of questions for which the claim is true. */
const HALF = 0.5;

/**
Runs paired t-tests over questions, and corrects their p-values as one family. The encoder is compared with the baseline
only if the baseline is the model that the encoder was initialized from, not if it is the head's word embeddings.
*/
export async function claimTests(
	values: ReadonlyMap<AnalyzedEncoder, QuestionValues>,
	baseline: Baseline,
	{significance}: VocabularySettings,
	{signal}: CallOptions,
): Promise<Comparison[]> {
	const encoder = values.get('encoder')!;
	const [initialization, enriched] = [baseline.kind === 'encoder' ? values.get('baseline') : undefined, values.get('enriched')];
	const pairs: ConditionPair[] = [];
	if (initialization !== undefined) {
		for (const name of ['sharedInQuestion', 'sharedInPassage', 'expansion', 'reciprocalShared'] as const) {
			pairs.push({
				a: 'encoder',
				b: 'baseline',
				measure: claimMeasures[name],
				valuesOfA: goldValue(encoder, name),
				valuesOfB: goldValue(initialization, name),
			});
		}
	}
	pairs.push(
		{
			a: 'shared',
			b: 'passageOnly',
			measure: claimMeasures.kinds,
			valuesOfA: goldValue(encoder, 'reciprocalShared'),
			valuesOfB: goldValue(encoder, 'reciprocalPassageOnly'),
		},
		comparedWithHalf('encoder', claimMeasures.firstShared, goldValue(encoder, 'firstShared')),
		comparedWithHalf(
			'encoder',
			claimMeasures.sides,
			amnesiaValue(encoder, ({worstInQuestion, worstInPassage}) => winScore(worstInQuestion, worstInPassage)),
		),
	);
	if (enriched !== undefined) {
		const before = new Map(encoder.amnesia.map(({id, worstInPassage}) => [id, worstInPassage]));
		const remembered = amnesiaValue(enriched, ({id, worstInPassage}) => winScore(worstInPassage, before.get(id)!));
		pairs.push(comparedWithHalf('enriched', claimMeasures.remembered, remembered));
	}
	// A t-test needs at least two questions.
	const testable = pairs.filter(({valuesOfA, valuesOfB}) => [...valuesOfA.keys()].filter(id => valuesOfB.has(id)).length >= 2);
	return comparePairs(testable, {significance, signal});
}

/** Pairs the value of each question, from 0 to 1, with one half. */
function comparedWithHalf(a: AnalyzedEncoder, measure: string, values: ValueByQuestion): ConditionPair {
	return {a, b: 'half', measure, valuesOfA: values, valuesOfB: new Map([...values.keys()].map(id => [id, HALF]))};
}

/** Token amnesia is not tested in groups with fewer questions than this. */
export const MIN_GROUP_SIZE = 10;

/**
Runs rank-sum tests of the worst ranks of shared tokens, in P and in Q. Questions are grouped by the rank of the passage
in dense retrieval. Each later group is compared with the first one, in which these ranks are best. The p-values of all
tests are corrected as one family. A difference is the probability that the worst rank of a question in the later group
is worse than that of a question in the first group, minus one half. Groups of fewer than `minGroup` questions are not
tested. `labelOf` returns the label of a group, given its index.
*/
export async function amnesiaTests(
	{amnesia}: QuestionValues,
	labelOf: (group: number) => string,
	{bounds, minGroup, significance}: VocabularySettings,
	{signal}: CallOptions,
): Promise<Comparison[]> {
	const groups = [...bounds, null].map((_, i) => amnesia.filter(({group}) => group === i));
	const [firstGroup, ...laterGroups] = groups as [AmnesiaValues[], ...AmnesiaValues[][]];
	const tests = [];
	for (const [i, group] of laterGroups.entries()) {
		if (Math.min(firstGroup.length, group.length) >= minGroup) {
			for (const side of ['passage', 'question'] as const) {
				const ranks = (values: readonly AmnesiaValues[]): number[] =>
					values.map(({worstInPassage, worstInQuestion}) => (side === 'passage' ? worstInPassage : worstInQuestion));
				tests.push({a: labelOf(i + 1), b: labelOf(0), side, test: await rankSumTest(ranks(group), ranks(firstGroup), {signal})});
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

/** Returns 1 if rank `a` is better than rank `b`, 0 if it is worse, and one half if they are equal. */
const winScore = (a: number, b: number): number => (a === b ? HALF : Number(a < b));

/** Returns the value `name` of each question with its gold passage. Questions without this value are left out. */
function goldValue({gold}: QuestionValues, name: Exclude<keyof GoldValues, 'id'>): ValueByQuestion {
	return new Map(gold.flatMap(values => (values[name] === null ? [] : [[values.id, values[name]] as const])));
}

/** Returns a value of each question for which token amnesia is measured. */
function amnesiaValue({amnesia}: QuestionValues, valueOf: (values: AmnesiaValues) => number): ValueByQuestion {
	return new Map(amnesia.map(values => [values.id, valueOf(values)]));
}
