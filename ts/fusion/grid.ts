import {checkArray, checkNumber, checkOneOf} from '../core/checks.ts';
import {RetrievalError} from '../core/errors.ts';
import type {FusionMethod, Normalization} from './method.ts';

export interface HybridGrid {
	/** Whose weight is looked for: λ of `dprHybrid`, α of the others. @default 'hybrid' */
	readonly method?: 'hybrid' | 'hybridNorm' | 'dprHybrid' | 'interpolate' | undefined;
	/** Of `interpolate`. @default 'none' */
	readonly normalize?: Normalization | undefined;
	/** Weights that are tried. @default 0 to 2 by steps of 0.05, as Ma et al. (2021, §3); to 1 for `interpolate` */
	readonly grid?: readonly number[] | undefined;
}

/** The names of `HybridGrid`, for calls with additional options. */
export const gridNames = {method: true, normalize: true, grid: true} as const;

/** A weight, and what it reaches: a share or a mean from 0 to 1. */
export interface TunedPoint {
	readonly weight: number;
	readonly score: number;
}

export interface HybridTuning {
	/** The best there is on the grid: the first of those that reach as much. */
	readonly fusion: FusionMethod;
	readonly weight: number;
	readonly score: number;
	/** The whole grid, in its order. */
	readonly curve: readonly TunedPoint[];
}

/** Tries a grid of weights. */
export async function bestOf(
	options: HybridGrid,
	score: (methods: readonly FusionMethod[]) => Promise<readonly number[]>,
): Promise<HybridTuning> {
	const {method = 'hybrid', normalize} = options;
	checkOneOf('method', method, ['hybrid', 'hybridNorm', 'dprHybrid', 'interpolate']);
	// Multiples are nearer to what is meant than sums of steps.
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
