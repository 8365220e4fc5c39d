// Tables of measurements as HTML, for the report page. The page's script turns column headings into buttons that sort the
// rows. A `Figure` is the median over the rounds, with minimum and maximum; its ± is half the range, relative to the median.
import {escaped} from '../../../../ts/drawing/html.ts';
import {type Figure, isWide, spread} from '../../statistics/statistics.ts';
import {number, range} from '../plot/pieces.ts';

export interface FiguresTable {
	readonly caption: string;
	/** The heading of the first column, which has the names of the rows. */
	readonly rowHeading: string;
	readonly columns: readonly Column[];
	readonly rows: readonly Row[];
	/** The table is shown only while this k is selected. Without it, the table is always shown. */
	readonly k?: string;
}

export interface Column {
	readonly heading: string;
	/** A heading above several columns. Adjacent columns of the same group share it. */
	readonly group?: string;
	/** Whether the cells are words, which are aligned left and sorted alphabetically. Otherwise they are right-aligned numbers. */
	readonly words?: boolean;
}

export interface Row {
	readonly name: string;
	/** Whether the row is one of passagekit's. */
	readonly ours: boolean;
	readonly cells: readonly Cell[];
	/** Why the system was not measured. The row then shows this reason instead of cells. */
	readonly failed?: string;
}

export interface Cell {
	readonly text: string;
	/** Smaller text after the main text. */
	readonly note?: string;
	/** The value to sort by. Rows without a value come last in either order. */
	readonly value?: number | string;
	/** The tooltip. */
	readonly title?: string;
	/** `wide` marks a figure whose ± is above 10%; `better` and `worse` color a change between two records. */
	readonly style?: 'wide' | 'better' | 'worse';
}

export const emptyCell: Cell = {text: '–'};

export const textCell = (text: string | undefined): Cell => (text ? {text, value: text} : emptyCell);

export function valueCell(value: number | undefined, format: (value: number) => string = number): Cell {
	return value === undefined ? emptyCell : {text: format(value), value};
}

/** Returns a cell with the median and ±, marked if ± is above 10%. `bound`, such as ≥, is put in front of the median. */
export function figureCell(figure: Figure | undefined, bound = ''): Cell {
	return figure === undefined
		? emptyCell
		: {
				text: `${bound}${number(figure.median)}`,
				note: `±${Math.round(100 * spread(figure))}%`,
				value: figure.median,
				title: `${range(figure)}`,
				...(isWide(figure) && {style: 'wide'}),
			};
}

/** Returns a cell that says how many times as fast an entry is as another system, whose name is `to`. `bound` is put in front. */
export function ratioCell(ratio: Figure | undefined, {bound = '', to}: {readonly bound?: string; readonly to?: string} = {}): Cell {
	return ratio === undefined
		? emptyCell
		: {
				text: `${bound}${ratio.median.toFixed(2)}`,
				...(to !== undefined && {note: to}),
				value: ratio.median,
				title: `${ratio.least.toFixed(2)}–${ratio.most.toFixed(2)}`,
			};
}

export const megabytesCell = (bytes: number | undefined): Cell =>
	valueCell(bytes, value => (value / 1e6).toLocaleString('en', {minimumFractionDigits: 1, maximumFractionDigits: 1}));

/** Returns the table in a frame that can be scrolled, also with the keyboard, if the page is narrower than the table. */
export function figuresTable({caption, rowHeading, columns, rows, k}: FiguresTable): string {
	return [
		`<div class="scroll" role="region" tabindex="0" aria-label="${escaped(caption)}"${k === undefined ? '' : ` data-k="${escaped(k)}"`}>`,
		'<table class="figures">',
		`<caption>${escaped(caption)}</caption>`,
		`<thead>${headings(rowHeading, columns)}</thead>`,
		'<tbody>',
		...rows.map(row => rowHtml(row, columns)),
		'</tbody>',
		'</table>',
		'</div>',
	].join('\n');
}

/** Returns the row of column headings, below a row with the headings of groups if there are any. */
function headings(rowHeading: string, columns: readonly Column[]): string {
	const isGrouped = columns.some(({group}) => group !== undefined);
	const spanning = isGrouped ? ' rowspan="2"' : '';
	const firstRow: string[] = [`<th scope="col" data-column="0" data-words${spanning}>${escaped(rowHeading)}</th>`];
	const secondRow: string[] = [];
	for (const [i, {heading, group, words}] of columns.entries()) {
		const attributes = `scope="col" data-column="${i + 1}"${words ? ' data-words' : ''}`;
		if (group === undefined) {
			firstRow.push(`<th ${attributes}${spanning}>${escaped(heading)}</th>`);
			continue;
		}
		const start = startsGroup(columns, i);
		if (start) {
			const end = columns.findIndex((column, at) => at > i && column.group !== group);
			firstRow.push(`<th scope="colgroup" class="group" colspan="${(end < 0 ? columns.length : end) - i}">${escaped(group)}</th>`);
		}
		secondRow.push(`<th ${attributes}${start ? ' class="start"' : ''}>${escaped(heading)}</th>`);
	}
	return `<tr>${firstRow.join('')}</tr>${isGrouped ? `<tr>${secondRow.join('')}</tr>` : ''}`;
}

function rowHtml({name, ours, cells, failed}: Row, columns: readonly Column[]): string {
	const head = `<th scope="row">${escaped(name)}</th>`;
	if (failed !== undefined) {
		return `<tr class="failed">${head}<td class="words" colspan="${columns.length}"><span>not measured: ${escaped(failed)}</span></td></tr>`;
	}
	const body = cells.map(({text, note, value, title, style}, i) => {
		const classes = [columns[i]?.words && 'words', startsGroup(columns, i) && 'start', style].filter(Boolean).join(' ');
		const sortValue = value === undefined ? '' : ` data-value="${escaped(String(value))}"`;
		const small = note === undefined ? '' : ` <small>${escaped(note)}</small>`;
		return `<td${classes && ` class="${classes}"`}${sortValue}${title === undefined ? '' : ` title="${escaped(title)}"`}>${escaped(text)}${small}</td>`;
	});
	return `<tr${ours ? ' class="ours"' : ''}>${head}${body.join('')}</tr>`;
}

const startsGroup = (columns: readonly Column[], i: number): boolean =>
	columns[i]?.group !== undefined && columns[i - 1]?.group !== columns[i].group;
