/** The findings about training schemes (Karpukhin et al., 2020, §5.2 and Table 3). */
import type {Comparison} from '../../statistics/comparison.ts';
import {closeMargin, verdictOfSmallDifference, verdictOfSmallLoss} from '../../statistics/equivalence.ts';
import {verdictOfGains} from '../../statistics/verdict.ts';
import {deepMeasures, schemePairs, testedMeasures} from '../claims.ts';
import {labelOf} from '../labels.ts';
import {publishedTraining} from '../published.ts';
import type {TrainingStudy} from '../study.ts';
import {differenceRule, differences, evidenceOf, lossRule, publishedMargin} from './evidence.ts';
import type {TrainingFinding} from './finding-names.ts';

const evidenceFor = ({tests}: TrainingStudy, pairs: keyof typeof schemePairs, measures = testedMeasures): readonly Comparison[] =>
	evidenceOf(tests.schemes, schemePairs[pairs], measures);

/** Returns the finding that the first condition of each pair is better; `undefined` if there are no tests. */
function gain(name: TrainingFinding['name'], claim: string, evidence: readonly Comparison[]): TrainingFinding | undefined {
	return evidence.length === 0
		? undefined
		: {name, source: 'paper', claim, result: differences(evidence), verdict: verdictOfGains(evidence, 'all'), evidence};
}

export function kindOfNegatives(study: TrainingStudy): TrainingFinding | undefined {
	const evidence = evidenceFor(study, 'kinds', deepMeasures);
	if (evidence.length === 0) {
		return undefined;
	}
	const {schemes} = publishedTraining;
	const margin = publishedMargin(
		schemePairs.kinds.map(([a, b]) => [schemes[a], schemes[b]]),
		deepMeasures,
	);
	return {
		name: 'kind of negatives',
		source: 'paper',
		claim: 'Without in-batch negatives, it hardly matters for k ≥ 20 whether the negatives are random, found by BM25, or gold.',
		result: `${differences(evidence)} ${comparedSentence(evidence)}${differenceRule(evidence, margin)}`,
		verdict: verdictOfSmallDifference(evidence, margin),
		evidence,
	};
}

/** Says which kinds of negatives were compared, if the study does not have all of them. */
function comparedSentence(evidence: readonly Comparison[]): string {
	const [first, ...others] = new Set(evidence.map(({a, b}) => `“${labelOf(a)}” and “${labelOf(b)}”`));
	return others.length > 0 ? '' : `Only ${first} were compared, because the study has no third kind of negatives. `;
}

export const inBatchNegatives = (study: TrainingStudy): TrainingFinding | undefined =>
	gain(
		'in-batch negatives',
		'Seven gold negatives from the same batch are better than seven from the whole training set.',
		evidenceFor(study, 'inBatch'),
	);

export const batchSize = (study: TrainingStudy): TrainingFinding | undefined =>
	gain('batch size', 'With in-batch negatives, accuracy grows consistently with the batch size.', evidenceFor(study, 'batchSize'));

export const oneBm25Negative = (study: TrainingStudy): TrainingFinding | undefined =>
	gain(
		'one BM25 negative',
		'With in-batch negatives, adding one BM25 negative per question improves the encoder.',
		evidenceFor(study, 'oneBm25'),
	);

export function twoBm25Negatives(study: TrainingStudy): TrainingFinding | undefined {
	const evidence = evidenceFor(study, 'twoBm25');
	// The claim is that one negative is at most a little worse than two.
	const reversed = evidence.map(test => ({...test, a: test.b, b: test.a, difference: -test.difference}));
	return evidence.length === 0
		? undefined
		: {
				name: 'two BM25 negatives',
				source: 'paper',
				claim: 'A second BM25 negative per question does not help further.',
				result: `${differences(evidence)} ${lossRule(reversed, closeMargin, {name: 'gain', names: 'gains', source: 'which is what Ma et al. (2021) call close'})}`,
				verdict: verdictOfSmallLoss(reversed, closeMargin),
				evidence,
			};
}
