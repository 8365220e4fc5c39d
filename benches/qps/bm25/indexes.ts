// Builds the systems' BM25 indexes and keeps them in the cache. Next to each index is its stamp: a JSON file with a
// description of the index (`Built`) and a fingerprint of the passages.
import {existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {bytesOf, cache} from '../harness/folders.ts';
import {type Analysis, Bm25System, type Entry} from './system.ts';

/** Describes an index and how it was built. */
export interface Built {
	/** The version of the system. */
	readonly version: string;
	/** The wall time of building on one core, in seconds, including reading the passages. */
	readonly seconds: number;
	/** The size of the index on disk. */
	readonly bytes: number;
	/** The peak resident memory of the process that built the index; absent if the operating system does not report it. */
	readonly peakBytes?: number | undefined;
}

/**
Describes the index of an entry's system. Builds the index first, unless the cache has one that the same version of the
system built from the same passages. `corpus` is the name of the corpus, `passages` the path of its file. `rebuild`
builds the index in any case.
*/
export async function ensureIndex(
	entry: Entry,
	corpus: string,
	passages: string,
	analysis: Analysis,
	rebuild: boolean,
	say: (line: string) => void,
): Promise<Built> {
	const stamp = stampOf(entry, corpus, analysis);
	// The index is built in a new process, so that the peak memory of the process is that of building.
	const system = new Bm25System(entry);
	try {
		const version = await system.version();
		if (!rebuild && existsSync(stamp)) {
			const {passages: stamped, ...built}: Built & {passages: string} = JSON.parse(readFileSync(stamp, 'utf8'));
			if (built.version === version && stamped === fingerprint(passages)) {
				return built;
			}
		}
		say(`building ${entry.name} …`);
		return await build(system, entry, corpus, passages, analysis);
	} finally {
		await system.close();
	}
}

/**
Builds an index, replaces the cached one if there is one, and describes the new one. `system` is the running system of
`entry`; the peak memory is that of its process since the process started.
*/
export async function build(system: Bm25System, entry: Entry, corpus: string, passages: string, analysis: Analysis): Promise<Built> {
	const folder = indexFolder(entry, corpus, analysis);
	const stamp = stampOf(entry, corpus, analysis);
	const version = await system.version();
	rmSync(stamp, {force: true});
	rmSync(folder, {recursive: true, force: true});
	mkdirSync(folder, {recursive: true});
	const seconds = await system.build(passages, folder, analysis);
	const built = {version, seconds, bytes: bytesOf(folder), peakBytes: system.peakBytes()};
	writeFileSync(stamp, JSON.stringify({...built, passages: fingerprint(passages)}));
	return built;
}

/** Returns the folder of the index of an entry's system. Entries with the same system share it. */
export function indexFolder({system}: Entry, corpus: string, analysis: Analysis): string {
	return join(cache, 'indexes', `${corpus}-${analysis}`, system);
}

/** Returns the path of an index's stamp. */
const stampOf = (entry: Entry, corpus: string, analysis: Analysis): string => `${indexFolder(entry, corpus, analysis)}.json`;

/** Identifies the content of a passage file by its size and modification time. */
function fingerprint(file: string): string {
	const {size, mtimeMs} = statSync(file);
	return `${size} ${mtimeMs}`;
}
