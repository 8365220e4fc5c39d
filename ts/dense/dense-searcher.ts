import {checkString} from '../check.ts';
import {RetrievalError} from '../errors.ts';
import {RetrievedRun} from '../run.ts';
import type {Encoder, Hit, Query, Run, SearchManyOptions, SearchOptions, Searcher} from '../types.ts';
import type {VectorFilterOptions} from './vector-filter.ts';
import {NativeVectorIndex} from './native-vector-index.ts';
import type {Ef, VectorIndex} from './vector-index.ts';

export interface DenseSearcherOptions {
	/** Of questions. */
	readonly encoder: Encoder;
	/** Of passages, made by the same encoder or by its counterpart for passages. */
	readonly index: VectorIndex;
}

/** A filter is for a `FlatIndex` or an `HnswIndex`; another index is refused it. */
export interface DenseSearchOptions extends SearchOptions, VectorFilterOptions, Ef {}
export interface DenseSearchManyOptions extends SearchManyOptions, VectorFilterOptions, Ef {}

/** Ranks passages by the similarity of their vectors to the question's (Karpukhin et al., 2020). */
export class DenseSearcher implements Searcher {
	readonly #encoder: Encoder;
	readonly #index: VectorIndex;

	constructor({encoder, index}: DenseSearcherOptions) {
		if (encoder.dim !== index.dim) {
			throw new RetrievalError(
				'ERR_DIMENSION',
				`DenseSearcher: expected vectors of dimension ${index.dim}, got an encoder of dimension ${encoder.dim}`,
			);
		}
		const made = index.metadata.questionEncoder ?? index.metadata.encoder;
		if (made !== undefined && encoder.identity !== undefined && made !== encoder.identity) {
			throw new RetrievalError(
				'ERR_ENCODER_MISMATCH',
				`DenseSearcher: expected the encoder that ${index.metadata.questionEncoder ? 'goes with' : 'made'} the index, ${made}, got ${encoder.identity}. Build the index again with this encoder, or open the other one.`,
			);
		}
		this.#encoder = encoder;
		this.#index = index;
	}

	async search(query: string, options: DenseSearchOptions = {}): Promise<Hit[]> {
		checkString('search: query', query);
		this.#checkFilter(options);
		const {data} = await this.#encoder.encode([query], {signal: options.signal});
		return this.#index.search(data, options);
	}

	/** Questions are encoded one at a time, so that each gets the vector that `search` gives it. */
	async searchMany(queries: readonly Query[], options: DenseSearchManyOptions = {}): Promise<Run> {
		this.#checkFilter(options);
		const {signal, onProgress} = options;
		const total = queries.length;
		const vectors = await this.#encoder.encode(
			queries.map(query => query.text),
			{
				signal,
				batchTokens: 1,
				onProgress: onProgress && (({done}) => onProgress({done: Math.min(done, total - 1), total})),
			},
		);
		const ids = queries.map(query => query.id);
		if (this.#index instanceof NativeVectorIndex) {
			const run = await this.#index.searchRun(ids, vectors, {...options, onProgress: undefined});
			onProgress?.({done: total, total});
			return new RetrievedRun(run);
		}
		const lists = await this.#index.searchMany(vectors, options);
		return new Map(ids.map((id, i) => [id, lists[i]!]));
	}

	/** An index that knows nothing of filters would find all. */
	#checkFilter({filter}: VectorFilterOptions): void {
		if (filter !== undefined && !(this.#index instanceof NativeVectorIndex)) {
			throw new RetrievalError('ERR_ARGUMENT', 'filter: expected a search of a FlatIndex or an HnswIndex, got another index');
		}
	}
}
