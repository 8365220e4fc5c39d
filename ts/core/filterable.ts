/** Checks that searchers take filters. */
import {hasMethods, kindOf} from './checks.ts';
import {RetrievalError} from './errors.ts';
import type {Filter} from './filters/filter.ts';
import {requiredFilter} from './filters/normalize.ts';
import type {FilterableSearcher, Searcher} from './types.ts';

/** Fails if one of these searchers takes no filters, or cannot apply this filter. The names of the searchers are for the message. */
export function checkFilterOfAll(filter: Filter, searchers: ReadonlyArray<readonly [name: string, searcher: Searcher]>): void {
	requiredFilter(filter);
	for (const [name, searcher] of searchers) {
		if (!isFilterable(searcher)) {
			throw new RetrievalError(
				'ERR_ARGUMENT',
				`filter: expected searchers that take filters, got ${kindOf(searcher)} without the method checkFilter as ${name}`,
			);
		}
	}
	for (const [, searcher] of searchers) {
		(searcher as FilterableSearcher).checkFilter(filter);
	}
}

/** Whether a searcher takes filters. */
export function isFilterable(searcher: Searcher): searcher is FilterableSearcher {
	return hasMethods(searcher, 'checkFilter');
}
