/**
Hits of the addon as JavaScript objects. A search writes the number of hits and their scores into a buffer that both sides share, and
returns the ids joined in one string: one string and one buffer cost far less than an object per hit.
*/
import {type Binding, callSync} from './native.ts';
import type {Hit, HitColumns} from '../types.ts';

/** Passage ids joined with U+0000, or as an array if one of them contains that character. */
export type JoinedIds = string | string[];

/** Maximum number of hits that the shared buffer has space for. */
const MAX_HITS = 1024;
/** Lists of a run are taken together up to this number of hits: an id that is kept alive keeps the whole joined string alive. */
const MAX_HITS_OF_LISTS = 256;

/**
The buffer that the addon writes to: the number of hits, then the bits of their scores. It must be read before anything else of the
addon is called.
*/
export const hitBuffer: Uint32Array = new Uint32Array(1 + MAX_HITS);
const scores = new Float32Array(hitBuffer.buffer, 4);
const bufferOfLists = hitBuffer.subarray(0, 1 + MAX_HITS_OF_LISTS);
const counts = new Uint32Array(65);

/** The hits whose scores are in the buffer. */
export function bufferedHits(ids: JoinedIds): Hit[] {
	const count = hitBuffer[0]!;
	return count === 0 ? [] : withScores(splitIds(ids), 0);
}

/** The hits whose scores are in the buffer, by columns. */
export function bufferedColumns(ids: JoinedIds): HitColumns {
	const count = hitBuffer[0]!;
	return {ids: count === 0 ? [] : splitIds(ids), scores: scores.slice(0, count)};
}

/** The hits of an object of the addon. */
export function toHits({joined, ids, scores}: Binding.Hits): Hit[] {
	if (scores.length === 0) {
		return [];
	}
	return (ids ?? splitIds(joined!)).map((id, i) => ({id, score: scores[i]!}));
}

/** The hits of an object of the addon, by columns. */
export function toColumns({joined, ids, scores}: Binding.Hits): HitColumns {
	return {ids: ids ?? (scores.length === 0 ? [] : splitIds(joined!)), scores};
}

/** The passage ids of a query's hits; `undefined` if the run does not have the query. */
export function idsOf(run: Binding.NativeRun, query: string): string[] | undefined {
	const ids = callSync(() => run.take(query, hitBuffer));
	if (ids === null) {
		return undefined;
	}
	return hitBuffer[0]! <= MAX_HITS ? bufferedColumns(ids).ids : toColumns(callSync(() => run.get(query))!).ids;
}

/** The hits of a query; `undefined` if the run does not have the query. */
export function hitsOf(run: Binding.NativeRun, query: string): Hit[] | undefined {
	const ids = callSync(() => run.take(query, hitBuffer));
	if (ids === null) {
		return undefined;
	}
	return hitBuffer[0]! <= MAX_HITS ? bufferedHits(ids) : toHits(callSync(() => run.get(query))!);
}

/**
The next hit lists of a run, from position `first` on: as many as fit into the buffer together, and at least one if there are any left.
`nameOf` returns the query id at a position.
*/
export function listsFrom(run: Binding.NativeRun, first: number, nameOf: (list: number) => string): Hit[][] {
	const ids = callSync(() => run.takeFrom(first, counts, bufferOfLists));
	const lists: Hit[][] = [];
	if (counts[0] === 0) {
		return [hitsOf(run, nameOf(first))!];
	}
	const names = splitIds(ids);
	let from = 0;
	for (let list = 1; list <= counts[0]!; list++) {
		const to = from + counts[list]!;
		lists.push(withScores(names.slice(from, to), from));
		from = to;
	}
	return lists;
}

function splitIds(ids: JoinedIds): string[] {
	return typeof ids === 'string' ? ids.split('\0') : ids;
}

/** Turns an array of ids into hits in place; their scores are in the buffer from position `first` on. */
function withScores(ids: string[], first: number): Hit[] {
	const hits: Array<string | Hit> = ids;
	for (let i = 0; i < hits.length; i++) {
		hits[i] = {id: hits[i] as string, score: scores[first + i]!};
	}
	return hits as Hit[];
}
