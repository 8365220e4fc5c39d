import {type Binding, callSync} from '../native.ts';

/** Hits of one query by columns, best first: `scores[i]` is that of `ids[i]`. */
export interface HitColumns {
	readonly ids: string[];
	readonly scores: Float32Array;
}

/** Hits of many queries by columns. Scores are numbers side by side; ids stay in native memory until they are asked for. */
export class HitLists {
	readonly #run: Binding.NativeRun;
	/** Of all lists, one list after another. */
	readonly scores: Float32Array;
	/** `[size + 1]`: the list of query `i` is `scores.subarray(offsets[i], offsets[i + 1])`. */
	readonly offsets: Uint32Array;

	/** @internal Queries of the run are called by their positions. */
	constructor(run: Binding.NativeRun, {scores, offsets}: Binding.ScoreColumn) {
		this.#run = run;
		this.scores = scores;
		this.offsets = offsets;
	}

	/** How many queries. */
	get size(): number {
		return this.offsets.length - 1;
	}

	/** The hits of the query at a position from 0; `undefined` where there is none. */
	get(query: number): HitColumns | undefined {
		const hits = callSync(() => this.#run.get(String(query)));
		return hits === null ? undefined : {ids: idsOf(hits), scores: this.scores.subarray(this.offsets[query], this.offsets[query + 1])};
	}

	*[Symbol.iterator](): Generator<HitColumns> {
		for (let query = 0; query < this.size; query++) {
			yield this.get(query)!;
		}
	}
}

export function toColumns(hits: Binding.Hits): HitColumns {
	return {ids: idsOf(hits), scores: hits.scores};
}

function idsOf({joined, ids, scores}: Binding.Hits): string[] {
	return ids ?? (scores.length === 0 ? [] : joined!.split('\0'));
}
