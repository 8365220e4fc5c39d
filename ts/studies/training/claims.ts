/** What the claims of Karpukhin et al. (2020) compare: pairs of conditions, and measures. Significance tests and findings use them. */
import {topK} from '../statistics/measures.ts';
import {referenceName, bm25Name, curveName, jointNames, supervisionNames, untrainedName} from './conditions.ts';
import type {TrainingTables} from './study.ts';

/** The measures of most tests. */
export const testedMeasures = [topK(5), topK(20)];
/** The measures of the claim that the kind of negatives hardly matters if k is at least 20. */
export const deepMeasures = [topK(20), topK(100)];

/**
Two conditions that are compared. In the tests of Figure 1 and Tables 5 and 6, the reference condition has the name that it
would have as a condition of that table: see `referenceAliases`.
*/
export type NamePair = readonly [a: string, b: string];

/** The pairs of training schemes (Table 3) that claims are about, by claim. */
export const schemePairs = {
	inBatch: [['in-batch-8', 'gold-7']],
	batchSize: [
		['in-batch-32', 'in-batch-8'],
		['in-batch-128', 'in-batch-32'],
	],
	oneBm25: [
		['in-batch-32-bm25-1', 'in-batch-32'],
		['in-batch-128-bm25-1', 'in-batch-128'],
	],
	twoBm25: [['in-batch-32-bm25-2', 'in-batch-32-bm25-1']],
	kinds: [
		['random-7', 'bm25-7'],
		['random-7', 'gold-7'],
		['bm25-7', 'gold-7'],
	],
} as const satisfies Readonly<Record<string, readonly NamePair[]>>;

/** The pairs of similarities and losses (Table 6) that claims are about, by claim. */
export const similarityPairs = {
	l2: [['l2-nll', 'dot-nll']],
	cosine: [
		['dot-nll', 'cosine-nll'],
		['l2-nll', 'cosine-nll'],
	],
	loss: [
		['dot-triplet', 'dot-nll'],
		['l2-triplet', 'l2-nll'],
	],
} as const satisfies Readonly<Record<string, readonly NamePair[]>>;

/** The pair of Table 5. */
export const supervisionPair: NamePair = [supervisionNames.distant, supervisionNames.gold];

/** The pairs of Figure 1: each number of examples with the next smaller one, and few examples with BM25. */
export function curvePairs({curve}: Pick<TrainingTables, 'curve'>): {
	readonly more: readonly NamePair[];
	readonly few: readonly NamePair[];
} {
	const names = curve.map(({examples}) => curveName(examples));
	const few = fewExamplesOf({curve});
	return {
		more: names.slice(1).map((name, i) => [name, names[i]!]),
		few: few === undefined ? [] : [[curveName(few), bm25Name]],
	};
}

/**
Returns the largest number of examples of Figure 1 that is at most the paper's 1,000; `undefined` if there is none. A smaller
number than the paper's can only support the paper's claim.
*/
export const fewExamplesOf = ({curve}: Pick<TrainingTables, 'curve'>): number | undefined =>
	curve.findLast(({examples}) => examples <= FEW_EXAMPLES)?.examples;

/** The pair of appendix D, and its measures. */
export const jointPair: NamePair = [jointNames.joint, jointNames.separate];
export const exactMatchMeasure = 'exact match';
export const jointMeasures = [exactMatchMeasure, topK(20)];

/** The pair that shows whether training helps at all. Studies have it even without Figure 1. */
export const trainingPair = (batchSize: number): NamePair => [referenceName(batchSize), untrainedName];

/** "Our DPR trained using 1,000 examples already outperforms BM25" (Karpukhin et al., 2020, Figure 1). */
export const FEW_EXAMPLES = 1000;

/** What follows the name of a measure in tests on another data set. */
export const suffixOf = (dataset: string): string => ` on ${dataset}`;

/** Returns the names of the reference condition in the tests of Figure 1 and Tables 5 and 6, for the tables that have it. */
export function referenceAliases({curve, supervision, similarities}: TrainingTables, reference: string): readonly string[] {
	return [
		...curve.filter(({condition}) => condition === reference).map(({examples}) => curveName(examples)),
		...(supervision[0] === reference ? [supervisionNames.gold] : []),
		...(similarities.length > 0 ? ['dot-nll'] : []),
	];
}
