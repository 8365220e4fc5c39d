/** `HybridSearcher` fuses the hits of several searchers. */
import {checkArray, checkCount, checkQueries, checkString, hasMethods} from '../core/checks.ts';
import {RetrievalError} from '../core/errors.ts';
import {type OptionNames, callNames, checkRequiredOptions, checkOptions, optionNames} from '../core/options.ts';
import {runConcurrently} from '../core/concurrent-calls.ts';
import {checkFilterOfAll} from '../core/filterable.ts';
import type {Filter} from '../core/filters/filter.ts';
import type {FilterableSearcher, FilteredSearchManyOptions, FilteredSearchOptions, Hit, Query, Run, Searcher} from '../core/types.ts';
import {fuse} from './fuse.ts';
import {type FusionMethod, checkFusion} from './method.ts';

/** How a hybrid searcher fuses its lists. */
export interface HybridSearcherSettings {
	/** The fusion method. @default {method: 'dprHybrid', lambda: 1.1} for `dense` and `sparse`, {method: 'rrf'} for `searchers` */
	readonly fusion?: FusionMethod | undefined;
	/** Number of hits taken from each searcher before fusion: k' in Ma et al. (2021); `k` if that is larger. @default 1000 */
	readonly depth?: number | undefined;
}

/** A dense and a sparse searcher, or any number of searchers. */
export type HybridSearcherOptions = HybridSearcherSettings &
	({readonly dense: Searcher; readonly sparse: Searcher} | {readonly searchers: readonly Searcher[]});

const searcherOptions: OptionNames = optionNames<HybridSearcherOptions>({
	dense: true,
	sparse: true,
	searchers: true,
	fusion: true,
	depth: true,
});
const searchNames = {...callNames, k: true, filter: true} as const;
const searchOptions: OptionNames = optionNames<FilteredSearchOptions>(searchNames);
const searchManyOptions: OptionNames = optionNames<FilteredSearchManyOptions>({...searchNames, threads: true});

/**
Searches with several searchers concurrently and fuses their hit lists. The constructor fails with `ERR_ARGUMENT` if the fusion method
cannot fuse this number of lists.

A filter is passed to all searchers, so the fused lists have only passages that match. If one of the searchers has no
method `checkFilter`, or its `checkFilter` rejects the filter, the search fails with `ERR_ARGUMENT` before it starts.

@example
```
const searcher = new HybridSearcher({dense, sparse, fusion: {method: 'hybridNorm', alpha: 1.3}});
const ofThree = new HybridSearcher({searchers: [dense, sparse, titles], fusion: {method: 'rrf'}});
const hits = await searcher.search('who built the bridge?', {k: 10, filter: {ids: ['p1', 'p2']}});
```
*/
export class HybridSearcher implements FilterableSearcher {
	/** The searchers, with their names in the options. */
	readonly #searchers: ReadonlyArray<readonly [name: string, searcher: Searcher]>;
	readonly #fusion: FusionMethod;
	readonly #depth: number;

	constructor(options: HybridSearcherOptions) {
		checkRequiredOptions('HybridSearcher', options, searcherOptions);
		if ('searchers' in options) {
			checkArray('HybridSearcher: searchers', options.searchers, 'searchers');
		}
		const named: ReadonlyArray<readonly [string, Searcher]> =
			'searchers' in options
				? options.searchers.map((searcher, i) => [`searchers[${i}]`, searcher])
				: [
						['dense', options.dense],
						['sparse', options.sparse],
					];
		for (const [name, searcher] of named) {
			if (!hasMethods(searcher, 'searchMany')) {
				throw new RetrievalError('ERR_ARGUMENT', `HybridSearcher: expected a searcher as ${name}`);
			}
		}
		if (named.length === 0) {
			throw new RetrievalError('ERR_ARGUMENT', 'HybridSearcher: expected at least one searcher, got none');
		}
		const {fusion = 'searchers' in options ? {method: 'rrf'} : {method: 'dprHybrid'}, depth = 1000} = options;
		checkFusion(fusion, named.length);
		checkCount('depth', depth, 1);
		this.#searchers = named;
		this.#fusion = fusion;
		this.#depth = depth;
	}

	/** Returns the best passages for one query, best first. */
	async search(query: string, options: FilteredSearchOptions = {}): Promise<Hit[]> {
		checkString('search: query', query);
		checkOptions('search', options, searchOptions);
		// The lists of `searchMany` stay in native memory until they are read, so only the `k` fused hits become objects.
		const run = await this.searchMany([{id: '', text: query}], {k: options.k, signal: options.signal, filter: options.filter});
		return [...(run.get('') ?? [])];
	}

	/** Returns the hits of many queries. Progress is that of the first searcher (`dense`, if it is given), which counts queries. */
	async searchMany(queries: readonly Query[], options: FilteredSearchManyOptions = {}): Promise<Run> {
		checkQueries('queries', queries);
		checkOptions('searchMany', options, searchManyOptions);
		const {k = 100, signal, threads, onProgress, filter} = options;
		checkCount('k', k, 0);
		if (filter !== undefined) {
			this.checkFilter(filter);
		}
		// Searchers that do not support filters need not accept the option, so it is passed only if there is a filter.
		const filtered = filter === undefined ? {} : {filter};
		const depth = Math.max(k, this.#depth);
		const runs = await runConcurrently(
			{signal, onProgress},
			this.#searchers.map(
				([, searcher]) =>
					async call =>
						searcher.searchMany(queries, {k: depth, threads, ...filtered, ...call}),
			),
		);
		for (const [i, [name]] of this.#searchers.entries()) {
			// If a searcher of the caller does not return a run, `fuse` says so.
			const missing = hasMethods(runs[i], 'has') ? queries.find(({id}) => !runs[i]!.has(id)) : undefined;
			if (missing !== undefined) {
				throw new RetrievalError(
					'ERR_ARGUMENT',
					`HybridSearcher: ${name}: expected a list of hits for each query, got none for "${missing.id}"; return an empty list for a query without hits`,
				);
			}
		}
		return fuse(runs, this.#fusion, {k, signal});
	}

	/** Fails with `ERR_ARGUMENT` if one of the searchers supports no filters, or rejects this one. */
	checkFilter(filter: Filter): void {
		checkFilterOfAll(filter, this.#searchers);
	}
}
