/** Runs that stay in native memory (`RetrievedRun`), and the copying of other runs to the addon (`nativeRun`). */
import {checkId, checkMap, checkString, isArray, isInstance, isWellFormed, kindOf, shown} from '../checks.ts';
import {RetrievalError} from '../errors.ts';
import {type KnownIds, joinedHitsOf, joinedListsFrom} from './hits.ts';
import {type Binding, callSync, native} from './native.ts';
import {yieldToEventLoop} from '../event-loop.ts';
import type {Hit, Run} from '../types.ts';

/** A run in native memory: query id → hits. A hit list becomes JavaScript objects only when it is read. */
export class RetrievedRun implements ReadonlyMap<string, readonly Hit[]> {
	readonly #native: Binding.NativeRun;
	readonly #knownIds: KnownIds | undefined;
	#queries: readonly string[] | undefined;

	/** @internal `knownIds` are those of the index that found the run. */
	constructor(run: Binding.NativeRun, knownIds?: KnownIds) {
		this.#native = run;
		this.#knownIds = knownIds;
	}

	/** @internal */
	static handle(run: RetrievedRun): Binding.NativeRun {
		return run.#native;
	}

	get size(): number {
		return this.#native.size();
	}

	get(query: string): readonly Hit[] | undefined {
		return isId(query) ? (this.#knownIds?.hitsOf(this.#native, query) ?? joinedHitsOf(this.#native, query)) : undefined;
	}

	has(query: string): boolean {
		return isId(query) && this.#native.has(query);
	}

	forEach(callback: (hits: readonly Hit[], query: string, run: ReadonlyMap<string, readonly Hit[]>) => void, self?: unknown): void {
		for (const [query, hits] of this) {
			callback.call(self, hits, query, this);
		}
	}

	*entries(): MapIterator<[string, readonly Hit[]]> {
		const ids = this.#queryIds();
		let i = 0;
		for (const hits of this.values()) {
			yield [ids[i++]!, hits];
		}
		return undefined;
	}

	keys(): MapIterator<string> {
		return this.#queryIds()[Symbol.iterator]() as MapIterator<string>;
	}

	*values(): MapIterator<readonly Hit[]> {
		const ids = this.#queryIds();
		for (let next = 0; next < ids.length; ) {
			const lists = this.#knownIds?.listsFrom(this.#native, next) ?? joinedListsFrom(this.#native, next, list => ids[list]!);
			next += lists.length;
			yield* lists;
		}
		return undefined;
	}

	[Symbol.iterator](): MapIterator<[string, readonly Hit[]]> {
		return this.entries();
	}

	#queryIds(): readonly string[] {
		this.#queries ??= this.#native.queries();
		return this.#queries;
	}
}

/** Whether a value can be an id. A lone surrogate is excluded: the addon would replace it and might find another query. */
function isId(query: unknown): query is string {
	return typeof query === 'string' && isWellFormed(query);
}

/** Number of hits that are copied per slice; that takes about a millisecond. */
const HITS_PER_SLICE = 4000;

/** Returns the native form of a run. A run made in JavaScript is checked and copied in slices, one per iteration of the event loop. */
export async function nativeRun(run: Run): Promise<Binding.NativeRun> {
	if (isInstance(run, RetrievedRun)) {
		return RetrievedRun.handle(run);
	}
	checkRun('run', run);
	const builder = new native.RunBuilder();
	let queries: string[] = [];
	let counts: number[] = [];
	let ids: string[] = [];
	let scores: number[] = [];
	const flush = (): void => {
		checkWellFormed('run: query id', queries);
		checkWellFormed('run: passage id', ids);
		callSync(() => builder.add(queries, Uint32Array.from(counts), ids, Float32Array.from(scores)));
		[queries, counts, ids, scores] = [[], [], [], []];
	};
	for (const [query, hits] of run) {
		checkString('run: query id', query);
		checkHits(query, hits);
		queries.push(query);
		counts.push(hits.length);
		const first = ids.length;
		for (const {id, score} of hits) {
			ids.push(id);
			scores.push(score);
		}
		checkDistinct(query, first === 0 ? ids : ids.slice(first));
		if (ids.length >= HITS_PER_SLICE) {
			flush();
			await yieldToEventLoop();
		}
	}
	flush();
	return builder.finish();
}

/** Checks only that `run` is a map. The hits are checked when they are copied. */
export function checkRun(what: string, run: unknown): asserts run is Run {
	checkMap(what, run, 'query id to hits');
}

/** Throws the error for an invalid hit. */
function refuseHit(what: string, hit: Hit | undefined): never {
	if (typeof hit?.id === 'string' && typeof hit.score === 'number') {
		throw new RetrievalError('ERR_ARGUMENT', `${what}: score: expected a finite 32-bit number, got ${hit.score}`);
	}
	const got = typeof hit === 'object' && hit !== null ? `{id: ${shown(hit.id)}, score: ${shown(hit.score)}}` : kindOf(hit);
	throw new RetrievalError('ERR_ARGUMENT', `${what}: expected {id: string, score: number}, got ${got}`);
}

/** Fails if a passage occurs twice in a list of hits. Without this check, measures would count it twice. */
function checkDistinct(query: string, ids: readonly string[]): void {
	if (new Set(ids).size < ids.length) {
		const repeated = ids.find((id, i) => ids.indexOf(id) < i)!;
		throw new RetrievalError('ERR_ARGUMENT', `run: hits of query "${query}": expected each passage once, got "${repeated}" twice`);
	}
}

/** Checks all ids in one call, which is much faster than one call per id. */
function checkWellFormed(what: string, ids: readonly string[]): void {
	if (!isWellFormed(ids.join('\0'))) {
		ids.forEach(id => checkId(what, id));
	}
}

/** Returns the hits of a query; empty if the run does not have the query. The hits of a run that was made in JavaScript are checked. */
export function hitsFor(run: Run, query: string): readonly Hit[] {
	const hits = run.get(query);
	if (hits === undefined || run instanceof RetrievedRun) {
		return hits ?? [];
	}
	checkHits(query, hits);
	return hits;
}

function checkHits(query: string, hits: readonly Hit[]): void {
	if (!isArray(hits)) {
		throw new RetrievalError('ERR_ARGUMENT', `run: hits of query "${query}": expected an array of {id, score}, got ${kindOf(hits)}`);
	}
	for (const [i, hit] of hits.entries()) {
		// Scores are stored as 32-bit floats.
		if (typeof hit?.id !== 'string' || typeof hit.score !== 'number' || !Number.isFinite(Math.fround(hit.score))) {
			refuseHit(`run: hits[${i}] of query "${query}"`, hit);
		}
	}
}
