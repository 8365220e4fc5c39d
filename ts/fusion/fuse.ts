/** `fuse` combines several runs into one, query by query. */
import {checkCount, checkObject, isArray} from '../core/checks.ts';
import {RetrievalError} from '../core/errors.ts';
import {type Binding, callNative, native} from '../core/native/native.ts';
import {type OptionNames, callNames, checkOptions, optionNames} from '../core/options.ts';
import {RetrievedRun, nativeRun} from '../core/native/runs.ts';
import type {CallOptions, Run} from '../core/types.ts';
import {type FusionMethod, checkFusion, nativeFusion} from './method.ts';

/** The runs to fuse: a dense and a sparse run, or an array of any number of runs. */
export type FusedLists = {readonly dense: Run; readonly sparse: Run} | readonly Run[];

/** The options of `fuse`. */
export type FuseOptions = CallOptions & {
	/** Number of hits taken from each list before fusion: k' in Ma et al. (2021). @default all */
	readonly depth?: number | undefined;
	/** Maximum number of hits per query. @default 100 */
	readonly k?: number | undefined;
};

const fuseOptions: OptionNames = optionNames<FuseOptions>({...callNames, depth: true, k: true});

/**
Fuses runs query by query. If two fused scores are equal, the passage that appears first in the lists comes first: the lists are read in
their order, the dense list before the sparse one. Fails with `ERR_ARGUMENT` if the method cannot fuse this number of lists. Progress is not
reported, because a query takes microseconds.

@example
```
const fused = await fuse({dense, sparse}, {method: 'hybrid', alpha: 0.5});
const ofThree = await fuse([dense, sparse, titles], {method: 'rrf'});
```
*/
export async function fuse(lists: FusedLists, fusion: FusionMethod, options: FuseOptions = {}): Promise<Run> {
	checkOptions('fuse', options, fuseOptions);
	const {depth = 0xff_ff_ff_ff, k = 100} = options;
	checkCount('depth', depth, 1);
	checkCount('k', k, 0);
	const runs = await nativeRuns(lists);
	checkFusion(fusion, runs.length);
	return new RetrievedRun(await callNative(options, control => native.fuseRuns(runs, nativeFusion(fusion), depth, k, control)));
}

/** @internal Returns the native forms of the runs, in their order; the dense run comes before the sparse one. */
export async function nativeRuns(lists: FusedLists): Promise<Binding.NativeRun[]> {
	if (!isArray(lists)) {
		checkObject('lists', lists, 'an array of runs or {dense, sparse}');
	}
	const runs = isArray(lists) ? (lists as readonly Run[]) : [(lists as {dense: Run}).dense, (lists as {sparse: Run}).sparse];
	if (runs.length === 0) {
		throw new RetrievalError('ERR_ARGUMENT', 'lists: expected at least one run, got none');
	}
	const handles: Binding.NativeRun[] = [];
	for (const run of runs) {
		handles.push(await nativeRun(run));
	}
	return handles;
}
