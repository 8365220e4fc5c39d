/** Finds the best weight of a fusion method by trying all weights of a grid. */
import {checkArray, checkNumber, checkOneOf} from '../core/checks.ts';
import {RetrievalError} from '../core/errors.ts';
import type {FusionMethod, Normalization} from './method.ts';

/** A fusion method that has a weight, and the weights to try for it. */
export interface HybridGrid {
	/** The method whose weight is tuned: λ of `dprHybrid`, α of the others. @default 'hybrid' */
	readonly method?: 'hybrid' | 'hybridNorm' | 'dprHybrid' | 'interpolate' | undefined;
	/** Normalization of scores for `interpolate`. @default 'none' */
	readonly normalize?: Normalization | undefined;
	/** The weights to try. @default 0 to 2 in steps of 0.05, as in Ma et al. (2021, §3); 0 to 1 for `interpolate` */
	readonly grid?: readonly number[] | undefined;
}

/** The names of the options in `HybridGrid`, for calls that spread them into their own option names. */
export const gridNames = {method: true, normalize: true, grid: true} as const;

/** A weight and its score. */
export interface TunedPoint {
	readonly weight: number;
	/** The value of the objective with this weight, 0 to 1: the mean of a measure, or the share of questions with an answer. */
	readonly score: number;
}

/** The result of tuning a fusion method. */
export interface HybridTuning {
	/** The method with the best weight of the grid; if several weights are equally good, with the first of them. */
	readonly fusion: FusionMethod;
	/** The best weight. */
	readonly weight: number;
	/** The score of the best weight. */
	readonly score: number;
	/** The scores of all weights, in the order of the grid. */
	readonly curve: readonly TunedPoint[];
}

/** Scores all weights of the grid and selects the best one. `score` gets the method once per weight, and returns one score for each. */
export async function bestOf(
	options: HybridGrid,
	score: (methods: readonly FusionMethod[]) => Promise<readonly number[]>,
): Promise<HybridTuning> {
	const {method = 'hybrid', normalize} = options;
	checkOneOf('method', method, ['hybrid', 'hybridNorm', 'dprHybrid', 'interpolate']);
	// i / 20 is more precise than adding 0.05 repeatedly.
	const grid = options.grid ?? Array.from({length: method === 'interpolate' ? 21 : 41}, (_, i) => i / 20);
	checkArray('grid', grid, 'weights');
	if (grid.length === 0) {
		throw new RetrievalError('ERR_ARGUMENT', 'grid: expected at least one weight, got none');
	}
	for (const weight of grid) {
		checkNumber('grid', weight);
	}
	const methods = grid.map((weight): FusionMethod => {
		switch (method) {
			case 'dprHybrid': {
				return {method, lambda: weight};
			}
			case 'interpolate': {
				return {method, alpha: weight, ...(normalize ? {normalize} : {})};
			}
			default: {
				return {method, alpha: weight};
			}
		}
	});
	const scores = await score(methods);
	const curve = grid.map((weight, i) => ({weight, score: scores[i]!}));
	const best = curve.reduce((best, point) => (point.score > best.score ? point : best));
	return {fusion: methods[curve.indexOf(best)]!, ...best, curve};
}
