/** A searcher that ranks passages by their best phrases. */
import {checkCount, checkInstance, checkQueries, checkString} from '../core/checks.ts';
import {encodeChecked} from '../core/encoder-results.ts';
import type {Filter} from '../core/filters/filter.ts';
import type {FieldsOption, IdFilter, PassageFilterOptions} from '../dense/index.ts';
import {type CheckedFilter, PassageFilters} from '../dense/passage-filters.ts';
import {checkEncoder, encodeQuestions} from '../dense/questions.ts';
import {type OptionNames, callNames, checkRequiredOptions, checkOptions, optionNames} from '../core/options.ts';
import {RetrievedRun} from '../core/native/runs.ts';
import type {Encoder, FilterableSearcher, Hit, Query, Run} from '../core/types.ts';
import type {PhraseHit} from './phrase-id.ts';
import {PhraseIndex, type PhraseSearchManyOptions, type PhraseSearchOptions} from './phrase-index.ts';

/** What a `PhraseSearcher` consists of. */
export interface PhraseSearcherOptions extends FieldsOption {
	/** Encodes queries as vectors. */
	readonly encoder: Encoder;
	/** An index of phrase vectors. They were made by the same encoder or, as in DPR, by the passage encoder that belongs to it. */
	readonly index: PhraseIndex;
	/**
	An index of the same phrases, created with `normalize: false`, so its vectors are not scaled to unit length. `searchWithPhrases` and
	`searchManyWithPhrases` search it for the phrases that they return: Yang et al. (2023, §3.2) compute confidences from inner products that
	are not divided by the length of the phrase vector. It is needed for encoders whose vectors do not have unit length, such as DPR's.
	@default `index`
	*/
	readonly unnormalizedIndex?: PhraseIndex | undefined;
}

const searcherOptions: OptionNames = optionNames<PhraseSearcherOptions>({
	encoder: true,
	index: true,
	unnormalizedIndex: true,
	fields: true,
});
/** The options of `PhraseSearcher.search`. */
export interface PhraseSearcherSearchOptions extends Omit<PhraseSearchOptions, 'filter'>, PassageFilterOptions {}
/** The options of `PhraseSearcher.searchMany`. */
export interface PhraseSearcherSearchManyOptions extends Omit<PhraseSearchManyOptions, 'filter'>, PassageFilterOptions {}

const searchNames = {...callNames, k: true, filter: true, efSearch: true} as const;
const searchOptions: OptionNames = optionNames<PhraseSearcherSearchOptions>(searchNames);
const searchManyOptions: OptionNames = optionNames<PhraseSearcherSearchManyOptions>({...searchNames, threads: true});

/** The option for the number of phrases that are returned in addition to passages. */
export interface PhraseCountOption {
	/** Maximum number of phrases per query: k in Yang et al. (2023, §3.2). @default 30 */
	readonly maxPhrases?: number | undefined;
}

const searchWithPhrasesOptions: OptionNames = optionNames<PhraseSearcherSearchOptions & PhraseCountOption>({
	...searchNames,
	maxPhrases: true,
});
const searchManyWithPhrasesOptions: OptionNames = optionNames<PhraseSearcherSearchManyOptions & PhraseCountOption>({
	...searchNames,
	threads: true,
	maxPhrases: true,
});

/**
Ranks passages by their best phrases (Yang et al., 2023, §3.1). Like any searcher, it can be used in hybrids, in `ConfidenceSearcher` and in
evaluations. The constructor fails, as that of `DenseSearcher` does, with `ERR_DIMENSION` or `ERR_ENCODER_MISMATCH` if the encoder does not
belong to the index.

@example
```
const sentences = new PhraseSearcher({encoder, index});
const [hit] = await sentences.search('who discovered radium?');
passage.text.slice(hit.start, hit.end); // the best phrase, where `passage` has the id `hit.id`
```
*/
export class PhraseSearcher implements FilterableSearcher {
	readonly #encoder: Encoder;
	readonly #index: PhraseIndex;
	readonly #unnormalizedIndex: PhraseIndex;
	/** The filters of `#index` and of `#unnormalizedIndex`: a compiled filter belongs to one index. */
	readonly #filters: PassageFilters;
	readonly #unnormalizedFilters: PassageFilters;

	constructor(options: PhraseSearcherOptions) {
		checkRequiredOptions('PhraseSearcher', options, searcherOptions);
		const {encoder, index, unnormalizedIndex = index, fields} = options;
		checkInstance('PhraseSearcher: index', index, PhraseIndex);
		checkInstance('PhraseSearcher: unnormalizedIndex', unnormalizedIndex, PhraseIndex);
		checkEncoder('PhraseSearcher', encoder, index);
		checkEncoder('PhraseSearcher: unnormalizedIndex', encoder, unnormalizedIndex);
		this.#filters = new PassageFilters('PhraseSearcher', fields);
		this.#unnormalizedFilters = unnormalizedIndex === index ? this.#filters : new PassageFilters('PhraseSearcher', fields);
		this.#encoder = encoder;
		this.#index = index;
		this.#unnormalizedIndex = unnormalizedIndex;
	}

	/** Returns the best passages for one query, best first, each with the offsets of its best phrase. */
	async search(query: string, options: PhraseSearcherSearchOptions = {}): Promise<PhraseHit[]> {
		checkString('search: query', query);
		checkOptions('search', options, searchOptions);
		const {filter, signal, ...search} = options;
		const compiled = await this.#compiled(filter, signal);
		const {data} = await encodeChecked(this.#encoder, [query], {signal});
		return this.#index.search(data, {...search, signal, filter: compiled});
	}

	/**
	Returns the best passages for many queries, without the offsets of phrases. Each query is encoded alone, so its vector is the same as in
	`search`. Progress counts queries.
	*/
	async searchMany(queries: readonly Query[], options: PhraseSearcherSearchManyOptions = {}): Promise<Run> {
		checkQueries('queries', queries);
		checkOptions('searchMany', options, searchManyOptions);
		const {onProgress} = options;
		const total = queries.length;
		// The caller may change the queries while the filter is compiled.
		const copies = queries.map(({id, text}) => ({id, text}));
		const queryIds = copies.map(({id}) => id);
		const filter = await this.#compiled(options.filter, options.signal);
		// The encoder reports progress for all queries except the last one, which is reported after the search.
		const vectors = await encodeQuestions(this.#encoder, copies, options);
		const run = await this.#index.searchRun(queryIds, vectors, {...options, filter, onProgress: undefined});
		await onProgress?.({done: total, total});
		return new RetrievedRun(run);
	}

	/**
	Returns the `k` best passages, as `search` does, and the `maxPhrases` best phrases, several of which may belong to one passage. The
	function `confidence` computes the confidence of the model from the scores of the phrases. The query is encoded once.

	@example
	```
	const {hits, phrases} = await sentences.searchWithPhrases('who discovered radium?', {k: 10, maxPhrases: 30});
	const temperature = 0.05;
	confidence(Float32Array.from(phrases, ({score}) => score), temperature);
	```
	*/
	async searchWithPhrases(
		query: string,
		options: PhraseSearcherSearchOptions & PhraseCountOption = {},
	): Promise<{readonly hits: PhraseHit[]; readonly phrases: PhraseHit[]}> {
		checkString('searchWithPhrases: query', query);
		checkOptions('searchWithPhrases', options, searchWithPhrasesOptions);
		const {maxPhrases = 30, filter, signal, ...search} = options;
		checkCount('maxPhrases', maxPhrases, 0);
		const [passageFilter, phraseFilter] = await this.#compiledForBoth(filter, signal);
		const {data} = await encodeChecked(this.#encoder, [query], {signal});
		return {
			hits: await this.#index.search(data, {...search, signal, filter: passageFilter}),
			phrases: await this.#unnormalizedIndex.searchPhrases(data, {...search, signal, k: maxPhrases, filter: phraseFilter}),
		};
	}

	/**
	Returns the best passages and the best phrases for many queries, as `searchWithPhrases` does for one query. The ids in the run `phrases`
	have the form `passage:start-end`. Progress counts queries.
	*/
	async searchManyWithPhrases(
		queries: readonly Query[],
		options: PhraseSearcherSearchManyOptions & PhraseCountOption = {},
	): Promise<{readonly run: Run; readonly phrases: Run}> {
		checkQueries('queries', queries);
		checkOptions('searchManyWithPhrases', options, searchManyWithPhrasesOptions);
		const {maxPhrases = 30, onProgress, filter, ...search} = options;
		checkCount('maxPhrases', maxPhrases, 0);
		const total = queries.length;
		const copies = queries.map(({id, text}) => ({id, text}));
		const queryIds = copies.map(({id}) => id);
		const [passageFilter, phraseFilter] = await this.#compiledForBoth(filter, options.signal);
		const vectors = await encodeQuestions(this.#encoder, copies, options);
		const run = new RetrievedRun(await this.#index.searchRun(queryIds, vectors, {...search, filter: passageFilter}));
		const lists = await this.#unnormalizedIndex.searchPhrasesMany(vectors, {...search, k: maxPhrases, filter: phraseFilter});
		await onProgress?.({done: total, total});
		return {run, phrases: new Map(lists.map((hits, i) => [queryIds[i]!, hits.map(toRunHit)]))};
	}

	/**
	Fails with `ERR_ARGUMENT` if the filter is invalid, or if it has a condition on a field and the searcher was created without `fields`.
	Whether the fields exist is checked only when a search uses the filter.
	*/
	checkFilter(filter: Filter | IdFilter): void {
		this.#filters.checked(filter);
	}

	/** Compiles a filter for `#index`. The filter is checked synchronously, before the first `await`. */
	async #compiled(filter: Filter | IdFilter | undefined, signal: AbortSignal | undefined): Promise<IdFilter | undefined> {
		return filter === undefined ? undefined : this.#filters.compiled(this.#index, this.#filters.checked(filter), signal);
	}

	/** Compiles a filter for `#index` and for `#unnormalizedIndex`. The filter is checked synchronously, before the first `await`. */
	async #compiledForBoth(
		filter: Filter | IdFilter | undefined,
		signal: AbortSignal | undefined,
	): Promise<readonly [IdFilter | undefined, IdFilter | undefined]> {
		if (filter === undefined) {
			return [undefined, undefined];
		}
		const checked: CheckedFilter = this.#filters.checked(filter);
		const compiled = await this.#filters.compiled(this.#index, checked, signal);
		const isSame = this.#unnormalizedIndex === this.#index;
		return [compiled, isSame ? compiled : await this.#unnormalizedFilters.compiled(this.#unnormalizedIndex, checked, signal)];
	}
}

/** @internal Converts a phrase to a hit of a run, with an id of the form `passage:start-end`. */
export const toRunHit = ({id, start, end, score}: PhraseHit): Hit => ({id: `${id}:${start}-${end}`, score});
