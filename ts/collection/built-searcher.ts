/** A searcher of a built collection, for whose calls `close` waits. */
import type {CallsInProgress} from '../core/calls-in-progress.ts';
import type {Filter} from '../core/filters/filter.ts';
import type {FilterableSearcher, FilteredSearchManyOptions, FilteredSearchOptions, Hit, Query, Run} from '../core/types.ts';

export class BuiltSearcher implements FilterableSearcher {
	readonly #searcher: FilterableSearcher;
	readonly #calls: CallsInProgress;

	constructor(searcher: FilterableSearcher, calls: CallsInProgress) {
		this.#searcher = searcher;
		this.#calls = calls;
	}

	async search(query: string, options?: FilteredSearchOptions): Promise<Hit[]> {
		return this.#calls.run(async () => this.#searcher.search(query, options));
	}

	async searchMany(queries: readonly Query[], options?: FilteredSearchManyOptions): Promise<Run> {
		return this.#calls.run(async () => this.#searcher.searchMany(queries, options));
	}

	checkFilter(filter: Filter): void {
		this.#searcher.checkFilter(filter);
	}
}
