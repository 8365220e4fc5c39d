/** A searcher that ranks passages by their best phrases. */
import {checkCount, checkInstance, checkQueries, checkString} from '../core/checks.ts';
import {checkEncoder, encodeQuestions} from '../dense/questions.ts';
import {type OptionNames, callNames, checkRequiredOptions, checkOptions, optionNames} from '../core/options.ts';
import {RetrievedRun} from '../core/native/runs.ts';
import type {Encoder, Hit, Query, Run, Searcher} from '../core/types.ts';
import type {PhraseHit} from './phrase-id.ts';
import {PhraseIndex, type PhraseSearchManyOptions, type PhraseSearchOptions} from './phrase-index.ts';

/** What a `PhraseSearcher` consists of. */
export interface PhraseSearcherOptions {
	/** Encodes queries as vectors. */
	readonly encoder: Encoder;
	/** An index of phrase vectors. The same encoder made them, or the passage encoder that belongs to it, as in DPR. */
	readonly index: PhraseIndex;
	/**
	An index of the same phrases, created with `normalize: false`, so its vectors are not scaled to unit length. `searchWithPhrases` and
	`searchManyWithPhrases` search it for the phrases that they return: Yang et al. (2023, §3.2) compute confidences from inner products that
	are not divided by the length of the phrase vector. It is needed for encoders whose vectors do not have unit length, such as DPR's.
	@default `index`
	*/
	readonly unnormalizedIndex?: PhraseIndex | undefined;
}

const searcherOptions: OptionNames = optionNames<PhraseSearcherOptions>({encoder: true, index: true, unnormalizedIndex: true});
const searchNames = {...callNames, k: true, filter: true, efSearch: true} as const;
const searchOptions: OptionNames = optionNames<PhraseSearchOptions>(searchNames);
const searchManyOptions: OptionNames = optionNames<PhraseSearchManyOptions>({...searchNames, threads: true});

/** The number of phrases that are returned in addition to passages. */
export interface PhraseCountOption {
	/** Maximum number of phrases per query: k in Yang et al. (2023, §3.2). @default 30 */
	readonly maxPhrases?: number | undefined;
}

const searchWithPhrasesOptions: OptionNames = optionNames<PhraseSearchOptions & PhraseCountOption>({...searchNames, maxPhrases: true});
const searchManyWithPhrasesOptions: OptionNames = optionNames<PhraseSearchManyOptions & PhraseCountOption>({
	...searchNames,
	threads: true,
	maxPhrases: true,
});

/**
Ranks passages by their best phrases (Yang et al., 2023, §3.1). Like any searcher, it can be used in hybrids, in `ConfidenceSearcher` and in
evaluations. Like the constructor of `DenseSearcher`, this one fails with `ERR_DIMENSION` or `ERR_ENCODER_MISMATCH` if the encoder does
not belong to the index.

@example
```
const sentences = new PhraseSearcher({encoder, index});
const [hit] = await sentences.search('who discovered radium?');
passage.text.slice(hit.start, hit.end); // the best phrase, where `passage` has the id `hit.id`
```
*/
export class PhraseSearcher implements Searcher {
	readonly #encoder: Encoder;
	readonly #index: PhraseIndex;
	readonly #unnormalizedIndex: PhraseIndex;

	constructor(options: PhraseSearcherOptions) {
		checkRequiredOptions('PhraseSearcher', options, searcherOptions);
		const {encoder, index, unnormalizedIndex = index} = options;
		checkInstance('PhraseSearcher: index', index, PhraseIndex);
		checkInstance('PhraseSearcher: unnormalizedIndex', unnormalizedIndex, PhraseIndex);
		checkEncoder('PhraseSearcher', encoder, index);
		checkEncoder('PhraseSearcher: unnormalizedIndex', encoder, unnormalizedIndex);
		this.#encoder = encoder;
		this.#index = index;
		this.#unnormalizedIndex = unnormalizedIndex;
	}

	/** Returns the best passages for one query, best first, each with the place of its best phrase. */
	async search(query: string, options: PhraseSearchOptions = {}): Promise<PhraseHit[]> {
		checkString('search: query', query);
		checkOptions('search', options, searchOptions);
		const {data} = await this.#encoder.encode([query], {signal: options.signal});
		return this.#index.search(data, options);
	}

	/**
	Returns the hits of many queries, without phrases. Each query is encoded alone, so its vector is the same as in `search`. Progress counts
	queries.
	*/
	async searchMany(queries: readonly Query[], options: PhraseSearchManyOptions = {}): Promise<Run> {
		checkQueries('queries', queries);
		checkOptions('searchMany', options, searchManyOptions);
		const {onProgress} = options;
		const total = queries.length;
		// The encoder reports all queries but the last one, which is reported after the search.
		const vectors = await encodeQuestions(this.#encoder, queries, options);
		const run = await this.#index.searchRun(
			queries.map(query => query.id),
			vectors,
			{...options, onProgress: undefined},
		);
		await onProgress?.({done: total, total});
		return new RetrievedRun(run);
	}

	/**
	Returns the `k` best passages, as `search` does, and the `maxPhrases` best phrases, several of which may belong to one passage. The
	confidence of a model is computed from the scores of the phrases. The query is encoded once.

	@example
	```
	const {hits, phrases} = await sentences.searchWithPhrases('who discovered radium?', {k: 10, maxPhrases: 30});
	const temperature = 0.05;
	confidence(Float32Array.from(phrases, ({score}) => score), temperature);
	```
	*/
	async searchWithPhrases(
		query: string,
		options: PhraseSearchOptions & PhraseCountOption = {},
	): Promise<{readonly hits: PhraseHit[]; readonly phrases: PhraseHit[]}> {
		checkString('searchWithPhrases: query', query);
		checkOptions('searchWithPhrases', options, searchWithPhrasesOptions);
		const {maxPhrases = 30, ...search} = options;
		checkCount('maxPhrases', maxPhrases, 0);
		const {data} = await this.#encoder.encode([query], {signal: options.signal});
		return {
			hits: await this.#index.search(data, search),
			phrases: await this.#unnormalizedIndex.searchPhrases(data, {...search, k: maxPhrases}),
		};
	}

	/**
	Returns the best passages and the best phrases for many queries, as `searchWithPhrases` does for one. The ids in the run `phrases` have the
	form `passage:start-end`. Progress counts queries.
	*/
	async searchManyWithPhrases(
		queries: readonly Query[],
		options: PhraseSearchManyOptions & PhraseCountOption = {},
	): Promise<{readonly run: Run; readonly phrases: Run}> {
		checkQueries('queries', queries);
		checkOptions('searchManyWithPhrases', options, searchManyWithPhrasesOptions);
		const {maxPhrases = 30, onProgress, ...search} = options;
		checkCount('maxPhrases', maxPhrases, 0);
		const total = queries.length;
		const vectors = await encodeQuestions(this.#encoder, queries, options);
		const names = queries.map(({id}) => id);
		const run = new RetrievedRun(await this.#index.searchRun(names, vectors, search));
		const lists = await this.#unnormalizedIndex.searchPhrasesMany(vectors, {...search, k: maxPhrases});
		await onProgress?.({done: total, total});
		return {run, phrases: new Map(lists.map((hits, i) => [names[i]!, hits.map(toRunHit)]))};
	}
}

/** @internal Converts a phrase to a hit of a run, with an id of the form `passage:start-end`. */
export const toRunHit = ({id, start, end, score}: PhraseHit): Hit => ({id: `${id}:${start}-${end}`, score});
