// A comparison as text.
import {table} from '../text-table.ts';
import {type Change, type Comparison, type SpeedChange, verdict} from './compare.ts';
import {number} from './plot/pieces.ts';

/** What differs, speeds, indexes, recalls, and entries of one record alone. */
export function compareTable(comparison: Comparison): string {
	const {name, newer, older, differences, speeds, builds, recalls, alone} = comparison;
	const parts = [
		`${name}: ${newer.date} (${newer.commit}) against ${older.date} (${older.commit})`,
		...(differences.length > 0
			? [differences.map(({what, older, newer, matters}) => `${matters ? '! ' : '  '}${what}: ${older} → ${newer}`).join('\n')]
			: []),
		...(comparison.comparable ? [] : [NOT_COMPARABLE]),
		...(speeds.length > 0 ? [speedTable(speeds, comparison.comparable)] : []),
		...(builds.length > 0 ? [buildTable(comparison)] : []),
		...(recalls.length > 0 ? [recallTable(comparison)] : []),
		...alone.map(({entry, reason}) => `${entry}: ${reason}`),
	];
	return parts.join('\n\n');
}

export const NOT_COMPARABLE =
	'NOT COMPARABLE: what is marked ! differs, so that ratios of new to old are not of the systems. What is within one record is: × another.';

const WORDS = {more: 'faster', less: 'slower', same: '='} as const;

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

/** As `1.10 (1.02–1.19)`. */
export const ratioOf = ({ratio, least, most}: Change): string => `${ratio.toFixed(2)} (${least.toFixed(2)}–${most.toFixed(2)})`;

export const arrow = (older: string, newer: string): string => (older === newer ? newer : `${older} → ${newer}`);
