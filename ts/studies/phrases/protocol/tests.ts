/** The tests of a study, in families that are corrected on their own. */
import type {Prediction} from '../../../calibration/index.ts';
import {pairedTest} from '../../../evaluation/index.ts';
import type {Comparison} from '../../statistics/comparison.ts';
import {type Tested, corrected} from '../../statistics/correction.ts';
import {waitForTime} from '../../../core/event-loop.ts';
import {brierMeasure} from '../labels.ts';

export interface TestOptions {
	readonly significance: number;
	readonly signal?: AbortSignal | undefined;
}

/** A value per question. */
export type PerQuestion = ReadonlyMap<string, number>;

type Pair = readonly [a: string, b: string];

/** What the paper compares: MUF with each model and BM25, phrases with whole passages, and the shortest phrases with longer ones. */
export function pairsOfPaper(models: readonly string[]): readonly Pair[] {
	const phrases = models.filter(name => name !== 'M0');
	const [shortest, ...longer] = phrases;
	return [
		...[...models, 'bm25'].map(other => ['muf', other] as const),
		...phrases.map(name => [name, 'M0'] as const),
		...longer.map(name => [shortest!, name] as const),
	];
}

/** Other ways to fuse, which the paper does not have. */
export const pairsOfExtensions: readonly Pair[] = ['mufSearch', 'mufOwn', 'mufPlain', 'mufAll', 'mean', 'rrf'].map(
	other => ['muf', other] as const,
);

/** Paired t-tests of each pair, a − b, as one family. */
export async function compareAll(
	pairs: readonly Pair[],
	measure: string,
	valuesOf: (condition: string) => PerQuestion,
	{significance, signal}: TestOptions,
): Promise<Comparison[]> {
	const tests: Tested[] = [];
	for (const [a, b] of pairs) {
		await waitForTime();
		tests.push({a, b, measure, mark: '', better: true, tested: await pairedTest(valuesOf(a), valuesOf(b), {signal})});
	}
	return corrected(tests, significance);
}

/** The name of predictions at T = 1, and at the one fitted temperature. */
export const uncalibratedName = (model: string): string => `${model} at T = 1`;
export const calibratedName = (model: string): string => `${model} at the fitted T`;

/**
Tests whether the fitted temperature lowers the Brier score: for each model, the squared differences between confidence and
outcome (1 or 0) at T = 1 less those at the fitted temperature, paired by question. The Brier score is a mean over questions, so
that a paired test applies to it; the calibration error is not.
*/
export async function compareCalibrations(
	models: ReadonlyMap<string, {readonly before: readonly Prediction[]; readonly after: readonly Prediction[]}>,
	options: TestOptions,
): Promise<Comparison[]> {
	const values = new Map<string, PerQuestion>();
	for (const [name, {before, after}] of models) {
		values.set(uncalibratedName(name), brierOf(before));
		values.set(calibratedName(name), brierOf(after));
	}
	const pairs = [...models.keys()].map(name => [uncalibratedName(name), calibratedName(name)] as const);
	return compareAll(pairs, brierMeasure, name => values.get(name)!, options);
}

function brierOf(predictions: readonly Prediction[]): PerQuestion {
	return new Map(predictions.map(({confidence, correct}, i) => [String(i), (confidence - Number(correct)) ** 2]));
}
