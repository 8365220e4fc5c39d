/** Parts of HTML pages, with all text escaped. */
import type {Block, Column, ReportTable} from './table.ts';
import type {Label} from './format.ts';

/** Text for the content of elements and for attributes in double quotes. */
export function escaped(text: string): string {
	return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

export const labelHtml = ({text, sub}: Label): string => `${escaped(text)}${sub === undefined ? '' : `<sub>${escaped(sub)}</sub>`}`;

/** A table with its caption, in a frame that scrolls if the page is narrower than the table, also by keyboard. */
export function tableHtml(table: ReportTable): string {
	const {name, caption, stub, columns, blocks} = table;
	return [
		`<div class="scroll" role="region" tabindex="0" aria-label="${escaped(name)}">`,
		'<table>',
		`<caption><b>${escaped(name)}.</b> ${escaped(caption)}</caption>`,
		'<thead>',
		...headings(stub, columns),
		'</thead>',
		...blocks.map(block => body(block, columns)),
		'</table>',
		'</div>',
	].join('\n');
}

/** The header: one row, or two if columns are grouped. */
function headings(stub: string, columns: readonly Column[]): readonly string[] {
	const grouped = columns.some(({group}) => group !== undefined);
	const rows = grouped ? ' rowspan="2"' : '';
	const first: string[] = [`<th scope="col"${rows}>${escaped(stub)}</th>`];
	const second: string[] = [];
	for (const [i, {group, heading, kind}] of columns.entries()) {
		const style = classOf(kind, startsGroup(columns, i));
		if (group === undefined) {
			first.push(`<th scope="col"${rows}${style}>${escaped(heading)}</th>`);
			continue;
		}
		if (startsGroup(columns, i)) {
			const end = columns.findIndex((column, at) => at > i && column.group !== group);
			first.push(`<th scope="colgroup" colspan="${(end < 0 ? columns.length : end) - i}" class="group">${escaped(group)}</th>`);
		}
		second.push(`<th scope="col"${style}>${escaped(heading)}</th>`);
	}
	return [`<tr>${first.join('')}</tr>`, ...(grouped ? [`<tr>${second.join('')}</tr>`] : [])];
}

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
						const style = classOf(columns[i]?.kind, startsGroup(columns, i));
						return `<td${style}>${escaped(text)}${markers === '' ? '' : `<sup>${escaped(markers)}</sup>`}</td>`;
					})
					.join('')}</tr>`,
		),
		'</tbody>',
	].join('\n');
}

function startsGroup(columns: readonly Column[], i: number): boolean {
	return columns[i]?.group !== undefined && columns[i - 1]?.group !== columns[i].group;
}

function classOf(kind: Column['kind'], start: boolean): string {
	const classes = [kind, start && 'start'].filter(Boolean);
	return classes.length === 0 ? '' : ` class="${classes.join(' ')}"`;
}
