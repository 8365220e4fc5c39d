/** Pieces of Markdown in GitHub's dialect, with all text escaped. */
import type {ReportTable} from './table.ts';
import type {Label} from './words.ts';

/** A table and its caption below. */
export function tableBlocks({name, caption, stub, columns, blocks}: ReportTable): readonly string[] {
	const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
	const headings = columns.map(({group, heading}) => (group === undefined ? heading : `${group} ${heading}`));
	const rows = blocks.flatMap(({heading, rows}) => [
		...(heading === undefined ? [] : [line([`*${escaped(heading)}*`, ...columns.map(() => '')])]),
		...rows.map(row => line([labelled(row.heading), ...row.cells.map(({text, marks = ''}) => escaped(`${text}${marks}`))])),
	]);
	return [
		[line([stub, ...headings].map(escaped)), line(['---', ...columns.map(({kind}) => (kind === 'words' ? '---' : '---:'))]), ...rows].join(
			'\n',
		),
		`**${escaped(name)}.** ${escaped(caption)}`,
	];
}

export const labelled = ({text, sub}: Label): string => `${escaped(text)}${sub === undefined ? '' : `<sub>${escaped(sub)}</sub>`}`;

/** Text that Markdown takes for nothing but text, in a line. */
export function escaped(text: string): string {
	return text
		.replaceAll(/[\\`*_{}[\]<>#|~]/gu, character => `\\${character}`)
		.replaceAll('&', '&amp;')
		.replaceAll(/\s+/gu, ' ');
}

/** Between more backticks than it has in a row. */
export function fenced(text: string): string {
	const longest = Math.max(2, ...[...text.matchAll(/`+/gu)].map(([ticks]) => ticks.length));
	const fence = '`'.repeat(longest + 1);
	return `${fence}sh\n${text}\n${fence}`;
}
