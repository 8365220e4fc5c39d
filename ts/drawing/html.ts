/** Formats tables, labels and text as HTML. All text is escaped. */
import type {Block, Column, ReportTable} from './table.ts';
import type {Label} from './format.ts';

/** Escapes text for the content of elements and for attributes in double quotes. */
export function escaped(text: string): string {
	return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

/** Formats a label as HTML. */
export const labelHtml = ({text, sub}: Label): string => `${escaped(text)}${sub === undefined ? '' : `<sub>${escaped(sub)}</sub>`}`;

/**
Formats a table with its caption. If the table is wider than the page, it scrolls horizontally, also with the keyboard.
*/
export function tableHtml(table: ReportTable): string {
	const {name, caption, firstHeading, columns, blocks} = table;
	return [
		`<div class="scroll" role="region" tabindex="0" aria-label="${escaped(name)}">`,
		'<table>',
		`<caption><b>${escaped(name)}.</b> ${escaped(caption)}</caption>`,
		'<thead>',
		...headings(firstHeading, columns),
		'</thead>',
		...blocks.map(block => body(block, columns)),
		'</table>',
		'</div>',
	].join('\n');
}

/** Returns the rows of the header: one, or two if columns are grouped. */
function headings(firstHeading: string, columns: readonly Column[]): readonly string[] {
	const hasGroups = columns.some(({group}) => group !== undefined);
	const rowspan = hasGroups ? ' rowspan="2"' : '';
	const firstRow: string[] = [`<th scope="col"${rowspan}>${escaped(firstHeading)}</th>`];
	const secondRow: string[] = [];
	for (const [i, {group, heading, kind}] of columns.entries()) {
		const classAttribute = classOf(kind, startsGroup(columns, i));
		if (group === undefined) {
			firstRow.push(`<th scope="col"${rowspan}${classAttribute}>${escaped(heading)}</th>`);
			continue;
		}
		if (startsGroup(columns, i)) {
			const end = columns.findIndex((column, at) => at > i && column.group !== group);
			firstRow.push(`<th scope="colgroup" colspan="${(end < 0 ? columns.length : end) - i}" class="group">${escaped(group)}</th>`);
		}
		secondRow.push(`<th scope="col"${classAttribute}>${escaped(heading)}</th>`);
	}
	return [`<tr>${firstRow.join('')}</tr>`, ...(hasGroups ? [`<tr>${secondRow.join('')}</tr>`] : [])];
}

/** Returns the rows of a block as a `tbody` element. */
function body({heading, rows}: Block, columns: readonly Column[]): string {
	return [
		'<tbody>',
		...(heading === undefined
			? []
			: [`<tr class="block"><th scope="rowgroup" colspan="${columns.length + 1}">${escaped(heading)}</th></tr>`]),
		...rows.map(
			row =>
				`<tr><th scope="row">${labelHtml(row.heading)}</th>${row.cells
					.map(({text, markers = ''}, i) => {
						const classAttribute = classOf(columns[i]?.kind, startsGroup(columns, i));
						return `<td${classAttribute}>${escaped(text)}${markers === '' ? '' : `<sup>${escaped(markers)}</sup>`}</td>`;
					})
					.join('')}</tr>`,
		),
		'</tbody>',
	].join('\n');
}

/** Whether column `i` is the first one of its group. */
function startsGroup(columns: readonly Column[], i: number): boolean {
	return columns[i]?.group !== undefined && columns[i - 1]?.group !== columns[i].group;
}

/** Returns the `class` attribute of a cell, with a leading space; an empty string if the cell has no class. */
function classOf(kind: Column['kind'], isGroupStart: boolean): string {
	const classes = [kind, isGroupStart && 'start'].filter(Boolean);
	return classes.length === 0 ? '' : ` class="${classes.join(' ')}"`;
}
