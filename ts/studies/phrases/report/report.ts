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
Returns a study as one self-contained HTML page, without network access or scripts, in light or dark colors. It has the findings,
the paper's tables, with the paper's numbers if it has this data set, both its figures, retrieval from all passages, all tests,
and how to reproduce it. The same study gives the same text. Fails with `ERR_FORMAT` if `study` is not a study.

@example
```
await writeFile('report.html', phraseStudyHtml(study));
```
*/
export function phraseStudyHtml(study: PhraseStudy): string {
	return studyHtml(phraseReport, study);
}

/**
Returns a study as a Markdown page, in GitHub's dialect: the findings, the paper's tables, with the paper's numbers if it has this
data set, its figures as tables, all tests, and how to reproduce it. The same study gives the same text. Fails with `ERR_FORMAT`
if `study` is not a study.

@example
```
await writeFile('report.md', phraseStudyMarkdown(study));
```
*/
export function phraseStudyMarkdown(study: PhraseStudy): string {
	return studyMarkdown(phraseReport, study);
}
