/**
Converts hits of the addon to JavaScript objects. A search on the JavaScript thread writes the number of hits, their scores and the slots of
their ids (see the class `KnownIds`) into a buffer that both sides share, and returns the new ids as JSON. Hits are read from the run of an
index in the same way. All other ids are joined in one string, because creating one string costs far less than creating an object per hit in
the addon.
*/
import {type Binding, callSync} from './native.ts';
import type {Hit, HitColumns} from '../types.ts';

/** Passage ids joined with U+0000, or as an array if one of them contains that character. */
type JoinedIds = string | string[];

/** Number of hits that the shared buffer has space for. */
const MAX_HITS = 1024;
/**
Maximum number of hits that one call reads from several lists of a run if their ids are joined. It is small because an id that the caller
keeps also keeps the whole joined string in memory.
*/
const MAX_HITS_OF_LISTS = 256;

/**
The buffer that the addon writes to: the number of hits, then their scores as 32-bit floats, then their slots. It must be read before the
next call of the addon, which may overwrite it.
*/
const hitBuffer: Uint32Array = new Uint32Array(1 + 2 * MAX_HITS);
const scores = new Float32Array(hitBuffer.buffer, 4, MAX_HITS);
/** The slots, as signed integers: negative for a new id. */
const slots = new Int32Array(hitBuffer.buffer, 4 * (1 + MAX_HITS));
/** The part of the buffer that has no slots, for hits whose ids are joined. */
const bufferOfList = hitBuffer.subarray(0, 1 + MAX_HITS);
const bufferOfLists = hitBuffer.subarray(0, 1 + MAX_HITS_OF_LISTS);
/** A second buffer, for several lists: the number of lists, at most 64, then the number of hits of each. */
const counts = new Uint32Array(65);
/** The part of `counts` for one list. */
const countsOfOneList = counts.subarray(0, 2);

/** Number of slots in each array of `KnownIds`: 2 to the power `PAGE_BITS`. */
const SLOTS_PER_PAGE = 1024;
const PAGE_BITS = 10;
/** The bits of a slot without the highest one, which is set if the id of the hit is new. */
const SLOT = 0x7f_ff_ff_ff;
/**
Maximum length of an id that is kept, in UTF-16 code units. The addon expects all ids of at most as many bytes to be kept; in UTF-8, a text
has at least as many bytes as code units.
*/
const MAX_ID_LENGTH = 64;

/**
The ids of recent hits of an index, as strings. Looking up ids and creating their strings takes as long as a quick search, so the addon
passes only ids that are not here yet. The addon chooses their slots, of which there are at most 131,072. Each index has an instance of its
own, which must see all hits that are passed in this way, in their order: those of searches on the JavaScript thread, and those that are read
from its runs.
*/
export class KnownIds {
	readonly #pages: string[][] = [];
	/** Whether all ids that the addon has passed are stored here. They are not if reading the hits of a search failed. */
	#isComplete = false;
	#wasComplete = false;
	/** Whether the index was closed. Runs that are read later do not fill the list again. */
	#isClosed = false;
	/** The slots of ids that are too long to be kept after the hits have been read. */
	readonly #slotsOfLongIds: number[] = [];

	/** Must be called immediately before each search or reading. Returns the buffer for it. */
	buffer(): Uint32Array {
		this.#wasComplete = this.#isComplete;
		this.#isComplete = false;
		hitBuffer[0] = this.#wasComplete ? 1 : 0;
		return hitBuffer;
	}

	/**
	Returns the hits of the search, whose scores and slots are in the buffer. `newIds` is what the search returned: the new ids as a JSON
	array, `''` if there are none, or null if it has not run or passed no hits; then returns `undefined`.
	*/
	hits(newIds: string | null): Hit[] | undefined {
		const ids = this.#ids(newIds);
		return ids && withScores(ids, 0);
	}

	/** Does the same as `hits`, but returns columns. */
	columns(newIds: string | null): HitColumns | undefined {
		const ids = this.#ids(newIds);
		return ids && {ids, scores: scores.slice(0, ids.length)};
	}

	/** Returns the next hit lists of a run of the index, as `joinedListsFrom` does; `undefined` if it must be asked. */
	listsFrom(run: Binding.NativeRun, first: number): Hit[][] | undefined {
		if (this.#isClosed) {
			return undefined;
		}
		const ids = this.#ids(callSync(() => run.takeKnownFrom(first, counts, this.buffer())));
		return ids && splitLists(ids);
	}

	/** Returns the ids of the list at a position of a run of the index; `undefined` if `joinedIdsOf` must be asked. */
	idsAt(run: Binding.NativeRun, position: number): string[] | undefined {
		return this.#isClosed ? undefined : this.#ids(callSync(() => run.takeKnownFrom(position, countsOfOneList, this.buffer())));
	}

	/** Returns the hits of a query of a run of the index; `undefined` if `joinedHitsOf` must be asked. */
	hitsOf(run: Binding.NativeRun, query: string): Hit[] | undefined {
		return this.#isClosed ? undefined : this.hits(callSync(() => run.takeKnown(query, this.buffer())));
	}

	/** Frees the ids of an index that was closed. */
	clear(): void {
		this.#pages.length = 0;
		this.#isComplete = false;
		this.#isClosed = true;
	}

	/** Returns the ids of the hits, and stores those that are new. */
	#ids(newIds: string | null): string[] | undefined {
		if (newIds === null) {
			this.#isComplete = this.#wasComplete;
			return undefined;
		}
		const count = hitBuffer[0]!;
		const added = parsed(newIds);
		const ids = emptyArray<string>(count);
		for (let i = 0, next = 0; i < count; i++) {
			const slot = slots[i]!;
			ids[i] = slot < 0 ? this.#add(slot & SLOT, added[next++]!) : this.#get(slot);
		}
		if (this.#slotsOfLongIds.length > 0) {
			this.#dropLongIds();
		}
		this.#isComplete = true;
		return ids;
	}

	#get(slot: number): string {
		return this.#pages[slot >> PAGE_BITS]![slot & (SLOTS_PER_PAGE - 1)]!;
	}

	#add(slot: number, id: string): string {
		this.#set(slot, id);
		if (id.length > MAX_ID_LENGTH) {
			// Another of the lists that are being read may have the same hit.
			this.#slotsOfLongIds.push(slot);
		}
		return id;
	}

	#dropLongIds(): void {
		for (const slot of this.#slotsOfLongIds) {
			// A later hit may have replaced the id.
			if (this.#get(slot).length > MAX_ID_LENGTH) {
				this.#set(slot, '');
			}
		}
		this.#slotsOfLongIds.length = 0;
	}

	#set(slot: number, id: string): void {
		const page = (this.#pages[slot >> PAGE_BITS] ??= emptyArray<string>(SLOTS_PER_PAGE));
		page[slot & (SLOTS_PER_PAGE - 1)] = id;
	}
}

/** Returns an array of this length without elements. */
function emptyArray<T>(length: number): T[] {
	// oxlint-disable-next-line unicorn/no-new-array -- `Array.from` takes several times as long.
	return new Array<T>(length);
}

/** Parses a JSON array of ids. Unlike parts of a split string, its strings do not keep the whole text in memory. */
function parsed(ids: string): string[] {
	return ids === '' ? [] : (JSON.parse(ids) as string[]);
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
export function joinedIdsOf(run: Binding.NativeRun, query: string): string[] | undefined {
	const ids = callSync(() => run.take(query, bufferOfList));
	if (ids === null) {
		return undefined;
	}
	const count = hitBuffer[0]!;
	if (count > MAX_HITS) {
		return toColumns(callSync(() => run.get(query))!).ids;
	}
	return count === 0 ? [] : splitIds(ids);
}

/** Returns the hits of a query; `undefined` if the run does not have the query. */
export function joinedHitsOf(run: Binding.NativeRun, query: string): Hit[] | undefined {
	const ids = callSync(() => run.take(query, bufferOfList));
	if (ids === null) {
		return undefined;
	}
	const count = hitBuffer[0]!;
	if (count > MAX_HITS) {
		return toHits(callSync(() => run.get(query))!);
	}
	return count === 0 ? [] : withScores(splitIds(ids), 0);
}

/**
Returns the next hit lists of a run, starting with the list of the query at position `first`, which must exist: as many lists as fit into
`bufferOfLists` together, or one list that is too long for it. `queryAt` returns the query id at a position.
*/
export function joinedListsFrom(run: Binding.NativeRun, first: number, queryAt: (position: number) => string): Hit[][] {
	const joined = callSync(() => run.takeFrom(first, counts, bufferOfLists));
	return counts[0] === 0 ? [joinedHitsOf(run, queryAt(first))!] : splitLists(splitIds(joined));
}

/** Divides the ids of several lists, whose numbers of hits are in `counts` and whose scores are in `hitBuffer`, into hit lists. */
function splitLists(ids: readonly string[]): Hit[][] {
	const lists: Hit[][] = [];
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
