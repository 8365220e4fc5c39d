// Indexes of the systems, kept in the cache with what building them took.
import {existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {bytesOf, cache} from '../system.ts';
import {type Analysis, Bm25System, type Entry} from './system.ts';

export interface Built {
	readonly version: string;
	/** Of wall time, pinned to one core, reading the file included. */
	readonly seconds: number;
	/** Of the index on the disk. */
	readonly bytes: number;
	/** The most memory of the process that built. */
	readonly peakBytes?: number | undefined;
}

/** The index of an entry's system: the one kept, if the same version made it of the same passages, or a new one. */
export async function indexed(
	entry: Entry,
	corpus: string,
	passages: string,
	analysis: Analysis,
	rebuild: boolean,
	say: (line: string) => void,
): Promise<Built> {
	const stamp = stampOf(entry, corpus, analysis);
	// A process of its own, whose peak memory is that of building.
	const system = new Bm25System(entry);
	try {
		const version = await system.version();
		if (!rebuild && existsSync(stamp)) {
			const {passages: of, ...built}: Built & {passages: string} = JSON.parse(readFileSync(stamp, 'utf8'));
			if (built.version === version && of === fingerprint(passages)) {
				return built;
			}
		}
		say(`building ${entry.name} …`);
		return await build(system, entry, corpus, passages, analysis);
	} finally {
		await system.close();
	}
}

/** Builds an index anew. `system` runs `entry`; where it ran before, its peak memory is that of all it did. */
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

/** Where the index of an entry's system is. */
export function indexFolder({system}: Entry, corpus: string, analysis: Analysis): string {
	return join(cache, 'indexes', `${corpus}-${analysis}`, system);
}

const stampOf = (entry: Entry, corpus: string, analysis: Analysis): string => `${indexFolder(entry, corpus, analysis)}.json`;

/** Of a passage file, its length and time. */
function fingerprint(file: string): string {
	const {size, mtimeMs} = statSync(file);
	return `${size} ${mtimeMs}`;
}
