// A record as it was kept: of BM25, of vectors, of encoding, or a table in words.
import type {Definition as Bm25Definition, Result} from '../bm25/measure.ts';
import type {Definition as EncodingDefinition, Result as EncodingResult} from '../encoding/measure.ts';
import type {Machine} from '../machine.ts';
import type {Definition as VectorsDefinition} from '../vectors/measure.ts';
import type {Summary} from '../vectors/summary.ts';

interface Kept<Definition, Of> {
	readonly definition: Definition & {readonly name: string};
	readonly data: Readonly<Record<string, unknown>>;
	readonly machine: Machine;
	/**
	Processes that ran or wanted to, on average over 1, 5 and 15 minutes, before and after the run; and the part of the time of
	cores with work that a virtual machine's host gave to others, which older records do not have.
	*/
	readonly load: {readonly before: readonly number[]; readonly after: readonly number[]; readonly stolen?: number};
	readonly results: readonly Of[];
}

export type Bm25Record = Kept<Bm25Definition, Result>;
export type VectorsRecord = Kept<VectorsDefinition, Summary>;
export type EncodingRecord = Kept<EncodingDefinition, EncodingResult>;
/** What is a table in words, of several parts. */
export interface TextRecord extends Kept<{readonly about: string; readonly rounds: number}, never> {
	readonly text: string;
}
export type QpsRecord = Bm25Record | VectorsRecord | EncodingRecord | TextRecord;

export const isVectors = (record: QpsRecord): record is VectorsRecord => 'targets' in record.definition;
export const isText = (record: QpsRecord): record is TextRecord => 'text' in record;
export const isEncoding = (record: QpsRecord): record is EncodingRecord => 'tasks' in record.definition;

/** A record of JSON; `from` is what an error calls it. Fails where it is no record. */
export function parseRecord(json: string, from: string): QpsRecord {
	const record: Partial<QpsRecord> = JSON.parse(json);
	for (const key of ['definition', 'data', 'machine', 'load', 'results'] as const) {
		if (typeof record[key] !== 'object') {
			throw new TypeError(`${from}: expected a record of queries per second, got none with ${key}`);
		}
	}
	return record as QpsRecord;
}

/** Of the definition; single systems may have fewer. */
export function threadsOf({definition}: QpsRecord): number {
	return 'threads' in definition ? (definition.threads ?? 1) : 1;
}

/** Names of the entries that are passagekit's. */
export function ourNames(record: QpsRecord): ReadonlySet<string> {
	const entries: ReadonlyArray<{readonly name: string; readonly system: string; readonly limit?: boolean}> = isText(record)
		? []
		: record.definition.systems;
	return new Set(entries.filter(({system, limit}) => system.startsWith('passagekit') && !limit).map(({name}) => name));
}
