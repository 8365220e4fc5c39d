// Builds the vector indexes of the systems and keeps them in the cache. Next to each index is its stamp: a JSON file with
// the version of the system, the build times, the size, the peak memory, and a fingerprint of the rows.
import {createHash} from 'node:crypto';
import {existsSync, mkdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {bytesOf, cache} from '../harness/folders.ts';
import {fingerprint} from './data/data.ts';
import {type Entry, type Place, type Similarity, VectorSystem} from './system.ts';

/** What was measured when an index was built. */
export interface Built {
	/** The version of the system. */
	readonly version: string;
	/** The wall time of building. The process is pinned to one core per thread, unless the options have `threads`. */
	readonly seconds: number;
	/** The CPU time of the process while building. */
	readonly cpuSeconds: number;
	/** The size of the index on disk. */
	readonly bytes: number;
	/** The peak memory of the process that built the index, including the rows. */
	readonly peakBytes?: number | undefined;
	/** The peaks of the process's anonymous memory and of the memory mapped from files. They may occur at different times. */
	readonly anonBytes?: number;
	readonly fileBytes?: number;
}

/**
Returns the place of the index that an entry's system builds, or has built, over the first rows of a file. `data` is the
name of the data set. `similarity` is the definition's similarity, which the entry may override.
*/
export function placeOf(
	{system, options, similarity: entrySimilarity}: Entry,
	data: string,
	similarity: Similarity,
	rows: Pick<Place, 'rows' | 'count' | 'dim'>,
	threads = 1,
): Place {
	const used = entrySimilarity ?? similarity;
	// Several threads build a different graph than one thread does.
	const key = JSON.stringify(threads === 1 ? options : [options, threads]);
	const name = `${system}-${createHash('sha256').update(key).digest('hex').slice(0, 8)}`;
	return {...rows, threads, similarity: used, options, folder: join(cache, 'indexes', 'vectors', `${data}-${rows.count}-${used}`, name)};
}

/**
Builds the index of an entry, unless `rebuild` is false and the cache has one that the same version of the system built
from the same rows. Returns what was measured when the index was built. Fails if `filtered` is true and the system has
no filters.
*/
export async function buildUnlessCached(
	entry: Entry,
	place: Place,
	{rebuild, filtered}: {readonly rebuild: boolean; readonly filtered: boolean},
	say: (line: string) => void,
): Promise<Built> {
	const stamp = `${place.folder}.json`;
	const rows = fingerprint(place.rows, place.count, place.dim);
	// A new process, so that its peak memory is the peak while building.
	const system = new VectorSystem(entry, {threads: place.threads, pinned: entry.options['threads'] === undefined});
	try {
		const version = await system.version();
		if (filtered) {
			await system.checkFilters();
		}
		if (!rebuild && existsSync(stamp)) {
			const {rows: stamped, ...built}: Built & {rows: string} = JSON.parse(readFileSync(stamp, 'utf8'));
			if (built.version === version && stamped === rows) {
				return built;
			}
		}
		say(`building ${entry.name} …`);
		rmSync(stamp, {force: true});
		rmSync(place.folder, {recursive: true, force: true});
		mkdirSync(place.folder, {recursive: true});
		const {seconds, cpuSeconds} = await system.build(place);
		const built = {version, seconds, cpuSeconds, bytes: bytesOf(place.folder), peakBytes: system.peakBytes(), ...system.peakParts()};
		writeFileSync(stamp, JSON.stringify({...built, rows}));
		return built;
	} finally {
		await system.close();
	}
}
