// Compares the hits of a BM25 system with those of the reference: the system that all others are compared with.
import {createReadStream} from 'node:fs';
import {createInterface} from 'node:readline';

/** Query id → passage ids and scores, best first. */
export type Hits = ReadonlyMap<string, ReadonlyArray<readonly [id: string, score: number]>>;

/** How well the hits of a system agree with those of the reference. */
export interface Agreement {
	/** The number of queries that both systems received and for which at least one of them has hits. */
	readonly queries: number;
	/** The number of these queries for which both systems have the same passages in the same order, with identical f32 scores. */
	readonly identical: number;
	/** The mean share of the reference's first ten hits that are among the system's first ten; 0 for queries without hits of the reference. */
	readonly overlapAt10: number;
}

/** Reads lines of `query<TAB>passage<TAB>score`. */
export async function readHits(path: string): Promise<Hits> {
	const hits = new Map<string, Array<readonly [string, number]>>();
	for await (const line of createInterface({input: createReadStream(path)})) {
		const [query, id, score] = line.split('\t');
		let list = hits.get(query!);
		if (!list) {
			list = [];
			hits.set(query!, list);
		}
		list.push([id!, Math.fround(Number(score))]);
	}
	return hits;
}

/** Compares a system's hits with the reference's. `queryIds` are the ids of the queries that both systems received. */
export function agreement(found: Hits, reference: Hits, queryIds: readonly string[]): Agreement {
	const queries = queryIds.filter(query => found.has(query) || reference.has(query));
	let identical = 0;
	let overlapSum = 0;
	for (const query of queries) {
		const hits = found.get(query) ?? [];
		const expected = reference.get(query) ?? [];
		const same = hits.length === expected.length && hits.every(([id, score], i) => id === expected[i]![0] && score === expected[i]![1]);
		identical += same ? 1 : 0;
		const top10 = new Set(hits.slice(0, 10).map(([id]) => id));
		const expected10 = expected.slice(0, 10);
		overlapSum += expected10.length === 0 ? 0 : expected10.filter(([id]) => top10.has(id)).length / expected10.length;
	}
	return {queries: queries.length, identical, overlapAt10: Number((overlapSum / queries.length).toFixed(4))};
}
