/** Searches for one query and shows the passages, for `passagekit search QUERY`. */
import {Collection} from '../../collection/collection.ts';
import type {Bm25Index} from '../../sparse/index.ts';
import {isLive} from '../collections.ts';
import {print, printJson} from '../output.ts';
import {type SearchFlags, fusionOf} from './flags.ts';
import {highlightsIn} from './highlights.ts';
import {shownHits} from './shown-hits.ts';

/** Searches, and prints the hits as text, or with `--json` as one JSON object. */
export async function searchOne(query: string, flags: SearchFlags, signal: AbortSignal): Promise<void> {
	const {collection: folder, retriever, k = 10, depth, filter} = flags;
	const fusion = fusionOf(flags);
	await using collection = await Collection.open(folder, {k1: flags.k1, b: flags.b, questionEncoder: flags.questionEncoder});
	const startedAt = performance.now();
	const isChangeable = await isLive(folder);
	const found = await collection.search(query, {
		retriever,
		k,
		depth,
		filter,
		fusion,
		exact: flags.vectorIndex === 'flat',
		// Searches of a collection that `passagekit index` built return neither fields nor highlights.
		include: isChangeable ? ['text', 'title', 'fields', 'highlights'] : ['text', 'title'],
		signal,
	});
	const bm25 = isChangeable ? undefined : ((await collection.searcher('bm25')) as Bm25Index);
	const hits = bm25 === undefined ? found.hits : found.hits.map(hit => ({...hit, highlights: highlightsIn(hit.text ?? '', query, bm25)}));
	const milliseconds = performance.now() - startedAt;
	if (flags.json) {
		printJson({query, ...found, hits, milliseconds: Math.round(milliseconds)});
	} else if (hits.length === 0) {
		print(`No passage was found${filter === undefined ? '' : ' among those that match the filter'}.`);
	} else {
		print(shownHits(hits, Math.min(process.stdout.columns ?? 100, 100)));
	}
}
