/** Searches for one query and shows the passages, for `passagekit search QUERY`. */
import {OpenSearchCollection} from '../../remote/index.ts';
import type {Bm25Index} from '../../sparse/index.ts';
import type {FusionMethod} from '../../fusion/index.ts';
import {isLive} from '../collections.ts';
import {print, printJson} from '../output.ts';
import {type SearchFlags, fusionOf} from './flags.ts';
import {highlightsIn} from './highlights.ts';
import {type SearchedCollection, openSearched} from './open-searched.ts';
import {shownHits} from './shown-hits.ts';

/** Searches, and prints the hits as text, or with `--json` as one JSON object. */
export async function searchOne(query: string, flags: SearchFlags, signal: AbortSignal): Promise<void> {
	const {filter} = flags;
	// Before the collection is opened, because invalid flags are usage errors.
	const fusion = fusionOf(flags);
	await using collection = await openSearched(flags, signal);
	const startedAt = performance.now();
	const {found, index} = await hitsOf(collection, query, {...flags, fusion}, signal);
	const hits = index === undefined ? found.hits : found.hits.map(hit => ({...hit, highlights: highlightsIn(hit.text ?? '', query, index)}));
	const milliseconds = performance.now() - startedAt;
	if (flags.json) {
		printJson({query, ...found, hits, milliseconds: Math.round(milliseconds)});
	} else if (hits.length === 0) {
		print(`No passage was found${filter === undefined ? '' : ' among those that match the filter'}.`);
	} else {
		print(shownHits(hits, Math.min(process.stdout.columns ?? 100, 100)));
	}
}

/** Searches. If the hits have no highlights, also returns the index whose terms find them. */
async function hitsOf(
	collection: SearchedCollection,
	query: string,
	flags: Omit<SearchFlags, 'fusion'> & {readonly fusion: FusionMethod | undefined},
	signal: AbortSignal,
) {
	const {retriever, k = 10, depth, filter, fusion} = flags;
	const options = {retriever, k, depth, filter, fusion, exact: flags.vectorIndex === 'flat', signal};
	if (collection instanceof OpenSearchCollection) {
		return {found: await collection.search(query, {...options, include: ['text', 'title', 'fields']}), index: collection};
	}
	// Searches of a collection that `passagekit index` built return neither fields nor highlights.
	if (await isLive(flags.collection)) {
		return {found: await collection.search(query, {...options, include: ['text', 'title', 'fields', 'highlights']}), index: undefined};
	}
	const found = await collection.search(query, {...options, include: ['text', 'title']});
	return {found, index: (await collection.searcher('bm25')) as Bm25Index};
}
