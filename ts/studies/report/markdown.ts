/**
Formats parts of pages in GitHub Flavored Markdown: tables, labels, text and code. All text is escaped, except in code
blocks, whose content Markdown does not interpret.
*/
import type {Label} from '../../drawing/format.ts';
import type {ReportTable} from '../../drawing/table.ts';

/** Returns two blocks of Markdown: the table and its caption. */
export function tableMarkdown({name, caption, firstHeading, columns, blocks}: ReportTable): readonly string[] {
	const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
	const headings = columns.map(({group, heading}) => (group === undefined ? heading : `${group} ${heading}`));
	const rows = blocks.flatMap(({heading, rows}) => [
		...(heading === undefined ? [] : [line([`*${escaped(heading)}*`, ...columns.map(() => '')])]),
		...rows.map(row => line([labelMarkdown(row.heading), ...row.cells.map(({text, markers = ''}) => escaped(`${text}${markers}`))])),
	]);
	return [
		[
			line([firstHeading, ...headings].map(escaped)),
			line(['---', ...columns.map(({kind}) => (kind === 'words' ? '---' : '---:'))]),
			...rows,
		].join('\n'),
		`**${escaped(name)}.** ${escaped(caption)}`,
	];
}

/** Formats a label, with its subscript if it has one. */
export const labelMarkdown = ({text, sub}: Label): string => `${escaped(text)}${sub === undefined ? '' : `<sub>${escaped(sub)}</sub>`}`;

/**
Escapes the characters that Markdown interprets, and replaces white space, including line breaks, with single spaces.
*/
export function escaped(text: string): string {
	return text
		.replaceAll(/[\\`*_{}[\]<>#|~]/gu, character => `\\${character}`)
		.replaceAll('&', '&amp;')
		.replaceAll(/\s+/gu, ' ');
}

/**
Returns a fenced block of shell code. The fence is longer than any sequence of backticks in `text`, so `text` cannot end
the block.
*/
export function fenced(text: string): string {
	const longest = Math.max(2, ...[...text.matchAll(/`+/gu)].map(([ticks]) => ticks.length));
	const fence = '`'.repeat(longest + 1);
	return `${fence}sh\n${text}\n${fence}`;
}
