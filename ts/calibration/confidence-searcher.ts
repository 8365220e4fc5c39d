/** A searcher that asks several models and returns the hits of the most confident one. */
import {checkCount, checkObject, checkOneOf, checkQueries, checkString, hasMethods, isArray, kindOf} from '../core/checks.ts';
import {RetrievalError} from '../core/errors.ts';
import {callSync, native} from '../core/native/native.ts';
import {runConcurrently} from '../core/concurrent-calls.ts';
import {checkFilterOfAll} from '../core/filterable.ts';
import type {Filter} from '../core/filters/filter.ts';
import type {
	CallOptions,
	FilterableSearcher,
	FilteredSearchManyOptions,
	FilteredSearchOptions,
	Hit,
	Query,
	Run,
	Searcher,
} from '../core/types.ts';
import {type OptionNames, callNames, checkRequiredOptions, checkOptions, optionNames} from '../core/options.ts';
import {type FusedModel, checkModels, fuseByConfidence} from './fuse-by-confidence.ts';

/** One of the models of a `ConfidenceSearcher`. */
export interface ConfidenceModel {
	/** A name that no other model has. @default its position among the models: '0', '1', … */
	readonly name?: string | undefined;
	/** Retrieves the hits of the model. */
	readonly searcher: Searcher;
	/** This model's own temperature, above 0. Give it only if there is no `temperature` for all models. */
	readonly temperature?: number | undefined;
}

/**
A searcher that can also return the best phrases, as `PhraseSearcher` can. To be searched with a `filter`, it also needs the method
`checkFilter`.
*/
export interface WithPhrases {
	/** Returns the `k` best passages and the `maxPhrases` best phrases for one query. */
	searchWithPhrases(
		query: string,
		options: FilteredSearchOptions & {readonly maxPhrases: number},
	): Promise<{readonly hits: Hit[]; readonly phrases: readonly Hit[]}>;
	/** Returns the best passages and the best phrases for many queries. */
	searchManyWithPhrases(
		queries: readonly Query[],
		options: FilteredSearchManyOptions & {readonly maxPhrases: number},
	): Promise<{readonly run: Run; readonly phrases: Run}>;
}

interface NamedModel {
	readonly name: string;
	readonly searcher: Searcher | (Searcher & WithPhrases);
	readonly temperature: number;
}

/** The options of a `ConfidenceSearcher`. "The paper" is Yang et al. (2023). */
export interface ConfidenceSearcherOptions {
	/** The models to ask. If several models are equally confident, the hits of the first of them are returned. */
	readonly models: readonly ConfidenceModel[];
	/**
	One temperature for all models, as in the paper; above 0. `fitFusionTemperature` finds it. Give either this temperature or one for each
	model, which is an extension of the paper's method.
	*/
	readonly temperature?: number | undefined;
	/** Number of best scores from which a confidence is computed: k in the paper, which calls these scores A_k. @default 30 */
	readonly depth?: number | undefined;
	/**
	The scores from which a confidence is computed. `phrases`: for a searcher that returns phrases (`PhraseSearcher`), the scores of the
	best phrases, as in the paper; for other searchers, those of the best passages. `passages`: for all searchers, the scores of the best
	passages. @default 'phrases'
	*/
	readonly confidenceOf?: 'phrases' | 'passages' | undefined;
}

const searcherOptions: OptionNames = optionNames<ConfidenceSearcherOptions>({
	models: true,
	temperature: true,
	depth: true,
	confidenceOf: true,
});
const searchNames = {...callNames, k: true, filter: true} as const;
const searchOptions: OptionNames = optionNames<FilteredSearchOptions>(searchNames);
const searchManyOptions: OptionNames = optionNames<FilteredSearchManyOptions>({...searchNames, threads: true});

/** The model that was selected for a query, and the confidence of each model. */
export interface ConfidenceDecision {
	/** The name of the most confident model. */
	readonly model: string;
	/** The confidence of that model. */
	readonly confidence: number;
	/** The hits of that model, as its searcher returned them. */
	readonly hits: Hit[];
	/** Name of model → confidence, for all models in their order; 0 for a model without hits. */
	readonly confidences: ReadonlyMap<string, number>;
}

/**
Searches with several models and returns the hits of the most confident one: model uncertainty fusion (MUF; Yang et al., 2023, §3.2). To
fuse runs, use `fuseByConfidence`. A model without hits has a confidence of 0. If no model has hits, the list is empty.

A filter is passed to all models, and confidences are computed from the hits that match. The search fails with `ERR_ARGUMENT` before it
starts if the searcher of a model does not support filters, that is, has no `checkFilter`, or if its `checkFilter` refuses this filter.

The constructor fails with `ERR_ARGUMENT` unless there is either a temperature for all models or one for each of them, but not both.

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

// For comparison: fusion by the mean score, where a passage that is not in a list gets the list's lowest score, and by reciprocal ranks.
const searchers = [sentences, passages];
const mean = new HybridSearcher({searchers, fusion: {method: 'linear', weights: [1 / 2, 1 / 2], missing: 'minimum'}});
const ranks = new HybridSearcher({searchers, fusion: {method: 'rrf'}});
```
*/
export class ConfidenceSearcher implements FilterableSearcher {
	readonly #models: readonly NamedModel[];
	readonly #depth: number;
	readonly #usesPhrases: boolean;

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
		const temperatures = checkModels(named, temperature);
		for (const [i, {searcher}] of named.entries()) {
			if (!hasMethods(searcher, 'searchMany', 'search')) {
				throw new RetrievalError('ERR_ARGUMENT', `models[${i}]: searcher: expected a searcher, got ${kindOf(searcher)}`);
			}
		}
		checkCount('depth', depth, 1);
		checkOneOf('confidenceOf', confidenceOf, ['phrases', 'passages']);
		this.#models = named.map(({name, searcher}, i) => ({name, searcher, temperature: temperatures[i]!}));
		this.#depth = depth;
		this.#usesPhrases = confidenceOf === 'phrases';
	}

	/** Returns the hits of the most confident model, as its searcher returned them. Hits of a `PhraseSearcher` include the best phrase. */
	async search(query: string, options: FilteredSearchOptions = {}): Promise<Hit[]> {
		return (await this.decide(query, options)).hits;
	}

	/**
	Returns for each query the hits of the most confident model, with id and score only. Progress is that of the first model's searcher, which
	counts queries.
	*/
	async searchMany(queries: readonly Query[], options: FilteredSearchManyOptions = {}): Promise<Run> {
		checkQueries('queries', queries);
		checkOptions('searchMany', options, searchManyOptions);
		const {k = 100, signal, threads, onProgress} = options;
		checkCount('k', k, 0);
		const filtered = this.#filterOf(options);
		const depth = Math.max(k, this.#depth);
		const runs = await runConcurrently(
			{signal, onProgress},
			this.#models.map(({name, searcher, temperature}) => async (call: CallOptions): Promise<FusedModel> => {
				if (this.#returnsPhrases(searcher)) {
					const {run, phrases} = await searcher.searchManyWithPhrases(queries, {k, maxPhrases: this.#depth, threads, ...filtered, ...call});
					return {name, run, phrases, temperature};
				}
				return {name, run: await searcher.searchMany(queries, {k: depth, threads, ...filtered, ...call}), temperature};
			}),
		);
		return (await fuseByConfidence(runs, {depth: this.#depth, k, signal})).run;
	}

	/** Returns the most confident model, its hits, and the confidence of each model. */
	async decide(query: string, options: FilteredSearchOptions = {}): Promise<ConfidenceDecision> {
		checkString('query', query);
		checkOptions('search', options, searchOptions);
		const {k = 100, signal} = options;
		checkCount('k', k, 0);
		const filtered = this.#filterOf(options);
		const depth = Math.max(k, this.#depth);
		const found = await Promise.all(
			this.#models.map(async ({searcher}) => {
				if (this.#returnsPhrases(searcher)) {
					return searcher.searchWithPhrases(query, {k, maxPhrases: this.#depth, signal, ...filtered});
				}
				const hits = await searcher.search(query, {k: depth, signal, ...filtered});
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

	/** Fails with `ERR_ARGUMENT` if the searcher of a model does not support filters or refuses this one. */
	checkFilter(filter: Filter): void {
		checkFilterOfAll(
			filter,
			this.#models.map(({searcher}, i) => [`models[${i}]: searcher`, searcher]),
		);
	}

	/**
	Checks the option `filter` and returns it in an object. Without a filter, the object is empty, because a searcher that does not support
	filters need not know the option.
	*/
	#filterOf({filter}: FilteredSearchOptions): {readonly filter?: Filter} {
		if (filter === undefined) {
			return {};
		}
		this.checkFilter(filter);
		return {filter};
	}

	/** Whether the confidence of a model with this searcher is computed from phrases. */
	#returnsPhrases(searcher: Searcher): searcher is Searcher & WithPhrases {
		return this.#usesPhrases && hasMethods(searcher, 'searchWithPhrases', 'searchManyWithPhrases');
	}
}
