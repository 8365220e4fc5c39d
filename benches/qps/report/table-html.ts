// Tables of figures as HTML; the page's script makes their headings sort them.
import {escaped} from '../../../ts/drawing/html.ts';
import {type Figure, isWide, spread} from '../statistics.ts';
import {number, range} from './plot/pieces.ts';

export interface FiguresTable {
	readonly caption: string;
	/** Of the column of names. */
	readonly stub: string;
	readonly columns: readonly Column[];
	readonly rows: readonly Row[];
	/** Shown where this k is chosen; without, always. */
	readonly k?: string;
}

export interface Column {
	readonly heading: string;
	/** Columns of one group that stand beside each other share a heading. */
	readonly group?: string;
	/** Words stand to the left, and are sorted as such. */
	readonly words?: boolean;
}

export interface Row {
	readonly name: string;
	readonly ours: boolean;
	readonly cells: readonly Cell[];
	/** Why there is nothing else. */
	readonly failed?: string;
}

export interface Cell {
	readonly text: string;
	/** Beside the text, smaller. */
	readonly beside?: string;
	/** To sort by; without, the row stays last. */
	readonly value?: number | string;
	/** When it is pointed at. */
	readonly title?: string;
	readonly style?: 'wide' | 'better' | 'worse';
}

export const none: Cell = {text: '–'};

export const words = (text: string | undefined): Cell => (text ? {text, value: text} : none);

export function value(of: number | undefined, shown: (value: number) => string = number): Cell {
	return of === undefined ? none : {text: shown(of), value: of};
}

/** Median, and ± what is half of least to most, marked where that is wide; `bound` stands before. */
export function figureCell(figure: Figure | undefined, bound = ''): Cell {
	return figure === undefined
		? none
		: {
				text: `${bound}${number(figure.median)}`,
				beside: `±${Math.round(100 * spread(figure))}%`,
				value: figure.median,
				title: `${range(figure)}`,
				...(isWide(figure) && {style: 'wide'}),
			};
}

/** How many times as fast; `to` is what it is compared with. */
export function ratioCell(ratio: Figure | undefined, {bound = '', to}: {readonly bound?: string; readonly to?: string} = {}): Cell {
	return ratio === undefined
		? none
		: {
				text: `${bound}${ratio.median.toFixed(2)}`,
				...(to !== undefined && {beside: to}),
				value: ratio.median,
				title: `${ratio.least.toFixed(2)}–${ratio.most.toFixed(2)}`,
			};
}

export const megabytes = (bytes: number | undefined): Cell =>
	value(bytes, of => (of / 1e6).toLocaleString('en', {minimumFractionDigits: 1, maximumFractionDigits: 1}));

/** In a frame of its own that scrolls, where the page is narrower than the table, by keys too. */
export function figuresTable({caption, stub, columns, rows, k}: FiguresTable): string {
	return [
		`<div class="scroll" role="region" tabindex="0" aria-label="${escaped(caption)}"${k === undefined ? '' : ` data-k="${escaped(k)}"`}>`,
		'<table class="figures">',
		`<caption>${escaped(caption)}</caption>`,
		`<thead>${headings(stub, columns)}</thead>`,
		'<tbody>',
		...rows.map(row => rowHtml(row, columns)),
		'</tbody>',
		'</table>',
		'</div>',
	].join('\n');
}

function headings(stub: string, columns: readonly Column[]): string {
	const grouped = columns.some(({group}) => group !== undefined);
	const spanning = grouped ? ' rowspan="2"' : '';
	const first: string[] = [`<th scope="col" data-column="0" data-words${spanning}>${escaped(stub)}</th>`];
	const second: string[] = [];
	for (const [i, {heading, group, words}] of columns.entries()) {
		const cell = `scope="col" data-column="${i + 1}"${words ? ' data-words' : ''}`;
		if (group === undefined) {
			first.push(`<th ${cell}${spanning}>${escaped(heading)}</th>`);
			continue;
		}
		const start = startsGroup(columns, i);
		if (start) {
			const end = columns.findIndex((column, at) => at > i && column.group !== group);
			first.push(`<th scope="colgroup" class="group" colspan="${(end < 0 ? columns.length : end) - i}">${escaped(group)}</th>`);
		}
		second.push(`<th ${cell}${start ? ' class="start"' : ''}>${escaped(heading)}</th>`);
	}
	return `<tr>${first.join('')}</tr>${grouped ? `<tr>${second.join('')}</tr>` : ''}`;
}

function rowHtml({name, ours, cells, failed}: Row, columns: readonly Column[]): string {
	const head = `<th scope="row">${escaped(name)}</th>`;
	if (failed !== undefined) {
		return `<tr class="failed">${head}<td class="words" colspan="${columns.length}"><span>not measured: ${escaped(failed)}</span></td></tr>`;
	}
	const body = cells.map(({text, beside, value, title, style}, i) => {
		const classes = [columns[i]?.words && 'words', startsGroup(columns, i) && 'start', style].filter(Boolean).join(' ');
		const sorted = value === undefined ? '' : ` data-value="${escaped(String(value))}"`;
		const small = beside === undefined ? '' : ` <small>${escaped(beside)}</small>`;
		return `<td${classes && ` class="${classes}"`}${sorted}${title === undefined ? '' : ` title="${escaped(title)}"`}>${escaped(text)}${small}</td>`;
	});
	return `<tr${ours ? ' class="ours"' : ''}>${head}${body.join('')}</tr>`;
}

const startsGroup = (columns: readonly Column[], i: number): boolean =>
	columns[i]?.group !== undefined && columns[i - 1]?.group !== columns[i].group;
