import {checkArray, checkNumber, checkOneOf} from '../core/checks.ts';
import {RetrievalError} from '../core/errors.ts';
import type {FusionMethod, Normalization} from './method.ts';

export interface HybridGrid {
	/** The method whose weight is tuned: λ of `dprHybrid`, α of the others. @default 'hybrid' */
	readonly method?: 'hybrid' | 'hybridNorm' | 'dprHybrid' | 'interpolate' | undefined;
	/** Normalization of scores for `interpolate`. @default 'none' */
	readonly normalize?: Normalization | undefined;
	/** The weights to try. @default 0 to 2 in steps of 0.05, as in Ma et al. (2021, §3); 0 to 1 for `interpolate` */
	readonly grid?: readonly number[] | undefined;
}

/** The names of `HybridGrid`, to be spread into the lists of calls with more options. */
export const gridNames = {method: true, normalize: true, grid: true} as const;

/** A weight and its score: a share or a mean, 0 to 1. */
export interface TunedPoint {
	readonly weight: number;
	readonly score: number;
}

export interface HybridTuning {
	/** The method with the best weight of the grid; of equally good weights, the first. */
	readonly fusion: FusionMethod;
	readonly weight: number;
	readonly score: number;
	/** The scores of all weights, in the order of the grid. */
	readonly curve: readonly TunedPoint[];
}

/** Scores all weights of the grid and selects the best. */
export async function bestOf(
	options: HybridGrid,
	score: (methods: readonly FusionMethod[]) => Promise<readonly number[]>,
): Promise<HybridTuning> {
	const {method = 'hybrid', normalize} = options;
	checkOneOf('method', method, ['hybrid', 'hybridNorm', 'dprHybrid', 'interpolate']);
	// Multiples are more precise than sums of steps.
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
