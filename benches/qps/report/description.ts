// What the report shows of a record. Each part of the benchmarks describes its own records, so that the report knows none of them.
import type {Figure} from '../statistics.ts';
import type {Chart} from './plot/chart.ts';
import type {QpsRecord} from './record.ts';
import type {FiguresTable} from './table-html.ts';

/** The speed of one entry at one k, and at one recall where recalls are compared. */
export interface Measured {
	readonly entry: string;
	/** A k of BM25 or vectors, or a task of encoding. */
	readonly k: string;
	readonly recall?: number;
	/** Whether the speed is a lower bound: the smallest effort already has a higher recall. */
	readonly atLeast: boolean;
	/** Queries per second. */
	readonly wall: Figure;
	readonly cpu: Figure;
	/** The ratio to another system, within rounds: the reference, or the fastest system that is not passagekit. */
	readonly ratio?: {readonly to: string; readonly atLeast: boolean; readonly wall: Figure; readonly cpu: Figure};
	/** Queries whose hits are those of the reference. */
	readonly identical?: number;
}

export interface BuiltIndex {
	readonly entry: string;
	readonly version: string;
	readonly seconds: number;
	readonly bytes: number;
	/** Seconds per round, if building is what was measured. */
	readonly rounds?: Figure;
}

/** The recall that one effort gives. */
export interface RecallPoint {
	readonly entry: string;
	readonly k: string;
	readonly effort: number;
	readonly recall: number;
}

export interface Description {
	/** The name of the kind of record: only records of one kind are compared. */
	readonly kind: string;
	/** What was measured, in a line. */
	readonly setting: string;
	readonly charts: readonly Chart[];
	readonly tables: readonly FiguresTable[];
	/** Tables of all efforts that were measured, shown folded. */
	readonly effortTables?: readonly FiguresTable[];
	/** In the order of the record: entries, then k, then recalls. */
	readonly measured: readonly Measured[];
	readonly indexes?: readonly BuiltIndex[];
	readonly recalls?: readonly RecallPoint[];
	/** The ratio of building times, in words, if building is what was measured. */
	readonly headline?: string;
}

/** A record with its description. */
export interface DescribedRecord extends Description {
	readonly record: QpsRecord;
}

/** One kind of record. */
export interface RecordKind {
	accepts(record: QpsRecord): boolean;
	describe(record: QpsRecord): Description;
}

/** What speeds that are compared with a reference have in common. */
interface ReferencedSpeed {
	readonly wall: Figure;
	readonly cpu: Figure;
	readonly wallRatio?: Figure;
	readonly cpuRatio?: Figure;
	readonly agreement?: {readonly identical: number};
}

/** Speeds of results that are compared with a reference, as those of BM25 and of encoding are. */
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

/** Seconds of building, where that is what was measured round by round. */
export function buildSeconds({indexes = []}: Description): ReadonlyArray<{readonly entry: string; readonly seconds: Figure}> {
	return indexes.flatMap(({entry, rounds}) => (rounds ? [{entry, seconds: rounds}] : []));
}

/** A k, or a task, in words. */
export const atK = (k: string): string => (/^\d+$/u.test(k) ? `k = ${k}` : k);

/** The number of threads of a definition, in words. */
export const threadsInWords = (threads: number): string => (threads === 1 ? 'one thread' : `${threads} threads`);
