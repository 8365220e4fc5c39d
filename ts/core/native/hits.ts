/** Hits of the addon as they come to JavaScript: numbers in memory that both know, ids in one string. */
import {type Binding, callSync} from './native.ts';
import type {Hit, HitColumns} from '../types.ts';

/** Passage ids with U+0000 between them, or apart where one has that character in it. */
export type Joined = string | string[];

/** Hits for which there is room. */
const ROOM = 1024;
/** Lists are taken together up to so many hits: an id that is kept may keep the string that it came in. */
const ROOM_OF_LISTS = 256;

/**
Where the addon puts how many hits there are, and the bits of their scores. They are taken out before anything else is
called.
*/
export const room: Uint32Array = new Uint32Array(1 + ROOM);
const scores = new Float32Array(room.buffer, 4);
const roomOfLists = room.subarray(0, 1 + ROOM_OF_LISTS);
const counts = new Uint32Array(65);

/** The hits whose numbers are in the `room`. */
export function hitsIn(ids: Joined): Hit[] {
	const count = room[0]!;
	return count === 0 ? [] : named(apart(ids), 0);
}

/** The same by columns. */
export function columnsIn(ids: Joined): HitColumns {
	const count = room[0]!;
	return {ids: count === 0 ? [] : apart(ids), scores: scores.slice(0, count)};
}

/** Hits of an object of the addon. */
export function toHits({joined, ids, scores}: Binding.Hits): Hit[] {
	if (scores.length === 0) {
		return [];
	}
	return (ids ?? apart(joined!)).map((id, i) => ({id, score: scores[i]!}));
}

/** The same by columns. */
export function toColumns({joined, ids, scores}: Binding.Hits): HitColumns {
	return {ids: ids ?? (scores.length === 0 ? [] : apart(joined!)), scores};
}

/** The ids of the hits of a query of a run; `undefined` if it has no such query. */
export function idsOf(run: Binding.NativeRun, query: string): string[] | undefined {
	const ids = callSync(() => run.take(query, room));
	if (ids === null) {
		return undefined;
	}
	return room[0]! <= ROOM ? columnsIn(ids).ids : toColumns(callSync(() => run.get(query))!).ids;
}

/** The hits of a query of a run; `undefined` if it has no such query. */
export function hitsOf(run: Binding.NativeRun, query: string): Hit[] | undefined {
	const ids = callSync(() => run.take(query, room));
	if (ids === null) {
		return undefined;
	}
	return room[0]! <= ROOM ? hitsIn(ids) : toHits(callSync(() => run.get(query))!);
}

/** Of the lists of a run, those that come together from the one at `first` on: at least one, as far as there are any. */
export function listsFrom(run: Binding.NativeRun, first: number, nameOf: (list: number) => string): Hit[][] {
	const ids = callSync(() => run.takeFrom(first, counts, roomOfLists));
	const lists: Hit[][] = [];
	if (counts[0] === 0) {
		return [hitsOf(run, nameOf(first))!];
	}
	const names = apart(ids);
	let from = 0;
	for (let list = 1; list <= counts[0]!; list++) {
		const to = from + counts[list]!;
		lists.push(named(names.slice(from, to), from));
		from = to;
	}
	return lists;
}

function apart(ids: Joined): string[] {
	return typeof ids === 'string' ? ids.split('\0') : ids;
}

/** Makes the array of ids one of hits, whose scores are those in the `room` from one on. */
function named(ids: string[], from: number): Hit[] {
	const hits: Array<string | Hit> = ids;
	for (let at = 0; at < hits.length; at++) {
		hits[at] = {id: hits[at] as string, score: scores[from + at]!};
	}
	return hits as Hit[];
}
