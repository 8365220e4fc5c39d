// What changed from one record of a definition to another.
import type {Figure} from '../statistics.ts';
import {type Difference, differences} from './differences.ts';
import type {DescribedRecord, Measured} from './description.ts';
import type {QpsRecord} from './record.ts';

export interface Comparison {
	readonly name: string;
	readonly newer: Side;
	readonly older: Side;
	/** Of machine, commit, data, definition. */
	readonly differences: readonly Difference[];
	/** Whether ratios say something of the systems: not where a difference that matters is among these. */
	readonly comparable: boolean;
	readonly speeds: readonly SpeedChange[];
	readonly builds: readonly BuildChange[];
	/** Of points of the same effort whose recall is another. */
	readonly recalls: readonly RecallChange[];
	/** Entries of one record alone, or that failed in one. */
	readonly alone: ReadonlyArray<{readonly entry: string; readonly reason: string}>;
}

/** A record, as comparisons call it. */
export type Side = Pick<QpsRecord['machine'], 'date' | 'commit'>;

/** `ratio` is new to old, of medians; the range is the least that rounds allow, and the most. */
export interface Change {
	readonly older: Figure;
	readonly newer: Figure;
	readonly ratio: number;
	readonly least: number;
	readonly most: number;
}

export interface SpeedChange {
	readonly entry: string;
	readonly k: string;
	readonly recall?: number;
	/** Where speeds are of a least effort, above that recall: `~` both, `≥` the new one, `≤` the old one. */
	readonly bound: '' | '~' | '≥' | '≤';
	readonly wall: Change;
	readonly cpu: Change;
	/** Of the hits of all queries, those that are the reference's. */
	readonly identical?: {readonly older: number; readonly newer: number};
	/** Times as fast as the same other, within rounds: what machines change least. */
	readonly relative?: {readonly to: string; readonly older: number; readonly newer: number};
}

export interface BuildChange {
	readonly entry: string;
	readonly version: {readonly older: string; readonly newer: string};
	readonly seconds: {readonly older: number; readonly newer: number; readonly ratio: number};
	readonly bytes: {readonly older: number; readonly newer: number; readonly ratio: number};
	/** Where building is what was measured. */
	readonly rounds?: Change;
}

export interface RecallChange {
	readonly entry: string;
	readonly k: string;
	readonly effort: number;
	readonly older: number;
	readonly newer: number;
}

/** Fails if the records are of different kinds: BM25, vectors, encoding. */
export function compare(newer: DescribedRecord, older: DescribedRecord): Comparison {
	const [now, before] = [newer.record, older.record];
	if (newer.kind !== older.kind) {
		throw new Error(`expected two records of one kind, got ${now.definition.name} and ${before.definition.name}`);
	}
	const found = differences(now, before);
	return {
		name: now.definition.name,
		newer: {date: now.machine.date, commit: now.machine.commit},
		older: {date: before.machine.date, commit: before.machine.commit},
		differences: found,
		comparable: found.every(({matters}) => !matters),
		speeds: speedChanges(newer, older),
		builds: buildChanges(newer, older),
		recalls: recallChanges(newer, older),
		alone: alone(now, before),
	};
}

export function change(newer: Figure, older: Figure): Change {
	return {older, newer, ratio: newer.median / older.median, least: newer.least / older.most, most: newer.most / older.least};
}

/** Whether all of the range is on one side of 1. */
export function verdict({least, most}: Change): 'more' | 'less' | 'same' {
	return least > 1 ? 'more' : most < 1 ? 'less' : 'same';
}

function speedChanges(newer: DescribedRecord, older: DescribedRecord): readonly SpeedChange[] {
	const before = new Map(older.measured.map(one => [keyOf(one), one]));
	return newer.measured.flatMap(after => {
		const was = before.get(keyOf(after));
		if (!was) {
			return [];
		}
		const {entry, k, recall, ratio, identical} = after;
		const alike = ratio && was.ratio && ratio.to === was.ratio.to && !ratio.atLeast && !was.ratio.atLeast;
		return [
			{
				entry,
				k,
				...(recall !== undefined && {recall}),
				bound: after.atLeast && was.atLeast ? '~' : after.atLeast ? '≥' : was.atLeast ? '≤' : '',
				wall: change(after.wall, was.wall),
				cpu: change(after.cpu, was.cpu),
				...(identical !== undefined && was.identical !== undefined && {identical: {older: was.identical, newer: identical}}),
				...(alike && {relative: {to: ratio.to, older: was.ratio!.wall.median, newer: ratio.wall.median}}),
			} as const,
		];
	});
}

const keyOf = ({entry, k, recall}: Measured): string => JSON.stringify([entry, k, recall]);

function buildChanges({indexes: newer = []}: DescribedRecord, {indexes: older = []}: DescribedRecord): readonly BuildChange[] {
	return newer.flatMap(now => {
		const was = older.find(({entry}) => entry === now.entry);
		if (!was) {
			return [];
		}
		const pair = (of: 'seconds' | 'bytes') => ({older: was[of], newer: now[of], ratio: now[of] / was[of]});
		return [
			{
				entry: now.entry,
				version: {older: was.version, newer: now.version},
				seconds: pair('seconds'),
				bytes: pair('bytes'),
				...(now.rounds && was.rounds && {rounds: change(now.rounds, was.rounds)}),
			},
		];
	});
}

function recallChanges({recalls: newer = []}: DescribedRecord, {recalls: older = []}: DescribedRecord): readonly RecallChange[] {
	return newer.flatMap(({entry, k, effort, recall}) => {
		const was = older.find(point => point.entry === entry && point.k === k && point.effort === effort);
		return was && was.recall !== recall ? [{entry, k, effort, older: was.recall, newer: recall}] : [];
	});
}

function alone(newer: QpsRecord, older: QpsRecord): Comparison['alone'] {
	const names = [...new Set([...newer.results, ...older.results].map(({name}) => name))];
	const stateOf = (record: QpsRecord, name: string): string | undefined => {
		const result = record.results.find(other => other.name === name);
		return result ? result.failed && `not measured: ${result.failed}` : 'not there';
	};
	return names.flatMap(entry => {
		const [now, was] = [stateOf(newer, entry), stateOf(older, entry)];
		if (!now && !was) {
			return [];
		}
		return [{entry, reason: `${was ?? 'measured'} → ${now ?? 'measured'}`}];
	});
}
