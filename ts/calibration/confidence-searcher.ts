import {checkCount, checkObject, checkOneOf, checkQueries, checkString, hasMethods, isArray, kindOf} from '../core/checks.ts';
import {RetrievalError} from '../core/errors.ts';
import {callSync, native} from '../core/native/native.ts';
import {runConcurrently} from '../core/concurrent-calls.ts';
import type {CallOptions, Hit, Query, Run, SearchManyOptions, SearchOptions, Searcher} from '../core/types.ts';
import {type OptionNames, callNames, checkRequiredOptions, checkOptions, optionNames} from '../core/options.ts';
import {type FusedModel, checkModels, fuseByConfidence} from './fuse-by-confidence.ts';

/** One of the models of a `ConfidenceSearcher`. */
export interface ConfidenceModel {
	/** @default its position among the models, from '0' */
	readonly name?: string | undefined;
	readonly searcher: Searcher;
	/** This model's own temperature, an extension of the paper's method; not with a `temperature` for all models. */
	readonly temperature?: number | undefined;
}

/** A searcher that also returns the best phrases: `PhraseSearcher` does. */
export interface WithPhrases {
	/** Returns the `k` best passages, and the `maxPhrases` best phrases. */
	searchWithPhrases(
		query: string,
		options: SearchOptions & {readonly maxPhrases: number},
	): Promise<{readonly hits: Hit[]; readonly phrases: readonly Hit[]}>;
	/** Returns the same for many queries. */
	searchManyWithPhrases(
		queries: readonly Query[],
		options: SearchManyOptions & {readonly maxPhrases: number},
	): Promise<{readonly run: Run; readonly phrases: Run}>;
}

interface NamedModel {
	readonly name: string;
	readonly searcher: Searcher | (Searcher & WithPhrases);
	readonly temperature: number;
}

export interface ConfidenceSearcherOptions {
	/** If several models are equally confident, the first one answers. */
	readonly models: readonly ConfidenceModel[];
	/**
	The temperature of all models, as in the paper: see `fitFusionTemperature`. Give either this or one temperature per model, which is
	an extension of the method.
	*/
	readonly temperature?: number | undefined;
	/** Number of scores that a confidence is computed from: the k of A_k. @default 30 */
	readonly depth?: number | undefined;
	/**
	Which scores A_k holds. `phrases`: those of the best phrases, as in the paper, for searchers that return them
	(`PhraseSearcher`), and those of the best passages for others. `passages`: those of the best passages for all.
	@default 'phrases'
	*/
	readonly confidenceOf?: 'phrases' | 'passages' | undefined;
}

const searcherOptions: OptionNames = optionNames<ConfidenceSearcherOptions>({
	models: true,
	temperature: true,
	depth: true,
	confidenceOf: true,
});
const searchNames = {...callNames, k: true} as const;
const searchOptions: OptionNames = optionNames<SearchOptions>(searchNames);
const searchManyOptions: OptionNames = optionNames<SearchManyOptions>({...searchNames, threads: true});

/** The model that was selected for a query, and the confidence of each model. */
export interface ConfidenceDecision {
	/** The name of the most confident model. */
	readonly model: string;
	/** Its confidence. */
	readonly confidence: number;
	/** Its hits, as its searcher returned them. */
	readonly hits: Hit[];
	/** Name → confidence, for all models in their order; 0 for a model without hits. */
	readonly confidences: ReadonlyMap<string, number>;
}

/**
Asks several models, and returns the hits of the most confident one: model uncertainty fusion (Yang et al., 2023, §3.2; see
`fuseByConfidence` for runs). A model without hits has a confidence of 0; if no model has hits, the list is empty.

Fails with `ERR_ARGUMENT` if there is neither a temperature for all models nor one for each, or both.

@example
```
const searcher = new ConfidenceSearcher({
	models: [
		{name: 'sentences', searcher: sentences},
		{name: 'passages', searcher: passages},
	],
	temperature: 0.05,
});
const {model, confidence, hits} = await searcher.decide('Who built the bridge?');
//=> {model: 'sentences', confidence: 0.91…, hits: […], …}

// For comparison: the mean of scores, with a list's lowest score for passages that it lacks, and reciprocal ranks.
const searchers = [sentences, passages];
const mean = new HybridSearcher({searchers, fusion: {method: 'linear', weights: [1 / 2, 1 / 2], missing: 'minimum'}});
const ranks = new HybridSearcher({searchers, fusion: {method: 'rrf'}});
```
*/
export class ConfidenceSearcher implements Searcher {
	readonly #models: readonly NamedModel[];
	readonly #depth: number;
	readonly #ofPhrases: boolean;

	constructor(options: ConfidenceSearcherOptions) {
		checkRequiredOptions('ConfidenceSearcher', options, searcherOptions);
		const {models, temperature, depth = 30, confidenceOf = 'phrases'} = options;
		const named = (
			isArray(models)
				? (models as readonly ConfidenceModel[]).map((model, i) => {
						checkObject(`models[${i}]`, model, '{name?, searcher, temperature?}');
						return {...model, name: model.name ?? String(i)};
					})
				: models
		) as ReadonlyArray<ConfidenceModel & {readonly name: string}>;
		const temperatures = checkModels('models', named, temperature);
		for (const [i, {searcher}] of named.entries()) {
			if (!hasMethods(searcher, 'searchMany', 'search')) {
				throw new RetrievalError('ERR_ARGUMENT', `models[${i}]: searcher: expected a searcher, got ${kindOf(searcher)}`);
			}
		}
		checkCount('depth', depth, 1);
		checkOneOf('confidenceOf', confidenceOf, ['phrases', 'passages']);
		this.#models = named.map(({name, searcher}, i) => ({name, searcher, temperature: temperatures[i]!}));
		this.#depth = depth;
		this.#ofPhrases = confidenceOf === 'phrases';
	}

	/** Returns the hits of the most confident model, as its searcher returned them: those of a `PhraseSearcher` have the phrase. */
	async search(query: string, options: SearchOptions = {}): Promise<Hit[]> {
		return (await this.decide(query, options)).hits;
	}

	/** Returns the hits of the most confident model for each query. Hits have an id and a score. Progress is that of the first model. */
	async searchMany(queries: readonly Query[], options: SearchManyOptions = {}): Promise<Run> {
		checkQueries('queries', queries);
		checkOptions('searchMany', options, searchManyOptions);
		const {k = 100, signal, threads, onProgress} = options;
		checkCount('k', k, 0);
		const depth = Math.max(k, this.#depth);
		const runs = await runConcurrently(
			{signal, onProgress},
			this.#models.map(({name, searcher, temperature}) => async (call: CallOptions): Promise<FusedModel> => {
				if (this.#returnsPhrases(searcher)) {
					const {run, phrases} = await searcher.searchManyWithPhrases(queries, {k, maxPhrases: this.#depth, threads, ...call});
					return {name, run, phrases, temperature};
				}
				return {name, run: await searcher.searchMany(queries, {k: depth, threads, ...call}), temperature};
			}),
		);
		return (await fuseByConfidence(runs, {depth: this.#depth, k, signal})).run;
	}

	/** Returns the most confident model, the confidence of each model, and the hits. */
	async decide(query: string, options: SearchOptions = {}): Promise<ConfidenceDecision> {
		checkString('query', query);
		checkOptions('search', options, searchOptions);
		const {k = 100, signal} = options;
		checkCount('k', k, 0);
		const depth = Math.max(k, this.#depth);
		const found = await Promise.all(
			this.#models.map(async ({searcher}) => {
				if (this.#returnsPhrases(searcher)) {
					return searcher.searchWithPhrases(query, {k, maxPhrases: this.#depth, signal});
				}
				const hits = await searcher.search(query, {k: depth, signal});
				return {hits, phrases: hits};
			}),
		);
		const best = found.map(({phrases}) => phrases.slice(0, this.#depth).map(({score}) => score));
		const {model, confidences} = callSync(() =>
			native.chooseModel(
				Float32Array.from(best.flat()),
				Uint32Array.from(best, ({length}) => length),
				Float64Array.from(this.#models, ({temperature}) => temperature),
			),
		);
		return {
			model: this.#models[model]!.name,
			confidence: confidences[model]!,
			hits: found[model]!.hits.slice(0, k),
			confidences: new Map(this.#models.map(({name}, i) => [name, confidences[i]!])),
		};
	}

	#returnsPhrases(searcher: Searcher): searcher is Searcher & WithPhrases {
		return this.#ofPhrases && hasMethods(searcher, 'searchWithPhrases', 'searchManyWithPhrases');
	}
}
