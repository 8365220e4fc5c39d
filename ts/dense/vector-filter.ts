import {checkMade, isArray, isInstance, isPlain, kindOf} from '../core/checks.ts';
import {RetrievalError} from '../core/errors.ts';
import {type Binding, callNative, native} from '../core/native/native.ts';
import {yieldToEventLoop} from '../core/event-loop.ts';
import {idBatch} from './batches.ts';

/**
Which vectors a search may find, by their ids.

- `ids`: those with one of these ids; unknown ones are passed over.
- `where`: those whose id the function says `true` of. It is called once for each id of the index, a millisecond at a
  time; what it throws rejects.
- `and`, `or`, `not`: those that meet all, one, or not this. `{and: []}` is every vector, `{or: []}` none.
- a `VectorFilter` that the same index has made.

@example
```
const german = await index.filter({where: id => id.startsWith('de/')});
await index.search(query, {k: 10, filter: german});
await index.search(query, {k: 10, filter: {and: [german, {not: {ids: ['de/7']}}]}});
```
*/
export type IdFilter =
	| VectorFilter
	| {readonly ids: readonly string[]}
	| {readonly where: (id: string) => boolean}
	| {readonly and: readonly IdFilter[]}
	| {readonly or: readonly IdFilter[]}
	| {readonly not: IdFilter};

/**
Finds only vectors that `filter` allows: as many as there are, up to `k`. What `index.filter()` has made costs nothing to
use again; anything else is made anew by each search.
*/
export interface VectorFilterOptions {
	/** @default every vector */
	readonly filter?: IdFilter | undefined;
}

/**
Vectors of one index to search among: a bit each, in native memory. It stands for the ids that were allowed when it was
made: an updated vector stays in, one deleted is never a hit, and one added later is not in, even under the id of one
deleted. It holds while the index is open, also after `compact`.
*/
export class VectorFilter {
	readonly #native: Binding.NativeFilter;

	private constructor(filter: Binding.NativeFilter) {
		checkMade('VectorFilter', filter, native.NativeFilter, 'index.filter()');
		this.#native = filter;
	}

	/** @internal */
	static of(filter: Binding.NativeFilter): VectorFilter {
		return new VectorFilter(filter);
	}

	/** @internal */
	static handle(filter: VectorFilter): Binding.NativeFilter {
		return filter.#native;
	}

	/** How many vectors it allows. Those deleted since count until `compact`, those updated twice. */
	get size(): number {
		return this.#native.size;
	}

	/** How many of the ids that it was made of were not in the index. */
	get unknown(): number {
		return this.#native.unknown;
	}
}

/** Filters within filters. */
const DEEPEST = 32;
const KINDS = ['ids', 'where', 'and', 'or', 'not'] as const;

/** Ids shown to a function at once. */
const IDS_AT_ONCE = 250;
/** How long a function is called for before others have their turn. */
const MOST_MS = 1;

/** @internal Makes a filter of an index. An error names the path to what is wrong, as in `filter.and[1].ids`. */
export async function nativeFilter(
	index: Binding.NativeVectorIndex,
	filter: IdFilter,
	signal?: AbortSignal,
	path = 'filter',
	depth = 1,
): Promise<Binding.NativeFilter> {
	if (isInstance(filter, VectorFilter)) {
		return VectorFilter.handle(filter);
	}
	if (depth > DEEPEST) {
		throw new RetrievalError('ERR_ARGUMENT', `${path}: expected at most ${DEEPEST} filters within each other, got more`);
	}
	const expected = `a VectorFilter or an object with one of ${KINDS.join(', ')}`;
	if (!isPlain(filter)) {
		throw new RetrievalError('ERR_ARGUMENT', `${path}: expected ${expected}, got ${isArray(filter) ? 'an array' : kindOf(filter)}`);
	}
	const [kind, ...others] = Object.keys(filter) as (typeof KINDS)[number][];
	if (kind === undefined || others.length > 0 || !KINDS.includes(kind)) {
		throw new RetrievalError('ERR_ARGUMENT', `${path}: expected ${expected}, got {${Object.keys(filter).join(', ')}}`);
	}
	const at = `${path}.${kind}`;
	if ('ids' in filter) {
		const batch = await idBatch(at, filter.ids, signal);
		return callNative({signal}, () => index.filterOfIds(batch));
	}
	if ('where' in filter) {
		return filterOfTrue(index, filter.where, at, signal);
	}
	if ('not' in filter) {
		const excluded = await nativeFilter(index, filter.not, signal, at, depth + 1);
		return callNative({signal}, () => index.filterOfRest(excluded));
	}
	const parts = 'and' in filter ? filter.and : filter.or;
	if (!Array.isArray(parts)) {
		throw new RetrievalError('ERR_ARGUMENT', `${at}: expected an array of filters, got ${kindOf(parts)}`);
	}
	const either = kind === 'or';
	let whole: Binding.NativeFilter | undefined;
	for (const [i, part] of parts.entries()) {
		const made = await nativeFilter(index, part as IdFilter, signal, `${at}[${i}]`, depth + 1);
		const before = whole;
		whole = before === undefined ? made : await callNative({signal}, () => index.filterOfTwo(before, made, either));
	}
	if (whole !== undefined) {
		return whole;
	}
	const none = await idBatch(at, []);
	return callNative({signal}, () => (either ? index.filterOfIds(none) : index.filterOfRest()));
}

async function filterOfTrue(
	index: Binding.NativeVectorIndex,
	where: (id: string) => boolean,
	path: string,
	signal: AbortSignal | undefined,
): Promise<Binding.NativeFilter> {
	if (typeof where !== 'function') {
		throw new RetrievalError('ERR_ARGUMENT', `${path}: expected a function of an id, got ${kindOf(where)}`);
	}
	const ids = await callNative({signal}, () => index.ids());
	let began = performance.now();
	for (let page = nextIds(ids, IDS_AT_ONCE); page.length > 0; page = nextIds(ids, IDS_AT_ONCE)) {
		const marks = new Uint8Array(page.length);
		for (const [i, id] of page.entries()) {
			const allowed: unknown = where(id);
			if (typeof allowed !== 'boolean') {
				throw new RetrievalError('ERR_ARGUMENT', `${path}: expected true or false for "${id}", got ${kindOf(allowed)}`);
			}
			marks[i] = Number(allowed);
		}
		ids.mark(marks);
		if (performance.now() - began > MOST_MS) {
			await yieldToEventLoop();
			signal?.throwIfAborted();
			began = performance.now();
		}
	}
	return callNative({signal}, () => index.filterOfMarked(ids));
}

/** @internal The next ids, at most `count`; none at the end. */
export function nextIds(ids: Binding.NativeIds, count: number): string[] {
	const {joined, ids: apart} = ids.next(count);
	// No id is empty.
	return apart ?? (joined === '' ? [] : joined!.split('\0'));
}
