/** The fusion methods and their parameters. */
import {checkNumber, checkObject, checkOneOf, kindOf} from '../core/checks.ts';
import {RetrievalError} from '../core/errors.ts';
import type {Binding} from '../core/native/native.ts';
import {type OptionNames, checkRequiredOptions} from '../core/options.ts';

/**
How lists are fused. A fused list has all passages of the lists. A passage that is not in a list has no score there; the list below says
what each method uses instead of such a missing score. The first four methods need a dense and a sparse list (Ma et al., 2021, §2.1).

- `dprHybrid`: λ · dense + sparse (Karpukhin et al., 2020). A missing score is 0. λ (`lambda`) is 1.1 by default.
- `hybrid`: dense + α · sparse. A missing score is 0.
- `hybridNorm`: dense + α · sparse. A missing score is the lowest score of the list.
- `interpolate`: α · dense + (1 − α) · sparse, after the scores are normalized as `normalize` says. A missing score is 0, or with `z-score`
  the lowest score of the list.
- `linear`: Σ weight · score over any number of lists, after the scores are normalized as `normalize` says. A missing score is 0, or the
  lowest score of the list if `missing` is `minimum`. Weights are 1 by default.
- `rrf`: reciprocal rank fusion, Σ 1 / (rankConstant + rank) over any number of lists (Cormack et al., 2009). Scores are ignored, and a list
  without the passage adds nothing. `rankConstant` is 60 by default.
*/
export type FusionMethod =
	| {readonly method: 'dprHybrid'; readonly lambda?: number}
	| {readonly method: 'hybrid'; readonly alpha: number}
	| {readonly method: 'hybridNorm'; readonly alpha: number}
	| {readonly method: 'interpolate'; readonly alpha: number; readonly normalize?: Normalization}
	| {
			readonly method: 'linear';
			readonly weights?: readonly number[];
			readonly normalize?: Normalization;
			readonly missing?: 'zero' | 'minimum';
	  }
	| {readonly method: 'rrf'; readonly rankConstant?: number};

/** How the scores of each list are normalized: `min-max` to the range 0 to 1, `z-score` to mean 0 and standard deviation 1. */
export type Normalization = 'none' | 'min-max' | 'z-score';

const methodOptions: Readonly<Record<FusionMethod['method'], OptionNames>> = {
	dprHybrid: new Set(['method', 'lambda']),
	hybrid: new Set(['method', 'alpha']),
	hybridNorm: new Set(['method', 'alpha']),
	interpolate: new Set(['method', 'alpha', 'normalize']),
	linear: new Set(['method', 'weights', 'normalize', 'missing']),
	rrf: new Set(['method', 'rankConstant']),
};

/** @internal Casts a method to the type that the addon declares, in which arrays are not read-only. The addon does not change them. */
export function nativeFusion(fusion: FusionMethod): Binding.FusionMethod {
	return fusion as Binding.FusionMethod;
}

/** Fails with `ERR_ARGUMENT` if a method is invalid, or if it cannot fuse this number of lists. */
export function checkFusion(fusion: FusionMethod, listCount: number): void {
	checkObject('fusion', fusion, "a method such as {method: 'rrf'}");
	checkOneOf('fusion: method', fusion.method, Object.keys(methodOptions) as FusionMethod['method'][]);
	checkRequiredOptions('fusion', fusion, methodOptions[fusion.method]);
	if (listCount !== 2 && fusion.method !== 'linear' && fusion.method !== 'rrf') {
		throw new RetrievalError(
			'ERR_ARGUMENT',
			`fusion: expected a dense and a sparse list for ${fusion.method}, got ${listCount} ${listCount === 1 ? 'list' : 'lists'}`,
		);
	}
	switch (fusion.method) {
		case 'dprHybrid': {
			checkNumber('fusion: lambda', fusion.lambda ?? 1.1);
			break;
		}
		case 'interpolate': {
			checkOneOf('fusion: normalize', fusion.normalize ?? 'none', ['none', 'min-max', 'z-score']);
			checkNumber('fusion: alpha', fusion.alpha);
			break;
		}
		case 'linear': {
			checkOneOf('fusion: normalize', fusion.normalize ?? 'none', ['none', 'min-max', 'z-score']);
			checkOneOf('fusion: missing', fusion.missing ?? 'zero', ['zero', 'minimum']);
			const {weights} = fusion;
			if (weights !== undefined && (!Array.isArray(weights) || weights.length !== listCount)) {
				const got = Array.isArray(weights) ? String(weights.length) : kindOf(weights);
				throw new RetrievalError('ERR_ARGUMENT', `fusion: expected ${listCount} weights, one per list, got ${got}`);
			}
			for (const weight of weights ?? []) {
				checkNumber('fusion: weights', weight);
			}
			break;
		}
		case 'rrf': {
			checkNumber('fusion: rankConstant', fusion.rankConstant ?? 60);
			break;
		}
		default: {
			checkNumber('fusion: alpha', fusion.alpha);
		}
	}
}
