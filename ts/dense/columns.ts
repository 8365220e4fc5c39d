/** The hits of many queries as columns of ids and scores (`HitLists`), which need less memory than one object per hit. */
import {checkCount, checkFactoryMade} from '../core/checks.ts';
import {type KnownIds, joinedIdsOf} from '../core/native/hits.ts';
import {type Binding, native} from '../core/native/native.ts';
import type {HitColumns} from '../core/types.ts';

/** The hits of many queries by columns: all scores are in one typed array, and ids stay in native memory until they are read. */
export class HitLists {
	readonly #run: Binding.NativeRun;
	readonly #knownIds: KnownIds;
	/** The scores of all lists, one list after another. */
	readonly scores: Float32Array;
	/** `[size + 1]`: the scores of query `i` are `scores.subarray(offsets[i], offsets[i + 1])`. */
	readonly offsets: Uint32Array;

	private constructor(run: Binding.NativeRun, columns: Binding.ScoreColumn, knownIds: KnownIds) {
		checkFactoryMade('HitLists', run, native.NativeRun, 'searchManyColumns()');
		this.#run = run;
		this.#knownIds = knownIds;
		this.scores = columns.scores;
		this.offsets = columns.offsets;
	}

	/** @internal In `run`, the ids of the queries are their positions: `'0'`, `'1'`, …. `knownIds` are those of the index. */
	static of(run: Binding.NativeRun, columns: Binding.ScoreColumn, knownIds: KnownIds): HitLists {
		return new HitLists(run, columns, knownIds);
	}

	/** Number of queries. */
	get size(): number {
		return this.offsets.length - 1;
	}

	/** Returns the hits of the query at this position, from 0; `undefined` if there is no such query. */
	get(query: number): HitColumns | undefined {
		checkCount('get: query', query, 0);
		if (query >= this.size) {
			return undefined;
		}
		const ids = this.#knownIds.idsAt(this.#run, query) ?? joinedIdsOf(this.#run, String(query))!;
		return {ids, scores: this.scores.subarray(this.offsets[query], this.offsets[query + 1])};
	}

	/** Iterates over the hits of all queries, in the order of the queries. */
	*[Symbol.iterator](): Generator<HitColumns> {
		for (let query = 0; query < this.size; query++) {
			yield this.get(query)!;
		}
	}
}
