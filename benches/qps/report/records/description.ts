// The description of a benchmark record: the charts, tables and speeds that the report shows for it. Each suite (a kind
// of benchmark, such as BM25) describes its own records, so that the report does not depend on the suites.
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
	/** Whether the speed is a lower bound, because even the smallest effort has a higher recall than `recall`. */
	readonly atLeast: boolean;
	/** Queries (for encoding, texts) per second of wall time. */
	readonly wall: Figure;
	/** Queries (for encoding, texts) per second of CPU time. */
	readonly cpu: Figure;
	/**
	How many times as fast this entry is as another system in the same rounds. `to` is the name of the other system: the
	reference of the definition, or the fastest system other than passagekit. `atLeast` says whether the speed of the
	other system is a lower bound.
	*/
	readonly ratio?: {readonly to: string; readonly atLeast: boolean; readonly wall: Figure; readonly cpu: Figure};
	/** The number of queries for which this entry returned the same hits as the reference. */
	readonly identical?: number;
}

export interface BuiltIndex {
	readonly entry: string;
	readonly version: string;
	/** The wall time of building this index. */
	readonly seconds: number;
	/** The size on disk. */
	readonly bytes: number;
	/** The build time over all rounds, in seconds, if the rounds measured building. */
	readonly rounds?: Figure;
}

/** The recall at one effort, which is the search parameter that trades speed for recall, such as `efSearch`. */
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
	/** The speeds, in the order of the record: by entry, then k, then recall. */
	readonly measured: readonly Measured[];
	readonly indexes?: readonly BuiltIndex[];
	readonly recalls?: readonly RecallPoint[];
	/** The main result in words, if building was measured: the ratio of build times. */
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

/** The fields that the speeds of BM25 and the speeds of encoding have in common. */
interface ReferencedSpeed {
	readonly wall: Figure;
	readonly cpu: Figure;
	readonly wallRatio?: Figure;
	readonly cpuRatio?: Figure;
	readonly agreement?: {readonly identical: number};
}

/** Returns the speeds in the results of BM25 or of encoding, where `reference` is the entry that all others are compared with. */
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

/** Returns the build times of a record whose rounds measured building; otherwise, an empty list. */
export function buildSeconds({indexes = []}: Description): ReadonlyArray<{readonly entry: string; readonly seconds: Figure}> {
	return indexes.flatMap(({entry, rounds}) => (rounds ? [{entry, seconds: rounds}] : []));
}

/** Returns `k = 10` for the k `10`, and the name of an encoding task unchanged. */
export const atK = (k: string): string => (/^\d+$/u.test(k) ? `k = ${k}` : k);

/** Returns a number of threads in words. */
export const threadsInWords = (threads: number): string => (threads === 1 ? 'one thread' : `${threads} threads`);
