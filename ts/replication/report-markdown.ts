import {abstract, inputs, references, settingsOf, title, tuningCurves, tuningSentence, verdictOf} from './facts.ts';
import {type Finding, findings} from './findings.ts';
import {type Label, conditionLabels, conditionName, equalsP, grouped, percent, retrieverNames} from './names.ts';
import {checkStudy, type ReadingStudy, type Study} from './study.ts';
import {type ReportTable, overlapTable, readingTable, retrievalTable, testsTable, tuningTable} from './tables.ts';

/**
A study as a Markdown page, in GitHub's dialect: findings, the paper's tables with their marks and, where the paper has
this data set, its numbers, what was tuned, all tests, and what is needed to make it again. The same study gives the same
text. Refuses what is no study (`ERR_FORMAT`).

@example
```
await writeFile('report.md', reportMarkdown(study));
```
*/
export function reportMarkdown(study: Study): string {
	checkStudy(study);
	const {retrieval, reading, overlap, command} = study;
	const found = findings(study);
	const curves = tuningCurves(study);
	const blocks = [
		`# ${escaped(title(study))}`,
		escaped(abstract(study, found)),
		'## Findings',
		...found.map((finding, i) => `${i + 1}. ${item(finding)}`),
		'## Retrieval',
		...tableBlocks(retrievalTable(study)),
		...(curves.length > 0
			? [
					`Weights that ${grouped(study.questions.development.count)} development questions chose:`,
					curves.map(curve => `- ${labelled(conditionLabels[curve.condition])}: ${escaped(tuningSentence(curve, study))}`).join('\n'),
				]
			: []),
		...(overlap.length > 0 ? ['## Overlap', ...tableBlocks(overlapTable(study))] : []),
		...(reading
			? ['## Reading', ...tableBlocks(readingTable(study, reading)), ...tableBlocks(tuningTable(reading, study)), ...figure(reading)]
			: []),
		'## Tests',
		...tableBlocks(testsTable('Table 1', retrieval.comparisons, study)),
		...(reading ? tableBlocks(testsTable('Table 3', reading.comparisons, study)) : []),
		'## How to reproduce',
		...(command === undefined ? [] : [fenced(command)]),
		inputs(study)
			.map(({what, value, code}) => `- ${what}: ${escaped(value)}${code === undefined ? '' : `, SHA-256 \`${code}\``}`)
			.join('\n'),
		settingsOf(study)
			.map(({what, value}) => `- ${what}: ${escaped(value)}`)
			.join('\n'),
		'## References',
		references.map(({text, url}) => `- ${escaped(text)} <${url}>`).join('\n'),
	];
	return `${blocks.join('\n\n')}\n`;
}

function item(finding: Finding): string {
	const {claim, here, evidence} = finding;
	const ps = evidence.map(({a, b, measure, corrected}) => `${name(a, b)}, ${measure}: ${equalsP(corrected)}`);
	return `**${escaped(claim)}** *${verdictOf(finding)}.* ${escaped(here)}${ps.length > 0 ? ` (Corrected p. ${escaped(ps.join('; '))}.)` : ''}`;
}

function figure({ks, curves}: ReadingStudy): readonly string[] {
	if (curves.length === 0) {
		return [];
	}
	const table: ReportTable = {
		name: 'Figure 1',
		caption: 'Exact match in per cent by passages read.',
		stub: 'Passages read',
		columns: curves.map(({retriever, scoring}) => ({heading: `${retrieverNames[retriever]}-${scoring}`})),
		blocks: [
			{
				rows: ks.map((k, i) => ({
					heading: {text: grouped(k)},
					cells: curves.map(({exactMatch}) => ({text: percent(exactMatch[i]!)})),
				})),
			},
		],
	};
	return tableBlocks(table);
}

function tableBlocks({name, caption, stub, columns, blocks}: ReportTable): readonly string[] {
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

const labelled = ({text, sub}: Label): string => `${escaped(text)}${sub === undefined ? '' : `<sub>${escaped(sub)}</sub>`}`;
const name = (a: string, b: string): string => `${conditionName(a)} − ${conditionName(b)}`;

/** Text that Markdown takes for nothing but text, in a line. */
function escaped(text: string): string {
	return text
		.replaceAll(/[\\`*_{}[\]<>#|~]/gu, character => `\\${character}`)
		.replaceAll('&', '&amp;')
		.replaceAll(/\s+/gu, ' ');
}

/** Between more backticks than it has in a row. */
function fenced(text: string): string {
	const longest = Math.max(2, ...[...text.matchAll(/`+/gu)].map(([ticks]) => ticks.length));
	const fence = '`'.repeat(longest + 1);
	return `${fence}sh\n${text}\n${fence}`;
}
