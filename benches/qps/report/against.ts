// What changed from one record to another, as a part of a record's section.
import {escaped} from '../../../ts/drawing/html.ts';
import {folded} from '../../../ts/drawing/page.ts';
import {type BuildChange, type Change, type Comparison, type SpeedChange, verdict} from './compare.ts';
import {NOT_COMPARABLE, arrow} from './compare-table.ts';
import {atK} from './description.ts';
import {number} from './plot/pieces.ts';
import {type Cell, type FiguresTable, figuresTable, none, value, words} from './table-html.ts';

/** `ours` has the names of passagekit's entries. */
export function againstHtml(comparison: Comparison, ours: ReadonlySet<string>): string {
	const {older, differences, comparable, alone, builds, recalls, speeds} = comparison;
	const ks = [...new Set(speeds.map(({k}) => k))];
	return [
		'<div class="against">',
		`<h3>Against ${escaped(older.date.slice(0, 16).replace('T', ' '))} UTC, commit ${escaped(older.commit)}</h3>`,
		...(comparable
			? []
			: [`<div class="notice" role="note"><b>Not comparable.</b> ${escaped(NOT_COMPARABLE.replace(/^[^:]*: w/u, 'W'))}</div>`]),
		...(differences.length > 0
			? [
					`<ul class="aside">${differences.map(({what, older, newer, matters}) => `<li>${matters ? '<b>!</b> ' : ''}${escaped(`${what}: ${older} → ${newer}`)}</li>`).join('')}</ul>`,
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
		...alone.map(({entry, reason}) => `<p class="aside">${escaped(`${entry}: ${reason}`)}</p>`),
		'</div>',
	].join('\n');
}

function speedTable(k: string, speeds: readonly SpeedChange[], ours: ReadonlySet<string>, comparable: boolean): FiguresTable {
	const identical = speeds.some(change => change.identical);
	const recall = speeds.some(change => change.recall !== undefined);
	return {
		k: String(k),
		caption: `${atK(k)}: new compared with old. The range in brackets goes from the lowest to the highest ratio of any two rounds; a ratio is colored if its whole range is above or below 1.`,
		stub: 'system',
		columns: [
			...(recall ? [{heading: 'recall'}] : []),
			{group: 'queries per second, wall', heading: 'old'},
			{group: 'queries per second, wall', heading: 'new'},
			{group: 'new / old', heading: 'wall'},
			{group: 'new / old', heading: 'cpu'},
			...(identical ? [{heading: 'identical hits', words: true}] : []),
			{heading: '× another', words: true},
		],
		rows: speeds.map(change => ({
			name: change.entry,
			ours: ours.has(change.entry),
			cells: [
				...(recall ? [value(change.recall, String)] : []),
				value(change.wall.older.median),
				value(change.wall.newer.median),
				changeCell(change.wall, comparable, change.bound),
				changeCell(change.cpu, comparable, change.bound),
				...(identical ? [change.identical ? words(arrow(String(change.identical.older), String(change.identical.newer))) : none] : []),
				change.relative ? words(`${change.relative.older.toFixed(2)} → ${change.relative.newer.toFixed(2)} ${change.relative.to}`) : none,
			],
		})),
	};
}

function buildTable(builds: readonly BuildChange[], ours: ReadonlySet<string>): FiguresTable {
	return {
		caption: 'Indexes: new to old, of seconds of building and of bytes.',
		stub: 'system',
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
				value(rounds?.older.median ?? seconds.older),
				value(rounds?.newer.median ?? seconds.newer),
				rounds ? changeCell(rounds, false, '') : value(seconds.ratio, of => of.toFixed(2)),
				value(bytes.older / 1e6),
				value(bytes.newer / 1e6),
				value(bytes.ratio, of => of.toFixed(2)),
				words(arrow(version.older, version.newer)),
			],
		})),
	};
}

function recallTable({recalls}: Comparison, ours: ReadonlySet<string>): FiguresTable {
	return {
		caption: 'Efforts whose recall is another.',
		stub: 'system',
		columns: [{heading: 'k'}, {heading: 'effort'}, {heading: 'old'}, {heading: 'new'}],
		rows: recalls.map(({entry, k, effort, older, newer}) => ({
			name: entry,
			ours: ours.has(entry),
			cells: [value(Number(k), String), value(effort, String), value(older, of => of.toFixed(4)), value(newer, of => of.toFixed(4))],
		})),
	};
}

function changeCell(change: Change, judged: boolean, bound: string): Cell {
	const {ratio, least, most} = change;
	const side = judged ? verdict(change) : 'same';
	return {
		text: `${bound}${ratio.toFixed(2)}`,
		beside: `(${least.toFixed(2)}–${most.toFixed(2)})`,
		value: ratio,
		title: `${number(change.older.median)} → ${number(change.newer.median)}`,
		...(side !== 'same' && {style: side === 'more' ? 'better' : 'worse'}),
	};
}
