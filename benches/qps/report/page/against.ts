// The part of a record's section that shows how the record differs from an older one.
import {escaped} from '../../../../ts/drawing/html.ts';
import {folded} from '../../../../ts/drawing/page.ts';
import {NOT_COMPARABLE, arrow} from '../compare/compare-table.ts';
import {type BuildChange, type Change, type Comparison, type SpeedChange, verdict} from '../compare/compare.ts';
import {number} from '../plot/pieces.ts';
import {atK} from '../records/description.ts';
import {type Cell, type FiguresTable, emptyCell, figuresTable, textCell, valueCell} from '../tables/html-table.ts';

/**
Returns HTML with differences, speeds, builds, recalls, and unmatched entries. `ours` are the names of passagekit's
entries.
*/
export function againstHtml(comparison: Comparison, ours: ReadonlySet<string>): string {
	const {older, differences, comparable, unmatched, builds, recalls, speeds} = comparison;
	const ks = [...new Set(speeds.map(({k}) => k))];
	return [
		'<div class="against">',
		`<h3>Against ${escaped(older.date.slice(0, 16).replace('T', ' '))} UTC, commit ${escaped(older.commit)}</h3>`,
		...(comparable ? [] : [`<div class="notice" role="note"><b>Not comparable:</b> ${escaped(NOT_COMPARABLE)}</div>`]),
		...(differences.length > 0
			? [
					`<ul class="aside">${differences.map(({path, older, newer, matters}) => `<li>${matters ? '<b>!</b> ' : ''}${escaped(`${path}: ${older} → ${newer}`)}</li>`).join('')}</ul>`,
				]
			: []),
		...ks.map(k =>
			figuresTable(
				speedTable(
					k,
					speeds.filter(change => change.k === k),
					ours,
					comparable,
				),
			),
		),
		...(builds.length > 0 ? [figuresTable(buildTable(builds, ours))] : []),
		...(recalls.length > 0 ? [folded('Recalls that changed', [figuresTable(recallTable(comparison, ours))])] : []),
		...unmatched.map(({entry, reason}) => `<p class="aside">${escaped(`${entry}: ${reason}`)}</p>`),
		'</div>',
	].join('\n');
}

/** Returns the table of speeds at one k. */
function speedTable(k: string, speeds: readonly SpeedChange[], ours: ReadonlySet<string>, comparable: boolean): FiguresTable {
	const hasIdentical = speeds.some(change => change.identical);
	const hasRecall = speeds.some(change => change.recall !== undefined);
	return {
		k: String(k),
		caption: `${atK(k)}: new compared with old. The range in brackets goes from the lowest to the highest ratio of a new round to an old round${comparable ? '; a ratio is colored if its whole range is above or below 1' : ''}.`,
		rowHeading: 'system',
		columns: [
			...(hasRecall ? [{heading: 'recall'}] : []),
			{group: 'queries per second, wall', heading: 'old'},
			{group: 'queries per second, wall', heading: 'new'},
			{group: 'new / old', heading: 'wall'},
			{group: 'new / old', heading: 'cpu'},
			...(hasIdentical ? [{heading: 'identical hits', words: true}] : []),
			{heading: '× another', words: true},
		],
		rows: speeds.map(({entry, recall, wall, cpu, bound, identical, relative}) => ({
			name: entry,
			ours: ours.has(entry),
			cells: [
				...(hasRecall ? [valueCell(recall, String)] : []),
				valueCell(wall.older.median),
				valueCell(wall.newer.median),
				changeCell(wall, comparable, bound),
				changeCell(cpu, comparable, bound),
				...(hasIdentical ? [identical ? textCell(arrow(String(identical.older), String(identical.newer))) : emptyCell] : []),
				relative ? textCell(`${relative.older.toFixed(2)} → ${relative.newer.toFixed(2)} ${relative.to}`) : emptyCell,
			],
		})),
	};
}

function buildTable(builds: readonly BuildChange[], ours: ReadonlySet<string>): FiguresTable {
	return {
		caption: 'Indexes: build time and size, new compared with old.',
		rowHeading: 'system',
		columns: [
			{group: 'build s', heading: 'old'},
			{group: 'build s', heading: 'new'},
			{group: 'build s', heading: 'new / old'},
			{group: 'MB', heading: 'old'},
			{group: 'MB', heading: 'new'},
			{group: 'MB', heading: 'new / old'},
			{heading: 'version', words: true},
		],
		rows: builds.map(({entry, version, seconds, bytes, rounds}) => ({
			name: entry,
			ours: ours.has(entry),
			cells: [
				valueCell(rounds?.older.median ?? seconds.older),
				valueCell(rounds?.newer.median ?? seconds.newer),
				rounds ? changeCell(rounds, false, '') : valueCell(seconds.ratio, ratio => ratio.toFixed(2)),
				valueCell(bytes.older / 1e6),
				valueCell(bytes.newer / 1e6),
				valueCell(bytes.ratio, ratio => ratio.toFixed(2)),
				textCell(arrow(version.older, version.newer)),
			],
		})),
	};
}

function recallTable({recalls}: Comparison, ours: ReadonlySet<string>): FiguresTable {
	const decimals = (recall: number): string => recall.toFixed(4);
	return {
		caption: 'Recalls that differ at the same effort.',
		rowHeading: 'system',
		columns: [{heading: 'k'}, {heading: 'effort'}, {heading: 'old'}, {heading: 'new'}],
		rows: recalls.map(({entry, k, effort, older, newer}) => ({
			name: entry,
			ours: ours.has(entry),
			cells: [valueCell(Number(k), String), valueCell(effort, String), valueCell(older, decimals), valueCell(newer, decimals)],
		})),
	};
}

/** Returns a cell with a ratio and its range. If `colored`, the color of the cell says on which side of 1 the whole range is. */
function changeCell(change: Change, colored: boolean, bound: string): Cell {
	const {ratio, min, max} = change;
	const side = colored ? verdict(change) : 'same';
	return {
		text: `${bound}${ratio.toFixed(2)}`,
		note: `(${min.toFixed(2)}–${max.toFixed(2)})`,
		value: ratio,
		title: `${number(change.older.median)} → ${number(change.newer.median)}`,
		...(side !== 'same' && {style: side === 'higher' ? 'better' : 'worse'}),
	};
}
