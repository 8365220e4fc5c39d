/** Parts of Markdown in GitHub's dialect, with all text escaped. */
import type {Label} from '../../drawing/format.ts';
import type {ReportTable} from '../../drawing/table.ts';

/** A table, and its caption below. */
export function tableMarkdown({name, caption, stub, columns, blocks}: ReportTable): readonly string[] {
	const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
	const headings = columns.map(({group, heading}) => (group === undefined ? heading : `${group} ${heading}`));
	const rows = blocks.flatMap(({heading, rows}) => [
		...(heading === undefined ? [] : [line([`*${escaped(heading)}*`, ...columns.map(() => '')])]),
		...rows.map(row => line([labelMarkdown(row.heading), ...row.cells.map(({text, markers = ''}) => escaped(`${text}${markers}`))])),
	]);
	return [
		[line([stub, ...headings].map(escaped)), line(['---', ...columns.map(({kind}) => (kind === 'words' ? '---' : '---:'))]), ...rows].join(
			'\n',
		),
		`**${escaped(name)}.** ${escaped(caption)}`,
	];
}

export const labelMarkdown = ({text, sub}: Label): string => `${escaped(text)}${sub === undefined ? '' : `<sub>${escaped(sub)}</sub>`}`;

/** Text in one line, without characters that Markdown interprets. */
export function escaped(text: string): string {
	return text
		.replaceAll(/[\\`*_{}[\]<>#|~]/gu, character => `\\${character}`)
		.replaceAll('&', '&amp;')
		.replaceAll(/\s+/gu, ' ');
}

/** A block of shell code, fenced by more backticks than the text has in a row. */
export function fenced(text: string): string {
	const longest = Math.max(2, ...[...text.matchAll(/`+/gu)].map(([ticks]) => ticks.length));
	const fence = '`'.repeat(longest + 1);
	return `${fence}sh\n${text}\n${fence}`;
}
