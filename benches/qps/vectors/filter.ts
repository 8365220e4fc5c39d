// Which rows may be found: a share of them, drawn at random, the same for all systems.
import {existsSync, mkdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {cache} from '../system.ts';

export interface Filter {
	/** A byte for each row: 1 if it may be found. */
	readonly file: string;
	/** Of the file, and of what depends on it. */
	readonly name: string;
}

const SEED = 20_260_103;

/** The filter that allows about this share of the first rows. One that allows more allows them too. */
export function filterOf(rows: number, share: number): Filter {
	if (!(share > 0 && share <= 1)) {
		throw new Error(`filter: expected a share of the rows from 0 to 1, got ${share}`);
	}
	const folder = join(cache, 'filters');
	const name = `${rows}-${share}`;
	const file = join(folder, `${name}.u8`);
	if (!existsSync(file)) {
		mkdirSync(folder, {recursive: true});
		writeFileSync(
			file,
			Uint8Array.from({length: rows}, (_, row) => (draw(row) < share ? 1 : 0)),
		);
	}
	return {file, name: `filter-${share}`};
}

/** A number from 0 to 1 of each row: the finaliser of MurmurHash3 (Appleby, 2011). */
function draw(row: number): number {
	let mixed = (row + SEED) | 0;
	mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
	mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
	return ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32;
}
