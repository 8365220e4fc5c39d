/** An updatable collection, as a `Searcher` for hybrid searchers, evaluations and studies. */
import {checkCount, checkQueries, checkString} from '../../core/checks.ts';
import type {Filter} from '../../core/filters/filter.ts';
import {requiredFilter} from '../../core/filters/normalize.ts';
import {type OptionNames, callNames, checkOptions, optionNames} from '../../core/options.ts';
import type {FilterableSearcher, FilteredSearchManyOptions, FilteredSearchOptions, Hit, Query, Run} from '../../core/types.ts';
import type {CollectionSearchOptions} from './types.ts';
import type {LiveCollection} from './live-collection.ts';

const searchOptions: OptionNames = optionNames<FilteredSearchOptions>({...callNames, k: true, filter: true});
const searchManyOptions: OptionNames = optionNames<FilteredSearchManyOptions>({
	...callNames,
	k: true,
	filter: true,
	threads: true,
});

/** Searches the current commit of a collection. */
export class LiveSearcher implements FilterableSearcher {
	readonly #collection: LiveCollection;
	readonly #options: CollectionSearchOptions;

	constructor(collection: LiveCollection, options: CollectionSearchOptions) {
		this.#collection = collection;
		this.#options = options;
	}

	async search(query: string, options: FilteredSearchOptions = {}): Promise<Hit[]> {
		checkString('search: query', query);
		checkOptions('search', options, searchOptions);
		const {k = 100, filter, signal} = options;
		return this.#collection.calls.run(async () => this.#search(query, {k, filter, signal}));
	}

	async searchMany(queries: readonly Query[], options: FilteredSearchManyOptions = {}): Promise<Run> {
		checkQueries('queries', queries);
		checkOptions('searchMany', options, searchManyOptions);
		const {k = 100, filter, signal, onProgress, threads = 0} = options;
		checkCount('threads', threads, 0);
		// Even without queries, an invalid filter is an error.
		if (filter !== undefined) {
			requiredFilter(filter);
		}
		const lists: Hit[][] = Array.from({length: queries.length});
		let [next, done] = [0, 0];
		const failures: unknown[] = [];
		const work = async (): Promise<void> => {
			for (let at = next++; at < queries.length && failures.length === 0; at = next++) {
				lists[at] = await this.#search(queries[at]!.text, {k, filter, signal});
				done += 1;
				await onProgress?.({done, total: queries.length});
			}
		};
		const untilFailure = async (): Promise<void> => work().catch((error: unknown) => void failures.push(error));
		// Concurrent searches run on the addon's threads. By default, eight run at a time to keep the cores busy; at most 64 do.
		const workers = Math.min(threads || 8, 64, queries.length);
		await this.#collection.calls.run(async () => Promise.all(Array.from({length: workers}, untilFailure)));
		if (failures.length > 0) {
			throw failures[0];
		}
		return new Map(queries.map(({id}, i) => [id, lists[i]!]));
	}

	checkFilter(filter: Filter): void {
		requiredFilter(filter);
	}

	async #search(query: string, options: CollectionSearchOptions): Promise<Hit[]> {
		const {hits} = await this.#collection.search(query, {...this.#options, ...options});
		return hits.map(({id, score}) => ({id, score}));
	}
}
