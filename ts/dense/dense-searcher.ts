/** A searcher that encodes queries and searches a vector index. */
import {checkQueries, checkString, hasMethods, kindOf} from '../core/checks.ts';
import {RetrievalError} from '../core/errors.ts';
import {type OptionNames, callNames, checkRequiredOptions, checkOptions, optionNames} from '../core/options.ts';
import {RetrievedRun} from '../core/native/runs.ts';
import type {Encoder, Hit, Query, Run, SearchManyOptions, SearchOptions, Searcher} from '../core/types.ts';
import type {VectorFilterOptions} from './vector-filter.ts';
import {NativeVectorIndex} from './native-vector-index.ts';
import {checkEncoder, encodeQuestions} from './questions.ts';
import type {EfSearchOption, VectorIndex} from './vector-index.ts';

/** What a `DenseSearcher` consists of. */
export interface DenseSearcherOptions {
	/** Encodes queries as vectors. */
	readonly encoder: Encoder;
	/** An index of passage vectors. The same encoder made them, or the passage encoder that belongs to it, as in DPR. */
	readonly index: VectorIndex;
}

/** `filter` requires a `FlatIndex` or an `HnswIndex`: with any other index, a search with a filter fails with `ERR_ARGUMENT`. */
export interface DenseSearchOptions extends SearchOptions, VectorFilterOptions, EfSearchOption {}
/** `filter` requires a `FlatIndex` or an `HnswIndex`: with any other index, a search with a filter fails with `ERR_ARGUMENT`. */
export interface DenseSearchManyOptions extends SearchManyOptions, VectorFilterOptions, EfSearchOption {}

const searcherOptions: OptionNames = optionNames<DenseSearcherOptions>({encoder: true, index: true});
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
```
*/
export class DenseSearcher implements Searcher {
	readonly #encoder: Encoder;
	readonly #index: VectorIndex;

	/**
	Fails with `ERR_DIMENSION` if the vectors of the encoder and of the index differ in length, and with `ERR_ENCODER_MISMATCH` if the
	metadata of the index names another encoder.
	*/
	constructor(options: DenseSearcherOptions) {
		checkRequiredOptions('DenseSearcher', options, searcherOptions);
		const {encoder, index} = options;
		if (!hasMethods(index, 'search', 'searchMany')) {
			throw new RetrievalError('ERR_ARGUMENT', `DenseSearcher: index: expected a VectorIndex, got ${kindOf(index)}`);
		}
		checkEncoder('DenseSearcher', encoder, index);
		this.#encoder = encoder;
		this.#index = index;
	}

	/** Returns the best passages for one query, best first. */
	async search(query: string, options: DenseSearchOptions = {}): Promise<Hit[]> {
		checkString('search: query', query);
		checkOptions('search', options, searchOptions);
		this.#checkFilter(options);
		const {data} = await this.#encoder.encode([query], {signal: options.signal});
		return this.#index.search(data, options);
	}

	/** Returns the hits of many queries. Each query is encoded alone, so its vector is the same as in `search`. Progress counts queries. */
	async searchMany(queries: readonly Query[], options: DenseSearchManyOptions = {}): Promise<Run> {
		checkQueries('queries', queries);
		checkOptions('searchMany', options, searchManyOptions);
		this.#checkFilter(options);
		const {onProgress} = options;
		const total = queries.length;
		const vectors = await encodeQuestions(this.#encoder, queries, options);
		const ids = queries.map(query => query.id);
		if (this.#index instanceof NativeVectorIndex) {
			const run = await this.#index.searchRun(ids, vectors, {...options, onProgress: undefined});
			await onProgress?.({done: total, total});
			return new RetrievedRun(run);
		}
		const lists = await this.#index.searchMany(vectors, options);
		return new Map(ids.map((id, i) => [id, lists[i]!]));
	}

	/** Rejects a filter if the index would ignore it. */
	#checkFilter({filter}: VectorFilterOptions): void {
		if (filter !== undefined && !(this.#index instanceof NativeVectorIndex)) {
			throw new RetrievalError('ERR_ARGUMENT', 'filter: expected a search of a FlatIndex or an HnswIndex, got another index');
		}
	}
}
