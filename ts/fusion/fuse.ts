import {checkCount, checkNumber, checkOneOf} from '../check.ts';
import {type Binding, callNative, native} from '../native.ts';
import {RetrievedRun, nativeRun} from '../run.ts';
import type {CallOptions, Run} from '../types.ts';

/**
How two lists become one, over the union of their hits (Ma et al., 2021, §2.1).

- `dprHybrid`: λ · dense + sparse, a missing score is 0 (Karpukhin et al., 2020). λ is 1.1 by default.
- `hybrid`: dense + α · sparse, a missing score is 0.
- `hybridNorm`: the same, but a missing score is the lowest score that its list retrieved.
- `interpolate`: α · dense + (1 − α) · sparse after `normalise`; a missing score is 0, or after `z-score` the list's lowest.
- `rrf`: Σ 1 / (rankConstant + rank), scores are ignored (Cormack et al., 2009). The constant is 60 by default.
*/
export type FusionMethod =
	| {readonly method: 'dprHybrid'; readonly lambda?: number}
	| {readonly method: 'hybrid'; readonly alpha: number}
	| {readonly method: 'hybridNorm'; readonly alpha: number}
	| {readonly method: 'interpolate'; readonly alpha: number; readonly normalise?: Normalisation}
	| {readonly method: 'rrf'; readonly rankConstant?: number};

/** `min-max` to [0, 1]; `z-score` to mean 0 and standard deviation 1, a list at a time. */
export type Normalisation = 'none' | 'min-max' | 'z-score';

/**
Fuses two runs query by query. Of equal fused scores the passage that comes first stays first, the dense list read
before the sparse one. Progress is not reported: a query takes microseconds.

@example
```
const fused = await fuse({dense, sparse}, {method: 'hybrid', alpha: 0.5});
```
*/
export async function fuse(
	lists: {readonly dense: Run; readonly sparse: Run},
	fusion: FusionMethod,
	options: CallOptions & {readonly k?: number | undefined} = {},
): Promise<Run> {
	const {k = 100} = options;
	checkCount('k', k, 0);
	checkFusion(fusion);
	const runs = [await nativeRun(lists.dense), await nativeRun(lists.sparse)];
	return new RetrievedRun(await callNative(options, control => native.fuseRuns(runs, fusion as Binding.FusionMethod, k, control)));
}

export function checkFusion(fusion: FusionMethod): void {
	checkOneOf('fusion: method', fusion?.method, ['dprHybrid', 'hybrid', 'hybridNorm', 'interpolate', 'rrf']);
	switch (fusion.method) {
		case 'dprHybrid': {
			checkNumber('fusion: lambda', fusion.lambda ?? 1.1);
			break;
		}
		case 'interpolate': {
			checkOneOf('fusion: normalise', fusion.normalise ?? 'none', ['none', 'min-max', 'z-score']);
			checkNumber('fusion: alpha', fusion.alpha);
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
