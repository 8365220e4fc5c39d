// The description of a record: the charts, tables and speeds of the record that the report shows. Each suite (a kind of
// benchmark, such as BM25) describes its own records, so that the report does not depend on the suites.
import type {Figure} from '../../statistics/statistics.ts';
import type {Chart} from '../plot/chart.ts';
import type {FiguresTable} from '../tables/html-table.ts';
import type {QpsRecord} from './record.ts';

/**
The speed of one entry at one k; for approximate vector search, also at one recall. An entry is a system and the way in
which it is called.
*/
export interface Measured {
	readonly entry: string;
	/** The k of BM25 or vectors, or the task of encoding. */
	readonly k: string;
	readonly recall?: number;
	/** Whether the speed is a lower bound: the smallest effort already has a higher recall. */
	readonly atLeast: boolean;
	/** Queries per second of wall time. */
	readonly wall: Figure;
	/** Queries per second of CPU time. */
	readonly cpu: Figure;
	/**
	How many times as fast as another system in the same rounds: the reference, or the fastest system that is not
	passagekit. `atLeast` is that of the other system's speed.
	*/
	readonly ratio?: {readonly to: string; readonly atLeast: boolean; readonly wall: Figure; readonly cpu: Figure};
	/** The number of queries with the same hits as the reference. */
	readonly identical?: number;
}

export interface BuiltIndex {
	readonly entry: string;
	readonly version: string;
	readonly seconds: number;
	readonly bytes: number;
	/** The build time over all rounds, if building was measured. */
	readonly rounds?: Figure;
}

/** The recall at one effort. */
export interface RecallPoint {
	readonly entry: string;
	readonly k: string;
	readonly effort: number;
	readonly recall: number;
}

export interface Description {
	/** The kind of the record. Only records of the same kind can be compared. */
	readonly kind: string;
	/** What was measured, in one line. */
	readonly setting: string;
	readonly charts: readonly Chart[];
	readonly tables: readonly FiguresTable[];
	/** Tables of all efforts that were measured. They are collapsed at first. */
	readonly effortTables?: readonly FiguresTable[];
	/** In the order of the record: by entry, then k, then recall. */
	readonly measured: readonly Measured[];
	readonly indexes?: readonly BuiltIndex[];
	readonly recalls?: readonly RecallPoint[];
	/** The ratio of build times, in words, if building was measured. */
	readonly headline?: string;
}

/** A record with its description. */
export interface DescribedRecord extends Description {
	readonly record: QpsRecord;
}

/** One kind of record. There are four: those of BM25, vectors, encoding, and `dpr-table`. */
export interface RecordKind {
	/** Returns whether the record is of this kind. */
	accepts(record: QpsRecord): boolean;
	describe(record: QpsRecord): Description;
}

/** The fields that the speeds of BM25 and of encoding share. */
interface ReferencedSpeed {
	readonly wall: Figure;
	readonly cpu: Figure;
	readonly wallRatio?: Figure;
	readonly cpuRatio?: Figure;
	readonly agreement?: {readonly identical: number};
}

/** Returns the speeds of results that are compared with a reference: those of BM25 and of encoding. */
export function referencedSpeeds(
	results: ReadonlyArray<{readonly name: string; readonly speed?: Readonly<Record<string, ReferencedSpeed>>}>,
	reference: string,
): readonly Measured[] {
	return results.flatMap(({name, speed = {}}) =>
		Object.entries(speed).map(([k, {wall, cpu, wallRatio, cpuRatio, agreement}]) => ({
			entry: name,
			k,
			atLeast: false,
			wall,
			cpu,
			...(wallRatio && cpuRatio && {ratio: {to: reference, atLeast: false, wall: wallRatio, cpu: cpuRatio}}),
			...(agreement && {identical: agreement.identical}),
		})),
	);
}

/** Returns the build times, if building was measured. */
export function buildSeconds({indexes = []}: Description): ReadonlyArray<{readonly entry: string; readonly seconds: Figure}> {
	return indexes.flatMap(({entry, rounds}) => (rounds ? [{entry, seconds: rounds}] : []));
}

/** Returns `k = 10` for the k `10`, and the name of a task as it is. */
export const atK = (k: string): string => (/^\d+$/u.test(k) ? `k = ${k}` : k);

/** Returns a number of threads in words. */
export const threadsInWords = (threads: number): string => (threads === 1 ? 'one thread' : `${threads} threads`);
