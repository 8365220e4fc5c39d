/** What the claims of Karpukhin et al. (2020) compare: pairs of conditions, and measures. Significance tests and findings use them. */
import {topK} from '../statistics/measures.ts';
import {baselineName, bm25Name, curveName, supervisionNames, untrainedName} from './conditions.ts';
import type {TrainingTables} from './study.ts';

/** The measures of most tests. */
export const testedMeasures = [topK(5), topK(20)];
/** The measures of the claim that the kind of negatives hardly matters if k is at least 20. */
export const deepMeasures = [topK(20), topK(100)];

/**
Two conditions that are compared. In the tests of Figure 1 and Tables 5 and 6, the baseline has the name that it would have
as a condition of that table: see `baselineAliases`.
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
	// The largest number of examples that is at most the paper's.
	const few = curve.findLast(({examples}) => examples <= FEW_EXAMPLES);
	return {
		more: names.slice(1).map((name, i) => [name, names[i]!]),
		few: few === undefined ? [] : [[curveName(few.examples), bm25Name]],
	};
}

/** The pair that shows whether training helps at all. Studies have it even without Figure 1. */
export const trainingPair = (batchSize: number): NamePair => [baselineName(batchSize), untrainedName];

/** "Our DPR trained using 1,000 examples already outperforms BM25" (Karpukhin et al., 2020, Figure 1). */
export const FEW_EXAMPLES = 1000;

/** What follows the name of a measure in tests on another data set. */
export const suffixOf = (dataset: string): string => ` on ${dataset}`;

/** Returns the names of the baseline in the tests of Figure 1 and Tables 5 and 6, for the tables that have the baseline. */
export function baselineAliases({curve, supervision, similarities}: TrainingTables, baseline: string): readonly string[] {
	return [
		...curve.filter(({condition}) => condition === baseline).map(({examples}) => curveName(examples)),
		...(supervision[0] === baseline ? [supervisionNames.gold] : []),
		...(similarities.length > 0 ? ['dot-nll'] : []),
	];
}
