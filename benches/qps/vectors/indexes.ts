// Indexes of the systems, kept in the cache with what building them took.
import {createHash} from 'node:crypto';
import {existsSync, mkdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {bytesOf, cache} from '../system.ts';
import {fingerprint} from './data.ts';
import {type Entry, type Place, type Similarity, VectorSystem} from './system.ts';

export interface Built {
	readonly version: string;
	/** Of wall time, pinned to a core for each thread unless the options have `threads`. */
	readonly seconds: number;
	/** That all threads of the process ran. */
	readonly cpuSeconds: number;
	/** Of the index on the disk. */
	readonly bytes: number;
	/** The most memory of the process that built, rows included. */
	readonly peakBytes?: number | undefined;
	/** Of that memory the most that was the process's own, and the most that was mapped from files. */
	readonly anonBytes?: number;
	readonly fileBytes?: number;
}

/** Where the index of an entry's system over the first rows of a file is, or will be. */
export function placeOf(
	{system, options, similarity: own}: Entry,
	data: string,
	similarity: Similarity,
	rows: Pick<Place, 'rows' | 'count' | 'dim'>,
	threads = 1,
): Place {
	const of = own ?? similarity;
	// Several threads make another graph.
	const made = JSON.stringify(threads === 1 ? options : [options, threads]);
	const name = `${system}-${createHash('sha256').update(made).digest('hex').slice(0, 8)}`;
	return {...rows, threads, similarity: of, options, folder: join(cache, 'indexes', 'vectors', `${data}-${rows.count}-${of}`, name)};
}

/** The index kept, if the same version made it of the same rows, or a new one. Fails first where the system cannot filter, but is to. */
export async function indexed(
	entry: Entry,
	place: Place,
	{rebuild, filtered}: {readonly rebuild: boolean; readonly filtered: boolean},
	say: (line: string) => void,
): Promise<Built> {
	const stamp = `${place.folder}.json`;
	const rows = fingerprint(place.rows, place.count, place.dim);
	// A process of its own, whose peak memory is that of building.
	const system = new VectorSystem(entry, {threads: place.threads, pinned: entry.options['threads'] === undefined});
	try {
		const version = await system.version();
		if (filtered) {
			await system.checkFilters();
		}
		if (!rebuild && existsSync(stamp)) {
			const {rows: of, ...built}: Built & {rows: string} = JSON.parse(readFileSync(stamp, 'utf8'));
			if (built.version === version && of === rows) {
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
