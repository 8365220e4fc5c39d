// Finds the ground truth, which is the exact best rows of each query, with passagekit's flat index. Computes recall, which
// compares the rows that a system found with the ground truth.
import {existsSync, mkdirSync, readFileSync, renameSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {cache} from '../../harness/folders.ts';
import {type Place, vectorsServer} from '../system.ts';
import {fingerprint} from './data.ts';
import type {Filter} from './filter.ts';

/** The number of best rows that are stored per query. */
const ROWS_PER_QUERY = 100;
/** The number of queries whose best rows are checked with f64 scores. */
const CHECKED_QUERIES = 25;

export interface Truth {
	/** Row numbers `[queries, ROWS_PER_QUERY]`, best first by f32 scores. Among rows with equal scores, the earlier one comes first. */
	readonly rows: Int32Array;
	/** The result of the check with f64 scores, for the record. */
	readonly checked: unknown;
}

/**
Returns the best rows for each of the first `queryCount` queries, from the cache if possible. Fails if f64 scores
contradict the result. `name` is the name of the data set, which is part of the name of the cached file.
*/
export function truthOf(
	name: string,
	{rows, count, dim, similarity}: Pick<Place, 'rows' | 'count' | 'dim' | 'similarity'>,
	filter: Filter | undefined,
	queries: string,
	queryCount: number,
	say: (line: string) => void,
): Truth {
	const folder = join(cache, 'truth');
	mkdirSync(folder, {recursive: true});
	const file = join(folder, `${name}-${count}-${similarity}${filter ? `-${filter.name}` : ''}`);
	const stamp = JSON.stringify([fingerprint(rows, count, dim), fingerprint(queries, queryCount, dim), queryCount]);
	const cached: {stamp?: string; checked?: unknown} = existsSync(`${file}.json`) ? JSON.parse(readFileSync(`${file}.json`, 'utf8')) : {};
	let {checked} = cached;
	if (cached.stamp !== stamp) {
		say(`finding the best of ${count} rows for ${queryCount} queries …`);
		checked = vectorsServer('truth', {
			rows,
			count,
			dim,
			similarity,
			queries,
			asked: queryCount,
			k: ROWS_PER_QUERY,
			check: CHECKED_QUERIES,
			filter: filter?.file,
			out: `${file}.new`,
		});
		renameSync(`${file}.new`, `${file}.i32`);
		writeFileSync(`${file}.json`, JSON.stringify({stamp, checked}));
	}
	return {rows: readRows(`${file}.i32`), checked};
}

/**
Compares the rows that a system found, `[queryCount, k]`, with the ground truth. `recall` is the mean share of the true
best k rows that are among the k rows found. `identical` is the number of queries for which exactly the true best k rows
were found, in order.
*/
export function compareWithTruth(
	found: Int32Array,
	truth: Truth,
	queryCount: number,
	k: number,
): {readonly recall: number; readonly identical: number} {
	let [hits, identical] = [0, 0];
	for (let query = 0; query < queryCount; query++) {
		const best = truth.rows.subarray(query * ROWS_PER_QUERY, query * ROWS_PER_QUERY + k);
		const got = found.subarray(query * k, (query + 1) * k);
		const bestSet = new Set(best);
		// A row that was found twice counts once.
		hits += [...new Set(got)].filter(row => bestSet.has(row)).length;
		identical += got.every((row, rank) => row === best[rank]) ? 1 : 0;
	}
	return {recall: hits / (queryCount * k), identical};
}

/** Reads a file of row numbers. */
export function readRows(file: string): Int32Array {
	const {buffer, byteOffset, byteLength} = readFileSync(file);
	return new Int32Array(buffer.slice(byteOffset, byteOffset + byteLength));
}
