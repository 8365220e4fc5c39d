/** Opens the collection that `passagekit search` searches: in a folder, or with `--url` in a cluster. */
import {Collection} from '../../collection/collection.ts';
import type {OpenSearchCollection} from '../../remote/index.ts';
import {openRemote} from '../remote/flags.ts';
import type {SearchFlags} from './flags.ts';

/** A collection in a folder or in a cluster. */
export type SearchedCollection = Collection | OpenSearchCollection;

export async function openSearched(flags: SearchFlags, signal: AbortSignal): Promise<SearchedCollection> {
	const {collection, url, k1, b, questionEncoder} = flags;
	return url === undefined ? Collection.open(collection, {k1, b, questionEncoder}) : openRemote('search', flags, {questionEncoder, signal});
}
