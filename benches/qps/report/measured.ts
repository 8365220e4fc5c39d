// The speeds of a record, one by one, whatever it is of.
import type {Agreement} from '../bm25/agreement.ts';
import type {Figure} from '../statistics.ts';
import {type QpsRecord, isEncoding, isText, isVectors} from './record.ts';

/** An entry at one k, and at one recall where there are recalls to reach. */
export interface Measured {
	readonly entry: string;
	/** Of BM25 and vectors, or a task of encoding. */
	readonly k: string;
	readonly recall?: number;
	/** Speeds are at least so: the least effort is above that recall. */
	readonly atLeast: boolean;
	/** Queries per second. */
	readonly wall: Figure;
	readonly cpu: Figure;
	/** How many times as fast as another, within rounds: the reference, or the fastest of those that are not passagekit. */
	readonly ratio?: {readonly to: string; readonly atLeast: boolean; readonly wall: Figure; readonly cpu: Figure};
	readonly agreement?: Agreement;
}

/** What speeds of BM25 and of encoding have in common. */
interface Alike {
	readonly wall: Figure;
	readonly cpu: Figure;
	readonly wallRatio?: Figure;
	readonly cpuRatio?: Figure;
	readonly agreement?: Agreement;
}

/** In the order of the record: entries, then k, then recalls. */
export function measured(record: QpsRecord): readonly Measured[] {
	if (isVectors(record)) {
		return record.results.flatMap(({name, curves = {}}) =>
			Object.entries(curves).flatMap(([k, {at}]) =>
				at.map(({recall, atLeast, wall, cpu, rival}) => ({
					entry: name,
					k,
					...(recall !== undefined && {recall}),
					atLeast,
					wall,
					cpu,
					...(rival && {ratio: {to: rival.name, atLeast: rival.atLeast, wall: rival.wall, cpu: rival.cpu}}),
				})),
			),
		);
	}
	if (isText(record)) {
		return [];
	}
	const {reference} = record.definition;
	const results: ReadonlyArray<{readonly name: string; readonly speed?: Readonly<Record<string, Alike>>}> = record.results;
	return results.flatMap(({name, speed = {}}) =>
		Object.entries(speed).map(([k, {wall, cpu, wallRatio, cpuRatio, agreement}]) => ({
			entry: name,
			k,
			atLeast: false,
			wall,
			cpu,
			...(wallRatio && cpuRatio && {ratio: {to: reference, atLeast: false, wall: wallRatio, cpu: cpuRatio}}),
			...(agreement && {agreement}),
		})),
	);
}

/** Seconds of building, where that is what was measured round by round. */
export function buildSeconds(record: QpsRecord): ReadonlyArray<{readonly entry: string; readonly seconds: Figure}> {
	return isVectors(record) || isEncoding(record) || isText(record)
		? []
		: record.results.flatMap(({name, seconds}) => (seconds ? [{entry: name, seconds}] : []));
}

/** A k, or a task, in words. */
export const atK = (k: string): string => (/^\d+$/u.test(k) ? `k = ${k}` : k);
