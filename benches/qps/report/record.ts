// A record as a run keeps it, whatever was measured. What is particular to BM25, vectors or encoding is known to their folders.
import type {Machine} from '../machine.ts';

export interface QpsRecord {
	readonly definition: {
		readonly name: string;
		readonly about: string;
		readonly rounds: number;
		readonly threads?: number;
		readonly systems?: ReadonlyArray<{readonly name: string; readonly system: string; readonly limit?: boolean}>;
	};
	readonly data: Readonly<Record<string, unknown>>;
	readonly machine: Machine;
	/**
	The average number of runnable processes over 1, 5 and 15 minutes, before and after the run; and the share of the time of busy
	cores that a virtual machine's host gave to others, which older records lack.
	*/
	readonly load: {readonly before: readonly number[]; readonly after: readonly number[]; readonly stolen?: number};
	readonly results: ReadonlyArray<{readonly name: string; readonly failed?: string; readonly threads?: number}>;
	/** The results as a table in words, for records that have no charts. */
	readonly text?: string;
}

/** A record whose definition and results are known. */
export interface Kept<Definition, Result> extends Omit<QpsRecord, 'definition' | 'results'> {
	readonly definition: Definition & {readonly name: string};
	readonly results: readonly Result[];
}

/** Parses a record. `from` names its source in errors. */
export function parseRecord(json: string, from: string): QpsRecord {
	const record: Partial<QpsRecord> = JSON.parse(json);
	for (const key of ['definition', 'data', 'machine', 'load', 'results'] as const) {
		if (typeof record[key] !== 'object') {
			throw new TypeError(`${from}: expected a record of queries per second, got none with ${key}`);
		}
	}
	return record as QpsRecord;
}

/** Threads of the definition; single systems may have fewer. */
export const threadsOf = ({definition}: {readonly definition: Pick<QpsRecord['definition'], 'threads'>}): number => definition.threads ?? 1;

/** Names of the entries that are passagekit's. */
export function ourNames({definition}: {readonly definition: Pick<QpsRecord['definition'], 'systems'>}): ReadonlySet<string> {
	const entries = definition.systems ?? [];
	return new Set(entries.filter(({system, limit}) => system.startsWith('passagekit') && !limit).map(({name}) => name));
}
