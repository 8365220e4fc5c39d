/** A remote index as a `Searcher`, for hybrid searchers, evaluations and studies. */
import {checkCount, checkFactoryMade, checkQueries, checkString} from '../core/checks.ts';
import {awaitUnlessAborted} from '../core/callbacks.ts';
import {encodeChecked} from '../core/encoder-results.ts';
import type {Filter} from '../core/filters/filter.ts';
import {requiredFilter} from '../core/filters/normalize.ts';
import {type OptionNames, callNames, checkOptions, optionNames} from '../core/options.ts';
import type {FilterableSearcher, FilteredSearchManyOptions, FilteredSearchOptions, Hit, Query, Run} from '../core/types.ts';
import type {CollectionSearchOptions} from '../collection/live/types.ts';
import {RemoteIndex} from './index/remote-index.ts';
import {type RemoteQuery, type RetrievalPlan, planOf, retrieve} from './search/retrieval.ts';

const searchNames = {...callNames, k: true, filter: true} as const;
const searchOptions: OptionNames = optionNames<FilteredSearchOptions>(searchNames);
const searchManyOptions: OptionNames = optionNames<FilteredSearchManyOptions>({...searchNames, threads: true});

/** Number of queries per request. */
const QUERIES_PER_REQUEST = 16;

/** Searches a remote index. `OpenSearchCollection.searcher` returns one. */
export class OpenSearchSearcher implements FilterableSearcher {
	readonly #index: RemoteIndex;
	readonly #options: CollectionSearchOptions;
	readonly #globalStatistics: boolean;

	/** @internal */
	constructor(index: RemoteIndex, options: CollectionSearchOptions, globalStatistics: boolean) {
		checkFactoryMade('OpenSearchSearcher', index, RemoteIndex, 'OpenSearchCollection.searcher()');
		this.#index = index;
		this.#options = options;
		this.#globalStatistics = globalStatistics;
	}

	/** Returns the best passages for one query, best first. */
	async search(query: string, options: FilteredSearchOptions = {}): Promise<Hit[]> {
		checkString('search: query', query);
		checkOptions('search', options, searchOptions);
		const {k = 100, filter, signal} = options;
		const [hits] = await this.#lists([query], {k, filter, signal});
		return hits!;
	}

	/** Returns the hits of many queries. `threads` is the number of requests at a time, 4 by default. Progress counts queries. */
	async searchMany(queries: readonly Query[], options: FilteredSearchManyOptions = {}): Promise<Run> {
		checkQueries('queries', queries);
		checkOptions('searchMany', options, searchManyOptions);
		const {k = 100, filter, signal, onProgress, threads = 0} = options;
		checkCount('threads', threads, 0);
		const copies = queries.map(({id, text}) => ({id, text}));
		if (copies.length === 0) {
			// Even without queries, an invalid option is an error.
			await this.#lists([], {k, filter, signal});
			return new Map();
		}
		signal?.throwIfAborted();
		const limits = {k, filter, signal};
		this.#plan(limits);
		let reported = 0;
		// After an alias was moved, progress waits until more queries are done than before.
		const report = async (done: number): Promise<void> => {
			if (done > reported) {
				reported = done;
				await awaitUnlessAborted(onProgress?.({done, total: copies.length}), signal);
			}
		};
		return this.#index.together(
			async isMoved => this.#run(copies, limits, {report, isMoved, requests: Math.min(threads || 4, 64)}),
			signal,
		);
	}

	/** Searches with several requests at a time. */
	async #run(
		queries: readonly Query[],
		options: Pick<FilteredSearchOptions, 'k' | 'filter' | 'signal'>,
		{
			report,
			isMoved,
			requests,
		}: {readonly report: (done: number) => Promise<void>; readonly isMoved: () => boolean; readonly requests: number},
	): Promise<Run> {
		const lists: Hit[][] = Array.from({length: queries.length});
		let [next, done] = [0, 0];
		let hasFailed = false;
		const work = async (): Promise<void> => {
			while (next < queries.length && !hasFailed && !isMoved()) {
				const from = next;
				next += QUERIES_PER_REQUEST;
				const slice = queries.slice(from, next);
				try {
					const found = await this.#lists(
						slice.map(({text}) => text),
						options,
					);
					found.forEach((list, i) => {
						lists[from + i] = list;
					});
					done += slice.length;
					if (!isMoved()) {
						await report(done);
					}
				} catch (error) {
					hasFailed = true;
					throw error;
				}
			}
		};
		// If several requests fail, the first failure is reported, after all have ended.
		const results = await Promise.allSettled(Array.from({length: requests}, work));
		const failure = results.find(({status}) => status === 'rejected');
		if (failure !== undefined) {
			throw (failure as PromiseRejectedResult).reason;
		}
		// An attempt that ended early lacks lists. It is repeated.
		return new Map(queries.map(({id}, i) => [id, lists[i] ?? []]));
	}

	/** Fails with `ERR_ARGUMENT` for an invalid filter. The names of fields are checked only by searches. */
	checkFilter(filter: Filter): void {
		requiredFilter(filter);
	}

	#plan(options: Pick<FilteredSearchOptions, 'k' | 'filter' | 'signal'>): RetrievalPlan {
		return planOf(this.#index, '', {...this.#options, ...options}, this.#globalStatistics);
	}

	async #lists(texts: readonly string[], options: Pick<FilteredSearchOptions, 'k' | 'filter' | 'signal'>): Promise<Hit[][]> {
		options.signal?.throwIfAborted();
		const plan = this.#plan(options);
		const queries: RemoteQuery[] = [];
		for (const text of texts) {
			const vector = plan.search.retriever === 'bm25' ? undefined : await encodedQuestion(this.#index, text, options.signal);
			queries.push({text, vector});
		}
		const lists = await retrieve(this.#index, queries, plan);
		return lists.map(list => list.map(({id, score}) => ({id, score})));
	}
}

/** Returns the vector of a question. Each question is encoded alone, so its vector does not depend on the others. */
export async function encodedQuestion(index: RemoteIndex, text: string, signal: AbortSignal | undefined): Promise<Float32Array> {
	const encoder = await index.encoders().questions();
	const {data} = await encodeChecked(encoder, [text], {signal, batchTokens: 1});
	// The encoder may reuse the array for the next question.
	return data.slice();
}
