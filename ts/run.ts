import {RetrievalError} from './errors.ts';
import {hitsOf, listsFrom} from './hits.ts';
import {type Binding, callSync, native, nextTurn} from './native.ts';
import type {Hit, Run} from './types.ts';

/** A run that stays in native memory: lists become objects when they are looked at, not before. */
export class RetrievedRun implements ReadonlyMap<string, readonly Hit[]> {
	readonly #native: Binding.NativeRun;
	#queries: readonly string[] | undefined;

	/** @internal */
	constructor(run: Binding.NativeRun) {
		this.#native = run;
	}

	/** @internal */
	static handle(run: RetrievedRun): Binding.NativeRun {
		return run.#native;
	}

	get size(): number {
		return this.#native.size();
	}

	get(query: string): readonly Hit[] | undefined {
		return hitsOf(this.#native, query);
	}

	has(query: string): boolean {
		return this.#native.has(query);
	}

	forEach(callback: (hits: readonly Hit[], query: string, run: ReadonlyMap<string, readonly Hit[]>) => void, self?: unknown): void {
		for (const [query, hits] of this) {
			callback.call(self, hits, query, this);
		}
	}

	*entries(): MapIterator<[string, readonly Hit[]]> {
		const names = this.#names();
		let at = 0;
		for (const hits of this.values()) {
			yield [names[at++]!, hits];
		}
		return undefined;
	}

	keys(): MapIterator<string> {
		return this.#names()[Symbol.iterator]() as MapIterator<string>;
	}

	*values(): MapIterator<readonly Hit[]> {
		const names = this.#names();
		for (let next = 0; next < names.length; ) {
			const lists = listsFrom(this.#native, next, list => names[list]!);
			next += lists.length;
			yield* lists;
		}
		return undefined;
	}

	[Symbol.iterator](): MapIterator<[string, readonly Hit[]]> {
		return this.entries();
	}

	#names(): readonly string[] {
		this.#queries ??= this.#native.queries();
		return this.#queries;
	}
}

/** About a millisecond's worth of hits to copy. */
const HITS_A_TURN = 4000;

/** The native form of any run; one that JavaScript made is copied, a slice a turn of the event loop. */
export async function nativeRun(run: Run): Promise<Binding.NativeRun> {
	if (run instanceof RetrievedRun) {
		return RetrievedRun.handle(run);
	}
	if (!(run instanceof Map) && typeof run?.entries !== 'function') {
		throw new RetrievalError('ERR_ARGUMENT', 'run: expected a Map of query id to hits');
	}
	const builder = new native.RunBuilder();
	let queries: string[] = [];
	let counts: number[] = [];
	let ids: string[] = [];
	let scores: number[] = [];
	const flush = (): void => {
		callSync(() => builder.add(queries, Uint32Array.from(counts), ids, Float32Array.from(scores)));
		[queries, counts, ids, scores] = [[], [], [], []];
	};
	for (const [query, hits] of run) {
		queries.push(query);
		counts.push(hits.length);
		for (const {id, score} of hits) {
			if (typeof id !== 'string' || typeof score !== 'number') {
				throw new RetrievalError('ERR_ARGUMENT', `run: expected hits {id: string, score: number} for query "${query}"`);
			}
			ids.push(id);
			scores.push(score);
		}
		if (ids.length >= HITS_A_TURN) {
			flush();
			await nextTurn();
		}
	}
	flush();
	return builder.finish();
}
