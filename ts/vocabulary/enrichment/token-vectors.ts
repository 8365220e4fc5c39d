/**
Finds the vectors of tokens for lexical enrichment: for each token t of the vocabulary, the vector that the masked-language-model head
projects to t with the highest probability. Adam minimizes the cross-entropy for each token (Ram et al., 2023, §6.2). This file has the
options, their defaults, and the cache folder; native code runs the optimization. Identifiers call the optimization a search.
*/
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
	/** Initial vector of each token. `zero`: 0; `static`: the token's row of the head's decoder. @default 'zero' */
	readonly start?: 'zero' | 'static' | undefined;
	/** Adam's α. @default 0.001 if the head's `config.json` has the `model_type` "mpnet", else 0.01, as in Ram et al. (2023) */
	readonly learningRate?: number | undefined;
	/** Adam's β₁. @default 0.9 */
	readonly beta1?: number | undefined;
	/** Adam's β₂. @default 0.999 */
	readonly beta2?: number | undefined;
	/** Adam's ε. @default 1e-8 */
	readonly epsilon?: number | undefined;
	/**
	Threshold for the loss of a token's vector, a cross-entropy in nats: a token is done when its loss is below the threshold. If a lower
	bound proves that no vector has such a loss, the token is done when its loss is less than the lower bound plus the threshold.
	@default 0.1
	*/
	readonly loss?: number | undefined;
	/**
	When the tokens stop. `all`, as in Ram et al. (2023): all tokens take the same number of steps, namely the number that the slowest
	token needs until it is done (at most `maxSteps`). `each`: each token stops as soon as it is done, which takes a fraction of
	the time of `all`.
	@default 'all'
	*/
	readonly stopping?: 'all' | 'each' | undefined;
	/** Minimum number of steps of each token. @default 0 */
	readonly minSteps?: number | undefined;
	/** Maximum number of steps of each token. @default 100, or `minSteps` if that is larger */
	readonly maxSteps?: number | undefined;
	/** Number of threads. @default all cores */
	readonly threads?: number | undefined;
	/** Whether results are saved in the folder `enrichments` of the cache folder and reused by later calls. @default true */
	readonly cache?: boolean | undefined;
	/** The cache folder. @default the environment variable PASSAGEKIT_CACHE, else `.cache/passagekit` in the home folder */
	readonly cacheFolder?: string | undefined;
}

/** How the optimization of the tokens' vectors ended. Arrays are indexed by token id. */
export interface TokenSearch {
	/** Cross-entropy of each token's vector, in nats. */
	readonly losses: Float32Array;
	/** A lower bound on each token's loss. If it is above the option `loss`, no vector can reach that loss. */
	readonly bounds: Float32Array;
	/** Number of steps that each token took. */
	readonly steps: Uint32Array;
}

/** @internal The checked options, and the folder for the results; the folder is `undefined` without a cache. */
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
	const options = {start, learningRate, beta1, beta2, epsilon, loss, minSteps, maxSteps, useEqualSteps: stopping === 'all', threads};
	return {options, folder: cache ? join(cacheFolderOf(given.cacheFolder), 'enrichments') : undefined};
}

/** Default of `maxSteps`. After 100 steps, all but about 1 in 1,000 tokens of BERT-like heads are done, and more steps hardly help the rest. */
export const MAX_STEPS = 100;

/** @internal Finds the vectors of all tokens, or takes them from the cache. */
export async function findTokenVectors(
	projection: VocabularyProjection,
	{options, folder}: CheckedSearch,
	call: CallOptions,
): Promise<Binding.NativeTokenVectors> {
	if (folder !== undefined) {
		await onPath('write', folder, async () => mkdir(folder, {recursive: true}));
	}
	return callNative(call, control => native.findEnrichments(VocabularyProjection.handle(projection), options, folder, control));
}
