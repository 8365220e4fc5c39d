// The exact best rows of queries, and how many of them a system finds.
import {existsSync, mkdirSync, readFileSync, renameSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {cache} from '../system.ts';
import {fingerprint} from './data.ts';
import type {Filter} from './filter.ts';
import {type Place, vectorsServer} from './system.ts';

/** Best rows kept of each query. */
export const DEPTH = 100;
/** Queries whose best rows are checked in f64. */
const CHECKED = 25;

export interface Truth {
	/** Row numbers `[queries, DEPTH]`, best first by f32 scores, of equal ones the earlier row first. */
	readonly rows: Int32Array;
	readonly checked: unknown;
}

/** What passagekit's flat index finds; kept. Fails if scores in f64 say otherwise. */
export function truthOf(
	name: string,
	{rows, count, dim, similarity}: Pick<Place, 'rows' | 'count' | 'dim' | 'similarity'>,
	filter: Filter | undefined,
	queries: string,
	asked: number,
	say: (line: string) => void,
): Truth {
	const folder = join(cache, 'truth');
	mkdirSync(folder, {recursive: true});
	const file = join(folder, `${name}-${count}-${similarity}${filter ? `-${filter.name}` : ''}`);
	const stamp = JSON.stringify([fingerprint(rows, count, dim), fingerprint(queries, asked, dim), asked]);
	const kept: {stamp?: string; checked?: unknown} = existsSync(`${file}.json`) ? JSON.parse(readFileSync(`${file}.json`, 'utf8')) : {};
	let {checked} = kept;
	if (kept.stamp !== stamp) {
		say(`finding the best of ${count} rows for ${asked} queries …`);
		const request = {rows, count, dim, similarity, queries, asked, k: DEPTH, check: CHECKED, filter: filter?.file, out: `${file}.new`};
		checked = vectorsServer('truth', request);
		renameSync(`${file}.new`, `${file}.i32`);
		writeFileSync(`${file}.json`, JSON.stringify({stamp, checked}));
	}
	return {rows: readRows(`${file}.i32`), checked};
}

/** The mean share of a query's true best k that are among the k found, and of how many queries they are those, in order. */
export function judge(found: Int32Array, truth: Truth, asked: number, k: number): {readonly recall: number; readonly identical: number} {
	let [hits, identical] = [0, 0];
	for (let query = 0; query < asked; query++) {
		const best = truth.rows.subarray(query * DEPTH, query * DEPTH + k);
		const got = found.subarray(query * k, (query + 1) * k);
		const set = new Set(best);
		// A row that is found twice counts once.
		hits += [...new Set(got)].filter(row => set.has(row)).length;
		identical += got.every((row, at) => row === best[at]) ? 1 : 0;
	}
	return {recall: hits / (asked * k), identical};
}

export function readRows(file: string): Int32Array {
	const {buffer, byteOffset, byteLength} = readFileSync(file);
	return new Int32Array(buffer.slice(byteOffset, byteOffset + byteLength));
}
