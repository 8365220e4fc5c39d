/** Reads stored passages by their ids: as searches see them, or with the latest changes. */
import {documentOf} from '../../core/filters/document-id.ts';
import {RetrievalError} from '../../core/errors.ts';
import {type Connection, wait} from '../connection/connection.ts';
import {type RemoteCause, causeMeaning} from '../connection/errors.ts';
import {names} from '../index/schema.ts';
import type {Source} from './passages.ts';

/** Number of passages per request. */
const IDS_PER_REQUEST = 1000;
/** How often passages are requested again whose shards did not answer. A cluster needs some seconds to replace a node that it lost. */
const MAX_RETRIES = 8;

interface GetAnswer {
	readonly docs: ReadonlyArray<{readonly _id: string; readonly found?: boolean; readonly _source?: Source; readonly error?: RemoteCause}>;
}

/**
Returns the stored parts of passages, by id, without those that do not exist. `latest` also sees changes after the last refresh, which
searches do not see yet.
*/
export async function storedPassages(
	connection: Connection,
	index: string,
	ids: readonly string[],
	{parts, latest, signal}: {readonly parts: readonly string[]; readonly latest: boolean; readonly signal?: AbortSignal | undefined},
): Promise<Map<string, Source>> {
	const found = new Map<string, Source>();
	for (let from = 0; from < ids.length; from += IDS_PER_REQUEST) {
		let open = ids.slice(from, from + IDS_PER_REQUEST);
		for (let attempt = 0; open.length > 0; attempt++) {
			const {docs} = await connection.send<GetAnswer>({
				what: `read ${index}`,
				method: 'POST',
				path: `/${encodeURIComponent(index)}/_mget`,
				query: {realtime: latest},
				body: {docs: open.map(id => ({_id: id, routing: documentOf(id), _source: parts}))},
				signal,
			});
			const failed: string[] = [];
			for (const {_id, found: exists, _source, error} of docs) {
				if (error !== undefined) {
					// A shard without a copy that can answer, for example while a node recovers.
					if (attempt === MAX_RETRIES) {
						throw new RetrievalError('ERR_REMOTE_INCOMPLETE', `read ${index}: "${_id}": ${causeMeaning(error, 503).message}`);
					}
					failed.push(_id);
				} else if (exists === true) {
					found.set(_id, _source!);
				}
			}
			open = failed;
			if (open.length > 0) {
				await wait(attempt, signal);
			}
		}
	}
	return found;
}

/** Returns the stored vectors of the passages, by id, that are stored with the same title and text, so that they need not be encoded again. */
export async function keptVectors(
	connection: Connection,
	index: string,
	passages: ReadonlyArray<{readonly id: string; readonly title: string; readonly text: string}>,
	signal: AbortSignal | undefined,
): Promise<Map<string, Float32Array>> {
	const ids = passages.map(({id}) => id);
	const stored = await storedPassages(connection, index, ids, {parts: [names.title, names.text, names.vector], latest: true, signal});
	const kept = new Map<string, Float32Array>();
	for (const {id, title, text} of passages) {
		const same = stored.get(id);
		if (same?.vector !== undefined && same.text === text && (same.title ?? '') === title) {
			kept.set(id, Float32Array.from(same.vector));
		}
	}
	return kept;
}
