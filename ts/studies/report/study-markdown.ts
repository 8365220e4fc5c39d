/** Formats the report of a study as one page of GitHub Flavored Markdown. */
import {equalsP} from '../../drawing/format.ts';
import type {Finding} from '../statistics/finding.ts';
import type {ReportDefinition, StudyResults} from './definition.ts';
import {escaped, fenced} from './markdown.ts';
import type {MetadataEntry} from './metadata.ts';
import {verdictSummary} from './verdict-summary.ts';

/** Returns the Markdown page. Fails with `ERR_FORMAT` if `results` are not those of this study. */
export function studyMarkdown<Results extends StudyResults>(report: ReportDefinition<Results>, results: Results): string {
	report.check(results);
	const findings = report.findings(results);
	const {command} = results;
	const blocks = [
		`# ${escaped(report.title(results))}`,
		escaped(`${report.abstract(results)} ${verdictSummary(findings)}`),
		...(report.caveats?.(results) ?? []).map(escaped),
		'## Findings',
		...findings.map((finding, i) => `${i + 1}. ${findingMarkdown(finding, report.labelOf)}`),
		...report.sections(results).flatMap(({heading, content}) => [`## ${heading}`, ...content.flatMap(({markdown}) => markdown)]),
		'## How to reproduce',
		...(command === undefined ? [] : [fenced(command)]),
		metadataMarkdown(report.inputs(results)),
		metadataMarkdown(report.settings(results)),
		'## References',
		report.references.map(({text, url}) => `- ${escaped(text)} <${url}>`).join('\n'),
	];
	return `${blocks.join('\n\n')}\n`;
}

/** Formats a finding: its claim, the verdict, what was measured, and the corrected p-values of its tests. */
function findingMarkdown({claim, result, verdict, evidence}: Finding, labelOf: (condition: string) => string): string {
	const ps = evidence.map(({a, b, measure, corrected}) => `${labelOf(a)} − ${labelOf(b)}, ${measure}: ${equalsP(corrected)}`);
	return `**${escaped(claim)}** *${verdict}.* ${escaped(result)}${ps.length > 0 ? ` (Corrected p-values: ${escaped(ps.join('; '))}.)` : ''}`;
}

function metadataMarkdown(entries: readonly MetadataEntry[]): string {
	return entries
		.map(({label, value, sha256}) => `- ${escaped(label)}: ${escaped(value)}${sha256 === undefined ? '' : `, SHA-256 \`${sha256}\``}`)
		.join('\n');
}
