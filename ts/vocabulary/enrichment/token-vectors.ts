/** Options, defaults and cache folder of the search for the vectors s(t) of single tokens. Native code runs the search. */
import {mkdir} from 'node:fs/promises';
import {join} from 'node:path';
import {checkBoolean, checkCount, checkNumber, checkOneOf} from '../../core/checks.ts';
import {onPath} from '../../core/file-system.ts';
import {cacheFolderOf} from '../../models/cache.ts';
import {type Binding, callNative, native} from '../../core/native/native.ts';
import type {CallOptions} from '../../core/types.ts';
import {paperLearningRate} from './learning-rate.ts';
import {VocabularyProjection} from '../projection/vocabulary-projection.ts';

/** How the vectors of tokens are computed. */
export interface TokenVectorOptions {
	/** Starting point of each search: 0, or the token's static embedding. @default 'zero' */
	readonly start?: 'zero' | 'static' | undefined;
	/** Adam's α. @default the paper's: 0.001 if the head's `config.json` has the `model_type` "mpnet", else 0.01 */
	readonly learningRate?: number | undefined;
	/** Adam's β₁. @default 0.9 */
	readonly beta1?: number | undefined;
	/** Adam's β₂. @default 0.999 */
	readonly beta2?: number | undefined;
	/** Adam's ε. @default 1e-8 */
	readonly epsilon?: number | undefined;
	/**
	Cross-entropy, in nats, below which a token is done. If a lower bound proves that no vector reaches it, the token is done when its
	loss exceeds that bound by less than this value.
	@default 0.1
	*/
	readonly loss?: number | undefined;
	/**
	When the searches end. `all`, as in the paper: all tokens take the same number of steps, the smallest after which each of them is
	done (at most `maxSteps`). `each`: a token stops as soon as it is done, which takes a small part of the time. @default 'all'
	*/
	readonly stopping?: 'all' | 'each' | undefined;
	/** Minimum number of steps of each token. @default 0 */
	readonly minSteps?: number | undefined;
	/** Maximum number of steps of each token. @default 100 */
	readonly maxSteps?: number | undefined;
	/** Threads of the search. @default all cores */
	readonly threads?: number | undefined;
	/** Save results in the folder `enrichments` of the cache folder, and continue from saved ones. @default true */
	readonly cache?: boolean | undefined;
	/** @default PASSAGEKIT_CACHE, else `.cache/passagekit` in the home folder */
	readonly cacheFolder?: string | undefined;
}

/** How the search for the vectors of tokens ended, by token id. */
export interface TokenSearch {
	/** Cross-entropy of each token's vector, in nats. */
	readonly losses: Float32Array;
	/** A lower bound on each token's loss. If it is above the option `loss`, no vector can reach that loss. */
	readonly bounds: Float32Array;
	/** Number of steps that each token took. */
	readonly steps: Uint32Array;
}

/** @internal Checked options of a search, and the folder that keeps its results, if any. */
export interface CheckedSearch {
	readonly options: Binding.NativeEnrichOptions;
	readonly folder: string | undefined;
}

/** @internal Fills in defaults. Throws if an option is invalid. */
export function checkedSearch(given: TokenVectorOptions, projection: VocabularyProjection): CheckedSearch {
	const {start = 'zero', beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8, loss = 0.1, stopping = 'all'} = given;
	const {learningRate = paperLearningRate(projection.modelType), minSteps = 0, threads = 0, cache = true} = given;
	checkOneOf('start', start, ['zero', 'static']);
	checkOneOf('stopping', stopping, ['all', 'each']);
	for (const [what, value] of Object.entries({learningRate, beta1, beta2, epsilon, loss})) {
		checkNumber(what, value);
	}
	checkCount('minSteps', minSteps, 0);
	const {maxSteps = Math.max(MAX_STEPS, minSteps)} = given;
	checkCount('maxSteps', maxSteps, minSteps);
	checkCount('threads', threads, 0);
	checkBoolean('cache', cache);
	const options = {start, learningRate, beta1, beta2, epsilon, loss, minSteps, maxSteps, even: stopping === 'all', threads};
	return {options, folder: cache ? join(cacheFolderOf(given.cacheFolder), 'enrichments') : undefined};
}

/** Default of `maxSteps`. After 100 steps all but about 1 in 1,000 tokens of BERT-like heads are done, and those gain little from more. */
export const MAX_STEPS = 100;

/** @internal Finds the vectors of all tokens, or takes them from the cache. */
export async function findTokens(
	projection: VocabularyProjection,
	{options, folder}: CheckedSearch,
	call: CallOptions,
): Promise<Binding.NativeTokenVectors> {
	if (folder !== undefined) {
		await onPath('write', folder, async () => mkdir(folder, {recursive: true}));
	}
	return callNative(call, control => native.findEnrichments(VocabularyProjection.handle(projection), options, folder, control));
}
