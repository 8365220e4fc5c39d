// A comparison of two records as plain text.
import {number} from '../plot/pieces.ts';
import {table} from '../tables/text-table.ts';
import {type Change, type Comparison, type SpeedChange, verdict} from './compare.ts';

/** Returns differences, speeds, indexes, recalls, and entries that are not measured in both records. */
export function compareTable(comparison: Comparison): string {
	const {name, newer, older, differences, speeds, builds, recalls, unmatched} = comparison;
	const parts = [
		`${name}: ${newer.date} (${newer.commit}) against ${older.date} (${older.commit})`,
		...(differences.length > 0
			? [differences.map(({path, older, newer, matters}) => `${matters ? '! ' : '  '}${path}: ${older} → ${newer}`).join('\n')]
			: []),
		...(comparison.comparable ? [] : [`NOT COMPARABLE: ${NOT_COMPARABLE}`]),
		...(speeds.length > 0 ? [speedTable(speeds, comparison.comparable)] : []),
		...(builds.length > 0 ? [buildTable(comparison)] : []),
		...(recalls.length > 0 ? [recallTable(comparison)] : []),
		...unmatched.map(({entry, reason}) => `${entry}: ${reason}`),
	];
	return parts.join('\n\n');
}

/** Explains why two records are not comparable. */
export const NOT_COMPARABLE =
	'the values marked ! differ, so ratios of new to old say nothing about the systems. Ratios to another system within one record (× another) are still useful.';

const WORDS = {higher: 'faster', lower: 'slower', same: '='} as const;

function speedTable(speeds: readonly SpeedChange[], comparable: boolean): string {
	const rows = speeds.map(({entry, k, recall, bound, wall, cpu, identical, relative}) => [
		entry,
		`${k}${recall === undefined ? '' : ` ${recall}`}`,
		number(wall.older.median),
		number(wall.newer.median),
		`${bound}${ratioOf(wall)}`,
		`${bound}${ratioOf(cpu)}`,
		comparable ? WORDS[verdict(wall)] : '',
		identical ? arrow(String(identical.older), String(identical.newer)) : '',
		relative ? `${relative.older.toFixed(2)} → ${relative.newer.toFixed(2)} ${relative.to}` : '',
	]);
	return table(['speed', 'k, recall', 'q/s old', 'q/s new', 'wall new/old', 'cpu new/old', '', 'identical', '× another'], rows);
}

function buildTable({builds}: Comparison): string {
	const rows = builds.map(({entry, seconds, bytes, rounds, version}) => [
		entry,
		`${number(rounds?.older.median ?? seconds.older)} → ${number(rounds?.newer.median ?? seconds.newer)}`,
		rounds ? ratioOf(rounds) : seconds.ratio.toFixed(2),
		`${(bytes.older / 1e6).toFixed(1)} → ${(bytes.newer / 1e6).toFixed(1)}`,
		bytes.ratio.toFixed(2),
		arrow(version.older, version.newer),
	]);
	return table(['index', 'build s', 'new/old', 'MB', 'new/old', 'version'], rows);
}

function recallTable({recalls}: Comparison): string {
	const rows = recalls.map(({entry, k, effort, older, newer}) => [entry, `${k}`, `${effort}`, older.toFixed(4), newer.toFixed(4)]);
	return table(['recall', 'k', 'effort', 'old', 'new'], rows);
}

/** Returns a ratio with its range, such as `1.10 (1.02–1.19)`. */
const ratioOf = ({ratio, min, max}: Change): string => `${ratio.toFixed(2)} (${min.toFixed(2)}–${max.toFixed(2)})`;

/** Returns `old → new`, or the value if both are the same. */
export const arrow = (older: string, newer: string): string => (older === newer ? newer : `${older} → ${newer}`);
