// Filters for filtered search: files that say which rows are allowed. All systems get the same random subset.
import {existsSync, mkdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {cache} from '../../harness/folders.ts';

export interface Filter {
	/** A file with one byte per row, 1 if the row is allowed. */
	readonly file: string;
	/** A name for files that depend on the filter, such as the ground truth. */
	readonly name: string;
}

/** Determines which rows are allowed. */
const SEED = 20_260_103;

/**
Returns a filter that allows a random subset of the first `rows` rows: about `share` of them. Writes its file, unless it
exists. A filter with a larger share allows the same rows and more.
*/
export function filterOf(rows: number, share: number): Filter {
	if (!(share > 0 && share <= 1)) {
		throw new Error(`filter: expected a share of the rows above 0 and up to 1, got ${share}`);
	}
	const folder = join(cache, 'filters');
	const name = `${rows}-${share}`;
	const file = join(folder, `${name}.u8`);
	if (!existsSync(file)) {
		mkdirSync(folder, {recursive: true});
		writeFileSync(
			file,
			Uint8Array.from({length: rows}, (_, row) => (hash01(row) < share ? 1 : 0)),
		);
	}
	return {file, name: `filter-${share}`};
}

/** Hashes a row number to a number in [0, 1), with the finalizer of MurmurHash3 (Appleby, 2011). */
function hash01(row: number): number {
	let mixed = (row + SEED) | 0;
	mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
	mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
	return ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32;
}
