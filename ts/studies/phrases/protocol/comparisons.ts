/** The paired comparisons of a phrase study, in families that are corrected on their own. */
import type {Prediction} from '../../../calibration/index.ts';
import type {Comparison} from '../../statistics/comparison.ts';
import {type TestOptions, type ValueByQuestion, comparePairs} from '../../statistics/paired-comparisons.ts';
import {brierMeasure} from '../labels.ts';

type Pair = readonly [a: string, b: string];

/** The paper's comparisons: MUF with each model and BM25, phrases with whole passages, and the shortest phrases with longer ones. */
export function paperPairs(models: readonly string[]): readonly Pair[] {
	const phrases = models.filter(name => name !== 'M0');
	const [shortest, ...longer] = phrases;
	return [
		...[...models, 'bm25'].map(other => ['muf', other] as const),
		...phrases.map(name => [name, 'M0'] as const),
		...longer.map(name => [shortest!, name] as const),
	];
}

/** MUF with other ways to fuse, which the paper does not compare. */
export const extensionPairs: readonly Pair[] = ['mufSearch', 'mufOwn', 'mufPlain', 'mufAll', 'mean', 'rrf'].map(
	other => ['muf', other] as const,
);

/** Tests all pairs by one measure, as one family. */
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

/** Predictions at T = 1 and at the fitted temperature. */
export interface CalibratedPredictions {
	readonly before: readonly Prediction[];
	readonly after: readonly Prediction[];
}

/** The names of a model's predictions in comparisons: at T = 1, and at the fitted temperature. */
export const uncalibratedName = (model: string): string => `${model} at T = 1`;
export const calibratedName = (model: string): string => `${model} at the fitted T`;

/**
Tests whether the fitted temperature lowers each model's Brier score. The Brier score is a mean over questions, of the squared difference
between confidence and outcome (1 or 0), so a paired test applies to it. The calibration error is not a mean over questions.
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
