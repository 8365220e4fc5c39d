/** A searcher that encodes queries and searches a vector index. */
import {checkQueries, checkString, hasMethods, kindOf} from '../core/checks.ts';
import {encodeChecked} from '../core/encoder-results.ts';
import {RetrievalError} from '../core/errors.ts';
import {type OptionNames, callNames, checkRequiredOptions, checkOptions, optionNames} from '../core/options.ts';
import type {Filter} from '../core/filters/filter.ts';
import type {Encoder, FilterableSearcher, Hit, Query, Run, SearchManyOptions, SearchOptions} from '../core/types.ts';
import type {IdFilter, VectorFilterOptions} from './vector-filter.ts';
import {NativeVectorIndex} from './native-vector-index.ts';
import {type CheckedFilter, type FieldsOption, type PassageFilterOptions, PassageFilters} from './passage-filters.ts';
import {checkEncoder, encodeQuestions} from './questions.ts';
import type {EfSearchOption, VectorIndex} from './vector-index.ts';

/** What a `DenseSearcher` consists of. */
export interface DenseSearcherOptions extends FieldsOption {
	/** Encodes queries as vectors. */
	readonly encoder: Encoder;
	/** An index of passage vectors, made by the same encoder or, as in DPR, by the passage encoder that goes with it. */
	readonly index: VectorIndex;
}

/** The options of `DenseSearcher.search`. */
export interface DenseSearchOptions extends SearchOptions, PassageFilterOptions, EfSearchOption {}
/** The options of `DenseSearcher.searchMany`. */
export interface DenseSearchManyOptions extends SearchManyOptions, PassageFilterOptions, EfSearchOption {}

const searcherOptions: OptionNames = optionNames<DenseSearcherOptions>({encoder: true, index: true, fields: true});
const searchOptions: OptionNames = optionNames<DenseSearchOptions>({...callNames, k: true, filter: true, efSearch: true});
const searchManyOptions: OptionNames = optionNames<DenseSearchManyOptions>({
	...callNames,
	k: true,
	threads: true,
	filter: true,
	efSearch: true,
});

/**
Ranks passages by the similarity of their vectors to the vector of the query (Karpukhin et al., 2020).

@example
```
const encoder = await OnnxEncoder.load('minilm-encoder');
const searcher = new DenseSearcher({encoder, index: await FlatIndex.open('./flat.pkflat')});
const hits = await searcher.search('who built the bridge?', {k: 10});

// Vectors have no fields. For filters by fields, add a BM25 index of the same passages.
const fields = await Bm25Index.open('./bm25');
const filtered = new DenseSearcher({encoder, index: await FlatIndex.open('./flat.pkflat'), fields});
const recent = await filtered.search('who built the bridge?', {filter: {year: {gte: 1900}}});
```
*/
export class DenseSearcher implements FilterableSearcher {
	readonly #encoder: Encoder;
	readonly #index: VectorIndex;
	readonly #filters: PassageFilters;

	/**
	Fails with `ERR_DIMENSION` if the vectors of the encoder and of the index differ in dimension, and with `ERR_ENCODER_MISMATCH` if the
	metadata of the index names another encoder.
	*/
	constructor(options: DenseSearcherOptions) {
		checkRequiredOptions('DenseSearcher', options, searcherOptions);
		const {encoder, index, fields} = options;
		if (!hasMethods(index, 'search', 'searchMany')) {
			throw new RetrievalError('ERR_ARGUMENT', `DenseSearcher: index: expected a VectorIndex, got ${kindOf(index)}`);
		}
		checkEncoder('DenseSearcher', encoder, index);
		this.#filters = new PassageFilters('DenseSearcher', fields);
		this.#encoder = encoder;
		this.#index = index;
	}

	/** Returns the best passages for one query, best first. */
	async search(query: string, options: DenseSearchOptions = {}): Promise<Hit[]> {
		checkString('search: query', query);
		checkOptions('search', options, searchOptions);
		const compiled = await this.#compiled(options);
		const {data} = await encodeChecked(this.#encoder, [query], {signal: options.signal});
		return this.#index.search(data, compiled);
	}

	/**
	Returns the hits of many queries. Each query is encoded alone, so its vector is the same as in `search`. The lists of an `HnswIndex` can
	still differ from those of `search`: see `Searcher.searchMany`. Progress counts queries.
	*/
	async searchMany(queries: readonly Query[], options: DenseSearchManyOptions = {}): Promise<Run> {
		checkQueries('queries', queries);
		checkOptions('searchMany', options, searchManyOptions);
		const {onProgress} = options;
		const total = queries.length;
		// The caller may change the queries while the filter is compiled.
		const copies = queries.map(({id, text}) => ({id, text}));
		const ids = copies.map(({id}) => id);
		const compiled = await this.#compiled(options);
		const vectors = await encodeQuestions(this.#encoder, copies, options);
		if (this.#index instanceof NativeVectorIndex) {
			const run = await this.#index.searchRetrievedRun(ids, vectors, {...compiled, onProgress: undefined});
			await onProgress?.({done: total, total});
			return run;
		}
		const lists = await this.#index.searchMany(vectors, compiled);
		return new Map(ids.map((id, i) => [id, lists[i]!]));
	}

	/**
	Fails with `ERR_ARGUMENT` for an invalid filter, for a filter by fields if the searcher was created without `fields`, and for all
	filters if the index is neither a `FlatIndex` nor an `HnswIndex`. The names of fields are checked only by searches.
	*/
	checkFilter(filter: Filter | IdFilter): void {
		this.#checked(filter);
	}

	#checked(filter: Filter | IdFilter): CheckedFilter {
		if (!(this.#index instanceof NativeVectorIndex)) {
			throw new RetrievalError('ERR_ARGUMENT', 'filter: expected a search of a FlatIndex or an HnswIndex, got another index');
		}
		return this.#filters.checked(filter);
	}

	/** Returns the options with a filter that the vector index accepts. The given filter is checked before the promise is returned. */
	async #compiled<T extends SearchOptions & PassageFilterOptions>(options: T): Promise<T & VectorFilterOptions> {
		const {filter, signal} = options;
		if (filter === undefined) {
			return options as T & VectorFilterOptions;
		}
		const checked = this.#checked(filter);
		return {...options, filter: await this.#filters.compiled(this.#index as NativeVectorIndex, checked, signal)};
	}
}
