/**
Converts hits of the addon to JavaScript objects. A search writes the number of hits and their scores into a buffer that both sides share,
and returns the ids joined in one string, because creating one string costs far less than creating an object per hit in the addon.
*/
import {type Binding, callSync} from './native.ts';
import type {Hit, HitColumns} from '../types.ts';

/** Passage ids joined with U+0000, or as an array if one of them contains that character. */
export type JoinedIds = string | string[];

/** Number of hits that the shared buffer has space for. */
const MAX_HITS = 1024;
/**
Maximum number of hits that one call reads from several lists of a run. It is small because an id that the caller keeps also keeps the
whole joined string in memory.
*/
const MAX_HITS_OF_LISTS = 256;

/**
The buffer that the addon writes to: the number of hits, then their scores as 32-bit floats. It must be read before the next call of the
addon, which may overwrite it.
*/
export const hitBuffer: Uint32Array = new Uint32Array(1 + MAX_HITS);
const scores = new Float32Array(hitBuffer.buffer, 4);
const bufferOfLists = hitBuffer.subarray(0, 1 + MAX_HITS_OF_LISTS);
/** A second buffer, for several lists: the number of lists, at most 64, then the number of hits of each. */
const counts = new Uint32Array(65);

/** Returns the hits whose scores are in `hitBuffer`. */
export function bufferedHits(ids: JoinedIds): Hit[] {
	const count = hitBuffer[0]!;
	return count === 0 ? [] : withScores(splitIds(ids), 0);
}

/** Returns the hits whose scores are in `hitBuffer`, as columns. */
export function bufferedColumns(ids: JoinedIds): HitColumns {
	const count = hitBuffer[0]!;
	return {ids: count === 0 ? [] : splitIds(ids), scores: scores.slice(0, count)};
}

/** Converts the hits that a search on the thread pool returned. */
export function toHits({joined, ids, scores}: Binding.Hits): Hit[] {
	if (scores.length === 0) {
		return [];
	}
	return (ids ?? splitIds(joined!)).map((id, i) => ({id, score: scores[i]!}));
}

/** Converts the hits that a search on the thread pool returned to columns. */
export function toColumns({joined, ids, scores}: Binding.Hits): HitColumns {
	return {ids: ids ?? (scores.length === 0 ? [] : splitIds(joined!)), scores};
}

/** Returns the passage ids of a query's hits; `undefined` if the run does not have the query. */
export function idsOf(run: Binding.NativeRun, query: string): string[] | undefined {
	const ids = callSync(() => run.take(query, hitBuffer));
	if (ids === null) {
		return undefined;
	}
	return hitBuffer[0]! <= MAX_HITS ? bufferedColumns(ids).ids : toColumns(callSync(() => run.get(query))!).ids;
}

/** Returns the hits of a query; `undefined` if the run does not have the query. */
export function hitsOf(run: Binding.NativeRun, query: string): Hit[] | undefined {
	const ids = callSync(() => run.take(query, hitBuffer));
	if (ids === null) {
		return undefined;
	}
	return hitBuffer[0]! <= MAX_HITS ? bufferedHits(ids) : toHits(callSync(() => run.get(query))!);
}

/**
Returns the next hit lists of a run, starting with the list of the query at position `first`, which must exist: as many lists as fit into
`bufferOfLists` together, or one list that is too long for it. `queryAt` returns the query id at a position.
*/
export function listsFrom(run: Binding.NativeRun, first: number, queryAt: (position: number) => string): Hit[][] {
	const joined = callSync(() => run.takeFrom(first, counts, bufferOfLists));
	const lists: Hit[][] = [];
	if (counts[0] === 0) {
		return [hitsOf(run, queryAt(first))!];
	}
	const ids = splitIds(joined);
	let from = 0;
	for (let list = 1; list <= counts[0]!; list++) {
		const to = from + counts[list]!;
		lists.push(withScores(ids.slice(from, to), from));
		from = to;
	}
	return lists;
}

function splitIds(ids: JoinedIds): string[] {
	return typeof ids === 'string' ? ids.split('\0') : ids;
}

/** Turns an array of ids into hits in place. The scores are in `hitBuffer`; the score of the first hit is at position `first`. */
function withScores(ids: string[], first: number): Hit[] {
	const hits: Array<string | Hit> = ids;
	for (let i = 0; i < hits.length; i++) {
		hits[i] = {id: hits[i] as string, score: scores[first + i]!};
	}
	return hits as Hit[];
}
