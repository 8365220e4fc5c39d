/** What the claims of Karpukhin et al. (2020) compare: pairs of conditions, and measures. Significance tests and findings use them. */
import {topK} from '../statistics/measures.ts';
import {bm25Name, untrainedName} from './conditions.ts';
import type {TrainingTables} from './study.ts';

/** The measures of most tests. */
export const testedMeasures = [topK(5), topK(20)];
/** The measures of the claim that the kind of negatives hardly matters if k is at least 20. */
export const deepMeasures = [topK(20), topK(100)];

/** Two conditions that are compared. */
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

/** The pairs of similarities and losses (Table 6) that claims are about. `baseline` has the dot product and NLL. */
export const similarityPairs = (baseline: string) =>
	({
		l2: [['l2-nll', baseline]],
		cosine: [
			[baseline, 'cosine-nll'],
			['l2-nll', 'cosine-nll'],
		],
		loss: [
			['dot-triplet', baseline],
			['l2-triplet', 'l2-nll'],
		],
	}) as const satisfies Readonly<Record<string, readonly NamePair[]>>;

/**
The pairs of Figure 1: each number of examples with the next smaller one, few examples with BM25, and the baseline with
the model before training. The study has the last pair even without Figure 1.
*/
export function curvePairs(
	{curve}: Pick<TrainingTables, 'curve'>,
	baseline: string,
): {
	readonly more: readonly NamePair[];
	readonly few: readonly NamePair[];
	readonly training: readonly NamePair[];
} {
	const names = curve.map(({condition}) => condition);
	// The largest number of examples that is at most the paper's.
	const few = curve.findLast(({examples}) => examples <= FEW_EXAMPLES);
	return {
		more: names.slice(1).map((name, i) => [name, names[i]!]),
		few: few === undefined ? [] : [[few.condition, bm25Name]],
		training: [[baseline, untrainedName]],
	};
}

/** "Our DPR trained using 1,000 examples already outperforms BM25" (Karpukhin et al., 2020, Figure 1). */
export const FEW_EXAMPLES = 1000;

/** What follows the name of a measure in tests on another data set. */
export const suffixOf = (dataset: string): string => ` on ${dataset}`;
