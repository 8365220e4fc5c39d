/** Formats the report of a study as one HTML page, which has no scripts and loads no other files. */
import {equalsP} from '../../drawing/format.ts';
import {escaped} from '../../drawing/html.ts';
import {page} from '../../drawing/page.ts';
import type {Finding} from '../statistics/finding.ts';
import type {Verdict} from '../statistics/verdict.ts';
import type {ReportDefinition, StudyResults} from './definition.ts';
import type {MetadataEntry, Reference} from './metadata.ts';
import {verdictSummary} from './verdict-summary.ts';

/** Returns the HTML page. Fails with `ERR_FORMAT` if `results` are not those of this study. */
export function studyHtml<Results extends StudyResults>(report: ReportDefinition<Results>, results: Results): string {
	report.check(results);
	const findings = report.findings(results);
	let number = 0;
	const heading = (text: string): string => {
		number += 1;
		return `<h2><span class="number">${number}</span>${escaped(text)}</h2>`;
	};
	const {authors, references, style} = report;
	return page({
		title: report.title(results),
		byline: `based on <a href="${references[0]!.url}">${escaped(authors)}</a>, with passagekit ${escaped(results.passagekit)}`,
		abstract: `${report.abstract(results)} ${verdictSummary(findings)}`,
		...(style === undefined ? {} : {style}),
		body: [
			heading('Findings'),
			`<ol class="findings">${findings.map(finding => findingHtml(finding, report.labelOf)).join('\n')}</ol>`,
			...(report.caveats?.(results) ?? []).map(caveat => `<p>${escaped(caveat)}</p>`),
			...report.sections(results).flatMap(section => [heading(section.heading), ...section.content.flatMap(({html}) => html)]),
			heading('How to reproduce'),
			...reproductionHtml(results.command, [...report.settings(results), ...report.inputs(results)]),
			heading('References'),
			referencesHtml(references),
		],
	});
}

/** The CSS class of each verdict. `drawing/page-style.ts` has the rules of these classes. */
const verdictClasses: Readonly<Record<Verdict, string>> = {
	holds: 'yes',
	'holds in part': 'partly',
	contradicted: 'contradicted',
	undecided: 'undecided',
	'not tested': 'untested',
};

/** Formats a finding: its claim, what was measured, the corrected p-values of its tests, and the verdict. */
function findingHtml({claim, result, verdict, evidence}: Finding, labelOf: (condition: string) => string): string {
	const tests = evidence.map(
		({a, b, measure, corrected}) =>
			`<div><dt>${escaped(`${labelOf(a)} − ${labelOf(b)}, ${measure}`)}</dt><dd>${escaped(equalsP(corrected))}</dd></div>`,
	);
	return [
		'<li>',
		`<div><p>${escaped(claim)}</p><p class="here">${escaped(result)}</p>`,
		...(tests.length > 0 ? [`<dl class="ps" aria-label="Corrected p-values">${tests.join('')}</dl>`] : []),
		'</div>',
		`<p class="verdict ${verdictClasses[verdict]}">${verdict}</p>`,
		'</li>',
	].join('\n');
}

/** Formats the content of "How to reproduce": the command and the entries for settings and inputs. */
function reproductionHtml(command: string | undefined, entries: readonly MetadataEntry[]): readonly string[] {
	const lines = entries.map(
		({label, value, sha256}) =>
			`<dt>${escaped(label)}</dt><dd>${escaped(value)}${sha256 === undefined ? '' : ` <code>${escaped(sha256)}</code>`}</dd>`,
	);
	return [
		...(command === undefined ? [] : [`<pre>${escaped(command)}</pre>`]),
		`<dl class="facts">${lines.join('\n')}</dl>`,
		'<p>Long hexadecimal numbers are SHA-256 checksums. On the same machine, the same files, models and settings produce this report again, byte for byte.</p>',
	];
}

function referencesHtml(references: readonly Reference[]): string {
	return `<ul class="references">${references.map(({text, url}) => `<li>${escaped(text)} <a href="${url}">${url.replace('https://', '')}</a></li>`).join('\n')}</ul>`;
}
