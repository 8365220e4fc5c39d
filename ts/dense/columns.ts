import {checkCount, checkMade} from '../core/checks.ts';
import {idsOf} from '../core/native/hits.ts';
import {type Binding, native} from '../core/native/native.ts';
import type {HitColumns} from '../core/types.ts';

/** Hits of many queries by columns. Scores are numbers side by side; ids stay in native memory until they are asked for. */
export class HitLists {
	readonly #run: Binding.NativeRun;
	/** Of all lists, one list after another. */
	readonly scores: Float32Array;
	/** `[size + 1]`: the list of query `i` is `scores.subarray(offsets[i], offsets[i + 1])`. */
	readonly offsets: Uint32Array;

	private constructor(run: Binding.NativeRun, columns: Binding.ScoreColumn) {
		checkMade('HitLists', run, native.NativeRun, 'searchManyColumns()');
		this.#run = run;
		this.scores = columns.scores;
		this.offsets = columns.offsets;
	}

	/** @internal The query ids of the run are their positions: `'0'`, `'1'`, …. */
	static of(run: Binding.NativeRun, columns: Binding.ScoreColumn): HitLists {
		return new HitLists(run, columns);
	}

	/** How many queries. */
	get size(): number {
		return this.offsets.length - 1;
	}

	/** The hits of the query at a position from 0; `undefined` where there is none. */
	get(query: number): HitColumns | undefined {
		checkCount('get: query', query, 0);
		const ids = idsOf(this.#run, String(query));
		return ids && {ids, scores: this.scores.subarray(this.offsets[query], this.offsets[query + 1])};
	}

	*[Symbol.iterator](): Generator<HitColumns> {
		for (let query = 0; query < this.size; query++) {
			yield this.get(query)!;
		}
	}
}
