/** The report of the phrase study, as HTML and as Markdown. */
import type {ReportDefinition} from '../../report/definition.ts';
import {studyHtml} from '../../report/study-html.ts';
import {studyMarkdown} from '../../report/study-markdown.ts';
import {phraseFindings} from '../findings.ts';
import {labelOf} from '../labels.ts';
import {type PhraseStudy, checkPhraseStudy} from '../study.ts';
import {abstract, inputs, references, settings, title} from './metadata.ts';
import {sections} from './sections.ts';
import {phraseStyle} from './style.ts';

export const phraseReport: ReportDefinition<PhraseStudy> = {
	check: checkPhraseStudy,
	title,
	authors: 'Yang, Bergam, Jain and Sheikhoslami (2023)',
	references,
	abstract,
	findings: phraseFindings,
	sections,
	settings,
	inputs,
	labelOf,
	style: phraseStyle,
};

/**
Returns a study as one self-contained HTML page in light or dark colors, which needs no network access and has no
scripts. The page has the findings, the tables and figures of Yang et al. (2023), results for retrieval from all passages
instead of a few candidates per question, all significance tests, and how to reproduce the study. If the paper reports
results on the data set, the tables include them. The same study gives the same text. Fails with `ERR_FORMAT` if `study`
is not the result of a phrase study.

@example
```
await writeFile('report.html', phraseStudyHtml(study));
```
*/
export function phraseStudyHtml(study: PhraseStudy): string {
	return studyHtml(phraseReport, study);
}

/**
Returns a study as a page of GitHub Flavored Markdown: the findings, the tables of Yang et al. (2023), the figures as
tables, all significance tests, and how to reproduce the study. If the paper reports results on the data set, the tables
include them. The same study gives the same text. Fails with `ERR_FORMAT` if `study` is not the result of a phrase study.

@example
```
await writeFile('report.md', phraseStudyMarkdown(study));
```
*/
export function phraseStudyMarkdown(study: PhraseStudy): string {
	return studyMarkdown(phraseReport, study);
}
