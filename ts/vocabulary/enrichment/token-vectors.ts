/** The search for the vectors of single tokens. */
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
	/** Where each search begins: at 0, or at the token's static embedding. @default 'zero' */
	readonly start?: 'zero' | 'static' | undefined;
	/** Adam's α. @default 0.001 if the head's `config.json` names the `model_type` "mpnet", else 0.01: those of the paper */
	readonly learningRate?: number | undefined;
	/** Adam's β₁. @default 0.9 */
	readonly beta1?: number | undefined;
	/** Adam's β₂. @default 0.999 */
	readonly beta2?: number | undefined;
	/** Adam's ε. @default 1e-8 */
	readonly epsilon?: number | undefined;
	/** Cross-entropy, in nats, below which a token is done. A token that provably has no such vector is done this close to its bound. @default 0.1 */
	readonly loss?: number | undefined;
	/**
	When the searches end. `all`, as in the paper: all tokens take the same number of steps, after which each of them is done (or
	`maxSteps`). `each`: a token stops as soon as it is done, which takes a small part of the time. @default 'all'
	*/
	readonly stopping?: 'all' | 'each' | undefined;
	/** Minimum number of steps of each token. @default 0 */
	readonly minSteps?: number | undefined;
	/** Maximum number of steps of each token. @default 100 */
	readonly maxSteps?: number | undefined;
	/** Threads of the search. @default all cores */
	readonly threads?: number | undefined;
	/** Keep what is found, and continue from what was kept: in `enrichments` of the cache folder. @default true */
	readonly cache?: boolean | undefined;
	/** @default PASSAGEKIT_CACHE, else `.cache/passagekit` in the home folder */
	readonly cacheFolder?: string | undefined;
}

/** How the search for the vectors of tokens ended, by token id. */
export interface TokenSearch {
	/** Cross-entropy of each token's vector, in nats. */
	readonly losses: Float32Array;
	/** A lower bound on the loss of every vector: if it is above the loss asked for, no vector reaches that. */
	readonly bounds: Float32Array;
	/** Steps that each token took. */
	readonly steps: Uint32Array;
}

/** @internal Checked options of a search, and the folder that keeps its results, if any. */
export interface CheckedSearch {
	readonly options: Binding.NativeEnrichOptions;
	readonly folder: string | undefined;
}

/** @internal Throws if an option has no meaning. */
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

/** By default: after 100 steps all but about 1 in 1,000 tokens of BERT-like heads are done, and the last ones gain little. */
export const MAX_STEPS = 100;

/** @internal The vectors of all tokens, from the cache if they are there. */
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
