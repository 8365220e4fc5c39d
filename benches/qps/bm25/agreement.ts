// Whether systems find the same.
import {createReadStream} from 'node:fs';
import {createInterface} from 'node:readline';

/** Of each query, passage ids and scores, best first. */
export type Hits = ReadonlyMap<string, ReadonlyArray<readonly [id: string, score: number]>>;

export interface Agreement {
	/** Queries, of those that both were asked, that either system has hits for. */
	readonly queries: number;
	/** Queries whose hits are the same passages in the same order, with the same bits of f32 scores. */
	readonly identical: number;
	/** Mean share of the reference's first ten that are among the other's first ten. */
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

/** `asked` are the ids of the queries that both were asked. */
export function agreement(found: Hits, reference: Hits, asked: readonly string[]): Agreement {
	const queries = asked.filter(query => found.has(query) || reference.has(query));
	let identical = 0;
	let overlaps = 0;
	for (const query of queries) {
		const ours = found.get(query) ?? [];
		const theirs = reference.get(query) ?? [];
		const same = ours.length === theirs.length && ours.every(([id, score], i) => id === theirs[i]![0] && score === theirs[i]![1]);
		identical += same ? 1 : 0;
		const best = new Set(ours.slice(0, 10).map(([id]) => id));
		const expected = theirs.slice(0, 10);
		overlaps += expected.length === 0 ? 0 : expected.filter(([id]) => best.has(id)).length / expected.length;
	}
	return {queries: queries.length, identical, overlapAt10: Number((overlaps / queries.length).toFixed(4))};
}
