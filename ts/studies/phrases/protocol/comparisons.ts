/**
The paired comparisons of a phrase study. They form families, such as the comparisons of Yang et al. (2023) for rankings
of candidates; the p-values of each family are corrected for the number of its tests.
*/
import type {Prediction} from '../../../calibration/index.ts';
import type {Comparison} from '../../statistics/comparison.ts';
import {type TestOptions, type ValueByQuestion, comparePairs} from '../../statistics/paired-comparisons.ts';
import {brierMeasure} from '../labels.ts';

type Pair = readonly [a: string, b: string];

/**
Returns the pairs of conditions that the paper compares: MUF (model uncertainty fusion) with each model and with BM25,
each phrase length with whole passages (M0), and the first phrase length with the others.
*/
export function paperPairs(models: readonly string[]): readonly Pair[] {
	const phraseModels = models.filter(name => name !== 'M0');
	const [first, ...others] = phraseModels;
	return [
		...[...models, 'bm25'].map(other => ['muf', other] as const),
		...phraseModels.map(name => [name, 'M0'] as const),
		...others.map(name => [first!, name] as const),
	];
}

/** Pairs of MUF and another fusion, which the paper does not compare. */
export const extensionPairs: readonly Pair[] = ['mufSearch', 'mufOwn', 'mufPlain', 'mufAll', 'mean', 'rrf'].map(
	other => ['muf', other] as const,
);

/** Tests all pairs by one measure, as one family of tests. */
export async function compareConditions(
	pairs: readonly Pair[],
	measure: string,
	valuesOf: (condition: string) => ValueByQuestion,
	options: TestOptions,
): Promise<Comparison[]> {
	return comparePairs(
		pairs.map(([a, b]) => ({a, b, measure, valuesOfA: valuesOf(a), valuesOfB: valuesOf(b)})),
		options,
	);
}

/** Predictions at the temperature T = 1 and at the fitted temperature. */
export interface CalibratedPredictions {
	readonly before: readonly Prediction[];
	readonly after: readonly Prediction[];
}

/** Names for the predictions of a model in comparisons: at T = 1, and at the fitted temperature. */
export const uncalibratedName = (model: string): string => `${model} at T = 1`;
export const calibratedName = (model: string): string => `${model} at the fitted T`;

/**
Tests whether the fitted temperature lowers each model's Brier score. A paired test can be applied to the Brier score
because it is a mean over questions, the mean of the squared difference between confidence and outcome (1 or 0). The
calibration error is not such a mean.
*/
export async function compareCalibrations(models: ReadonlyMap<string, CalibratedPredictions>, options: TestOptions): Promise<Comparison[]> {
	const values = new Map<string, ValueByQuestion>();
	for (const [name, {before, after}] of models) {
		values.set(uncalibratedName(name), squaredErrors(before));
		values.set(calibratedName(name), squaredErrors(after));
	}
	const pairs = [...models.keys()].map(name => [uncalibratedName(name), calibratedName(name)] as const);
	return compareConditions(pairs, brierMeasure, name => values.get(name)!, options);
}

function squaredErrors(predictions: readonly Prediction[]): ValueByQuestion {
	return new Map(predictions.map(({confidence, correct}, i) => [String(i), (confidence - Number(correct)) ** 2]));
}
