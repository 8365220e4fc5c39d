// A record: the JSON file that a benchmark run writes. `QpsRecord` has the fields that all kinds of records share; each
// suite (BM25, vectors, encoding, DPR) has its own types for definitions and results.
import type {Machine} from '../../harness/machine.ts';

export interface QpsRecord {
	readonly definition: {
		readonly name: string;
		/** What is measured, in one line. */
		readonly about: string;
		readonly rounds: number;
		readonly threads?: number;
		readonly systems?: ReadonlyArray<{readonly name: string; readonly system: string; readonly limit?: boolean}>;
	};
	readonly data: Readonly<Record<string, unknown>>;
	readonly machine: Machine;
	/**
	The load averages over 1, 5 and 15 minutes, before and after the run. `stolen` is steal time: the share of the cores'
	busy time that the host of a virtual machine gave to other guests. Older records do not have `stolen`.
	*/
	readonly load: {readonly before: readonly number[]; readonly after: readonly number[]; readonly stolen?: number};
	readonly results: ReadonlyArray<{readonly name: string; readonly failed?: string; readonly threads?: number}>;
	/** The results as tables in plain text, for records without charts. */
	readonly text?: string;
}

/** A record of one suite, with that suite's types for the definition and the results. */
export interface TypedRecord<Definition, Result> extends Omit<QpsRecord, 'definition' | 'results'> {
	readonly definition: Definition & {readonly name: string};
	readonly results: readonly Result[];
}

/** Parses a record. Fails if a part is missing. `source` is the name of the record in error messages. */
export function parseRecord(json: string, source: string): QpsRecord {
	const record: Partial<QpsRecord> = JSON.parse(json);
	for (const key of ['definition', 'data', 'machine', 'load', 'results'] as const) {
		if (typeof record[key] !== 'object') {
			throw new TypeError(`${source}: expected a record of queries per second, got none with ${key}`);
		}
	}
	return record as QpsRecord;
}

/** Returns the definition's number of threads. Single-threaded systems use only one of them. */
export const threadsOf = ({definition}: {readonly definition: Pick<QpsRecord['definition'], 'threads'>}): number => definition.threads ?? 1;

/** Returns the names of passagekit's entries. */
export function ourNames({definition}: {readonly definition: Pick<QpsRecord['definition'], 'systems'>}): ReadonlySet<string> {
	const entries = definition.systems ?? [];
	return new Set(entries.filter(({system, limit}) => system.startsWith('passagekit') && !limit).map(({name}) => name));
}
