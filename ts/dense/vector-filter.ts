/** Filters that select vectors by their ids (`IdFilter`). The addon compiles them to bit sets (`VectorFilter`). */
import {checkFactoryMade, isArray, isInstance, isPlain, kindOf} from '../core/checks.ts';
import {RetrievalError} from '../core/errors.ts';
import {type Binding, callNative, native} from '../core/native/native.ts';
import {yieldToEventLoop} from '../core/event-loop.ts';
import {idBatch} from './batches.ts';

/**
Selects vectors by their ids.

- `ids`: vectors with one of these ids; unknown ids are ignored.
- `where`: vectors with ids for which the function returns `true`. The function is called once for each id of the index, in slices of about a
  millisecond. If it throws, the call rejects with that error.
- `and`: vectors that match all of the filters; `{and: []}` matches every vector.
- `or`: vectors that match at least one of the filters; `{or: []}` matches no vector.
- `not`: vectors that do not match the filter.
- a `VectorFilter` that the same index compiled (`index.filter()`).

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
Restricts a search to the vectors that `filter` selects. A filter that `index.filter()` compiled can be reused at no cost; any other
filter is compiled again by each search.
*/
export interface VectorFilterOptions {
	/** @default every vector */
	readonly filter?: IdFilter | undefined;
}

/**
A compiled filter of one index: one bit per vector, in native memory. It selects the vectors that matched when it was compiled. A vector
that is updated later stays selected, and a vector that is deleted later is never a hit. Vectors that are added later are not selected,
even if they have the id of a deleted vector. The filter is valid while the index is open, even after `compact`.
*/
export class VectorFilter {
	readonly #native: Binding.NativeFilter;

	private constructor(filter: Binding.NativeFilter) {
		checkFactoryMade('VectorFilter', filter, native.NativeFilter, 'index.filter()');
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

	/** Number of selected vectors. Until `compact`, deleted vectors still count, and updated vectors count twice. */
	get size(): number {
		return this.#native.size;
	}

	/** Number of ids in the filter that were not in the index when the filter was compiled. */
	get unknown(): number {
		return this.#native.unknown;
	}
}

/** Maximum depth of nested filters. */
const MAX_DEPTH = 32;
const KINDS = ['ids', 'where', 'and', 'or', 'not'] as const;

/** Number of ids for which a `where` function is called between two checks of the clock. */
const IDS_PER_SLICE = 250;
/** Time in milliseconds after which the calls of a `where` function pause, so that the event loop can run. */
const MAX_SLICE_MS = 1;

/** @internal Compiles a filter for an index. Errors name the path to the invalid part, as in `filter.and[1].ids`. */
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
	if (depth > MAX_DEPTH) {
		throw new RetrievalError('ERR_ARGUMENT', `${path}: expected at most ${MAX_DEPTH} levels of nested filters, got more`);
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
		return filterWhere(index, filter.where, at, signal);
	}
	if ('not' in filter) {
		const excluded = await nativeFilter(index, filter.not, signal, at, depth + 1);
		return callNative({signal}, () => index.filterExcluding(excluded));
	}
	const parts = 'and' in filter ? filter.and : filter.or;
	if (!Array.isArray(parts)) {
		throw new RetrievalError('ERR_ARGUMENT', `${at}: expected an array of filters, got ${kindOf(parts)}`);
	}
	const isOr = kind === 'or';
	let combined: Binding.NativeFilter | undefined;
	for (const [i, part] of parts.entries()) {
		const next = await nativeFilter(index, part as IdFilter, signal, `${at}[${i}]`, depth + 1);
		const before = combined;
		combined = before === undefined ? next : await callNative({signal}, () => index.combineFilters(before, next, isOr));
	}
	if (combined !== undefined) {
		return combined;
	}
	const noIds = await idBatch(at, []);
	return callNative({signal}, () => (isOr ? index.filterOfIds(noIds) : index.filterExcluding()));
}

async function filterWhere(
	index: Binding.NativeVectorIndex,
	where: (id: string) => boolean,
	path: string,
	signal: AbortSignal | undefined,
): Promise<Binding.NativeFilter> {
	if (typeof where !== 'function') {
		throw new RetrievalError('ERR_ARGUMENT', `${path}: expected a function of an id, got ${kindOf(where)}`);
	}
	const ids = await callNative({signal}, () => index.ids());
	let startedAt = performance.now();
	for (let page = nextIds(ids, IDS_PER_SLICE); page.length > 0; page = nextIds(ids, IDS_PER_SLICE)) {
		// One byte per id: 1 if the vector is selected.
		const marks = new Uint8Array(page.length);
		for (const [i, id] of page.entries()) {
			const allowed: unknown = where(id);
			if (typeof allowed !== 'boolean') {
				throw new RetrievalError('ERR_ARGUMENT', `${path}: expected true or false for "${id}", got ${kindOf(allowed)}`);
			}
			marks[i] = Number(allowed);
		}
		ids.mark(marks);
		if (performance.now() - startedAt > MAX_SLICE_MS) {
			await yieldToEventLoop();
			signal?.throwIfAborted();
			startedAt = performance.now();
		}
	}
	return callNative({signal}, () => index.filterFromMarkedIds(ids));
}

/** @internal Returns the next ids, at most `count`, or an empty array at the end. */
export function nextIds(ids: Binding.NativeIds, count: number): string[] {
	const {joined, ids: separate} = ids.next(count);
	// No id is empty, so an empty string means that there are none.
	return separate ?? (joined === '' ? [] : joined!.split('\0'));
}
