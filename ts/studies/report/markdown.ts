/** Pieces of Markdown in GitHub's dialect, with all text escaped. */
import type {Fact, Reference} from './metadata.ts';
import type {Finding} from '../statistics/finding.ts';
import type {ReportTable} from '../../drawing/table.ts';
import {type Label, equalsP} from '../../drawing/format.ts';

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

/** A claim with its verdict, the measurement, and the corrected p of its tests; `nameOf` is what a condition is called. */
export function findingMarkdown({claim, here, verdict, evidence}: Finding, nameOf: (condition: string) => string): string {
	const ps = evidence.map(({a, b, measure, corrected}) => `${nameOf(a)} − ${nameOf(b)}, ${measure}: ${equalsP(corrected)}`);
	return `**${escaped(claim)}** *${verdict}.* ${escaped(here)}${ps.length > 0 ? ` (Corrected p. ${escaped(ps.join('; '))}.)` : ''}`;
}

/** The last sections of a report: how to reproduce it, and its references. */
export function endMarkdown(
	command: string | undefined,
	inputs: readonly Fact[],
	settings: readonly Fact[],
	references: readonly Reference[],
): readonly string[] {
	const list = (facts: readonly Fact[]): string =>
		facts
			.map(({what, value, code}) => `- ${escaped(what)}: ${escaped(value)}${code === undefined ? '' : `, SHA-256 \`${code}\``}`)
			.join('\n');
	return [
		'## How to reproduce',
		...(command === undefined ? [] : [fenced(command)]),
		list(inputs),
		list(settings),
		'## References',
		references.map(({text, url}) => `- ${escaped(text)} <${url}>`).join('\n'),
	];
}
