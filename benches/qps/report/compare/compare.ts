// Compares two records of the same kind: speeds, build times, sizes of indexes, and recalls.
import type {Figure} from '../../statistics/statistics.ts';
import type {DescribedRecord, Measured} from '../records/description.ts';
import type {QpsRecord} from '../records/record.ts';
import {type Difference, differences} from './differences.ts';

export interface Comparison {
	readonly name: string;
	readonly newer: RunInfo;
	readonly older: RunInfo;
	/** Differences between the machines, commits, data and definitions of the records. */
	readonly differences: readonly Difference[];
	/** Whether ratios of new to old say something about the systems. They do not if one of the differences matters. */
	readonly comparable: boolean;
	readonly speeds: readonly SpeedChange[];
	readonly builds: readonly BuildChange[];
	/** Recalls that differ at the same effort. */
	readonly recalls: readonly RecallChange[];
	/** Entries that only one record has, or that failed in one of the records. */
	readonly unmatched: ReadonlyArray<{readonly entry: string; readonly reason: string}>;
}

/** When and from which commit a record was made. */
export type RunInfo = Pick<QpsRecord['machine'], 'date' | 'commit'>;

/** A ratio of medians, new to old. Its range goes from the smallest to the largest ratio of a new round to an old round. */
export interface Change {
	readonly older: Figure;
	readonly newer: Figure;
	readonly ratio: number;
	readonly min: number;
	readonly max: number;
}

/** The change of an entry's speed at one k (for encoding, at one task); for approximate vector search, also at one recall. */
export interface SpeedChange {
	readonly entry: string;
	readonly k: string;
	readonly recall?: number;
	/**
	Says whether the ratios are only bounds. A speed is a lower bound if even the smallest effort (the search parameter that
	trades speed for recall) has a higher recall than `recall`. `~`: both speeds are lower bounds, so nothing is known about
	the ratio. `≥`: only the new speed is. `≤`: only the old one is. Empty: neither is.
	*/
	readonly bound: '' | '~' | '≥' | '≤';
	readonly wall: Change;
	readonly cpu: Change;
	/** The number of queries with the same hits as the reference. */
	readonly identical?: {readonly older: number; readonly newer: number};
	/**
	For each record, how many times as fast the entry is as another system (`to`) in the same rounds. Among the numbers of
	this comparison, these depend least on the machine.
	*/
	readonly relative?: {readonly to: string; readonly older: number; readonly newer: number};
}

/** The change of an entry's index. */
export interface BuildChange {
	readonly entry: string;
	readonly version: {readonly older: string; readonly newer: string};
	readonly seconds: {readonly older: number; readonly newer: number; readonly ratio: number};
	readonly bytes: {readonly older: number; readonly newer: number; readonly ratio: number};
	/** The build times over all rounds, if building was measured. */
	readonly rounds?: Change;
}

/** The change of an entry's recall at one effort. */
export interface RecallChange {
	readonly entry: string;
	readonly k: string;
	readonly effort: number;
	readonly older: number;
	readonly newer: number;
}

/** Compares two records. Fails if they are of different kinds, such as BM25 and vectors. */
export function compare(newer: DescribedRecord, older: DescribedRecord): Comparison {
	const [newRecord, oldRecord] = [newer.record, older.record];
	if (newer.kind !== older.kind) {
		throw new Error(`expected two records of one kind, got ${newRecord.definition.name} and ${oldRecord.definition.name}`);
	}
	const found = differences(newRecord, oldRecord);
	return {
		name: newRecord.definition.name,
		newer: {date: newRecord.machine.date, commit: newRecord.machine.commit},
		older: {date: oldRecord.machine.date, commit: oldRecord.machine.commit},
		differences: found,
		comparable: found.every(({matters}) => !matters),
		speeds: speedChanges(newer, older),
		builds: buildChanges(newer, older),
		recalls: recallChanges(newer, older),
		unmatched: unmatched(newRecord, oldRecord),
	};
}

/** Compares two figures. */
export function change(newer: Figure, older: Figure): Change {
	return {older, newer, ratio: newer.median / older.median, min: newer.least / older.most, max: newer.most / older.least};
}

/** Says whether the whole range is above 1 (`higher`) or below 1 (`lower`), or includes 1 (`same`). */
export function verdict({min, max}: Change): 'higher' | 'lower' | 'same' {
	return min > 1 ? 'higher' : max < 1 ? 'lower' : 'same';
}

function speedChanges(newer: DescribedRecord, older: DescribedRecord): readonly SpeedChange[] {
	const olderByKey = new Map(older.measured.map(speed => [keyOf(speed), speed]));
	return newer.measured.flatMap(now => {
		const before = olderByKey.get(keyOf(now));
		if (!before) {
			return [];
		}
		const {entry, k, recall, ratio, identical} = now;
		const hasSameOther = ratio && before.ratio && ratio.to === before.ratio.to && !ratio.atLeast && !before.ratio.atLeast;
		return [
			{
				entry,
				k,
				...(recall !== undefined && {recall}),
				bound: now.atLeast && before.atLeast ? '~' : now.atLeast ? '≥' : before.atLeast ? '≤' : '',
				wall: change(now.wall, before.wall),
				cpu: change(now.cpu, before.cpu),
				...(identical !== undefined && before.identical !== undefined && {identical: {older: before.identical, newer: identical}}),
				...(hasSameOther && {relative: {to: ratio.to, older: before.ratio!.wall.median, newer: ratio.wall.median}}),
			} as const,
		];
	});
}

const keyOf = ({entry, k, recall}: Measured): string => JSON.stringify([entry, k, recall]);

function buildChanges({indexes: newer = []}: DescribedRecord, {indexes: older = []}: DescribedRecord): readonly BuildChange[] {
	return newer.flatMap(now => {
		const before = older.find(({entry}) => entry === now.entry);
		if (!before) {
			return [];
		}
		const pair = (key: 'seconds' | 'bytes') => ({older: before[key], newer: now[key], ratio: now[key] / before[key]});
		return [
			{
				entry: now.entry,
				version: {older: before.version, newer: now.version},
				seconds: pair('seconds'),
				bytes: pair('bytes'),
				...(now.rounds && before.rounds && {rounds: change(now.rounds, before.rounds)}),
			},
		];
	});
}

function recallChanges({recalls: newer = []}: DescribedRecord, {recalls: older = []}: DescribedRecord): readonly RecallChange[] {
	return newer.flatMap(({entry, k, effort, recall}) => {
		const before = older.find(point => point.entry === entry && point.k === k && point.effort === effort);
		return before && before.recall !== recall ? [{entry, k, effort, older: before.recall, newer: recall}] : [];
	});
}

function unmatched(newer: QpsRecord, older: QpsRecord): Comparison['unmatched'] {
	const names = [...new Set([...newer.results, ...older.results].map(({name}) => name))];
	const problemIn = (record: QpsRecord, name: string): string | undefined => {
		const result = record.results.find(each => each.name === name);
		return result ? result.failed && `not measured: ${result.failed}` : 'not in the record';
	};
	return names.flatMap(entry => {
		const [now, before] = [problemIn(newer, entry), problemIn(older, entry)];
		if (!now && !before) {
			return [];
		}
		return [{entry, reason: `${before ?? 'measured'} → ${now ?? 'measured'}`}];
	});
}
