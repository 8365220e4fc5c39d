import {checkCount, checkObject, checkQueries, checkString, hasMethods, isArray, kindOf} from '../check.ts';
import {RetrievalError} from '../errors.ts';
import {callSync, native} from '../native.ts';
import {together} from '../together.ts';
import type {Hit, Query, Run, SearchManyOptions, SearchOptions, Searcher} from '../types.ts';
import {type OptionNames, callNames, checkGiven, checkOptions, optionNames} from '../options.ts';
import {checkModels, fuseByConfidence} from './fuse-by-confidence.ts';

/** One of several models. */
export interface ConfidenceModel {
	/** @default its place among the models, from '0' */
	readonly name?: string | undefined;
	readonly searcher: Searcher;
	/** At which its confidence is about as high as it is often right: see `fitTemperature`. */
	readonly temperature: number;
}

type NamedModel = ConfidenceModel & {readonly name: string};

export interface ConfidenceSearcherOptions {
	/** Of equally confident ones the earlier answers. */
	readonly models: readonly ConfidenceModel[];
	/** Scores that a model's confidence is computed of, k of A_k. @default 30 */
	readonly depth?: number | undefined;
}

const searcherOptions: OptionNames = optionNames<ConfidenceSearcherOptions>({models: true, depth: true});
const searchNames = {...callNames, k: true} as const;
const searchOptions: OptionNames = optionNames<SearchOptions>(searchNames);
const searchManyOptions: OptionNames = optionNames<SearchManyOptions>({...searchNames, threads: true});

/** Which model answered a query, and how confident each was. */
export interface ConfidenceDecision {
	/** The name of the most confident model. */
	readonly model: string;
	/** Its confidence. */
	readonly confidence: number;
	/** Its hits, as it gave them. */
	readonly hits: Hit[];
	/** Name → confidence, of all models in their order; 0 of one without hits. */
	readonly confidences: ReadonlyMap<string, number>;
}

/**
Asks several models, and gives the hits of the one that is most confident: model uncertainty fusion (Yang et al., 2023,
§3.2; `fuseByConfidence` for runs that are there). A model without hits has a confidence of 0; where none has hits the list is
empty.

@example
```
const searcher = new ConfidenceSearcher({
	models: [
		{name: 'sentences', searcher: sentences, temperature: 0.05},
		{name: 'passages', searcher: passages, temperature: 0.03},
	],
});
const {model, confidence, hits} = await searcher.decide('Who built the bridge?');
//=> {model: 'sentences', confidence: 0.91…, hits: […], …}

// To compare with: the mean of scores, what a list lacks being its lowest, and reciprocal ranks.
const searchers = [sentences, passages];
const mean = new HybridSearcher({searchers, fusion: {method: 'linear', weights: [1 / 2, 1 / 2], missing: 'minimum'}});
const ranks = new HybridSearcher({searchers, fusion: {method: 'rrf'}});
```
*/
export class ConfidenceSearcher implements Searcher {
	readonly #models: readonly NamedModel[];
	readonly #depth: number;

	constructor(options: ConfidenceSearcherOptions) {
		checkGiven('ConfidenceSearcher', options, searcherOptions);
		const {models, depth = 30} = options;
		const named = (
			isArray(models)
				? (models as readonly ConfidenceModel[]).map((model, i) => {
						checkObject(`models[${i}]`, model, '{name?, searcher, temperature}');
						return {...model, name: model.name ?? String(i)};
					})
				: models
		) as readonly NamedModel[];
		checkModels('models', named);
		for (const [i, {searcher}] of named.entries()) {
			if (!hasMethods(searcher, 'searchMany', 'search')) {
				throw new RetrievalError('ERR_ARGUMENT', `models[${i}]: searcher: expected a searcher, got ${kindOf(searcher)}`);
			}
		}
		checkCount('depth', depth, 1);
		this.#models = named;
		this.#depth = depth;
	}

	/** The hits of the most confident model, as it gave them: those of a searcher of phrases say which phrase. */
	async search(query: string, options: SearchOptions = {}): Promise<Hit[]> {
		return (await this.decide(query, options)).hits;
	}

	/** Progress is that of the first model's searcher. Hits have an id and a score. */
	async searchMany(queries: readonly Query[], options: SearchManyOptions = {}): Promise<Run> {
		checkQueries('queries', queries);
		checkOptions('searchMany', options, searchManyOptions);
		const {k = 100, signal, threads, onProgress} = options;
		checkCount('k', k, 0);
		const depth = Math.max(k, this.#depth);
		const runs = await together(
			{signal, onProgress},
			this.#models.map(({name, searcher, temperature}) => async call => {
				const run = await searcher.searchMany(queries, {k: depth, threads, ...call});
				return {name, run, temperature};
			}),
		);
		return (await fuseByConfidence(runs, {depth: this.#depth, k, signal})).run;
	}

	/** Which model answers, how confident each is, and the hits. */
	async decide(query: string, options: SearchOptions = {}): Promise<ConfidenceDecision> {
		checkString('query', query);
		checkOptions('search', options, searchOptions);
		const {k = 100, signal} = options;
		checkCount('k', k, 0);
		const depth = Math.max(k, this.#depth);
		const lists = await Promise.all(this.#models.map(async ({searcher}) => searcher.search(query, {k: depth, signal})));
		const best = lists.map(hits => hits.slice(0, this.#depth).map(({score}) => score));
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
			hits: lists[model]!.slice(0, k),
			confidences: new Map(this.#models.map(({name}, i) => [name, confidences[i]!])),
		};
	}
}
