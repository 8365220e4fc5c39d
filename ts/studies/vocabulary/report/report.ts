/** The report of the vocabulary study, as HTML and as Markdown. */
import type {ReportDefinition} from '../../report/definition.ts';
import {studyHtml} from '../../report/study-html.ts';
import {studyMarkdown} from '../../report/study-markdown.ts';
import {vocabularyFindings} from '../findings/findings.ts';
import {labelOf} from '../labels.ts';
import {type VocabularyStudy, checkVocabularyStudy} from '../study.ts';
import {abstract, caveats, inputs, references, settings, title} from './metadata.ts';
import {sections} from './sections.ts';
import {vocabularyStyle} from './style.ts';

export const vocabularyReport: ReportDefinition<VocabularyStudy> = {
	check: checkVocabularyStudy,
	title,
	authors: 'Ram, Bezalel, Zicher, Belinkov, Berant and Globerson (2023)',
	references,
	abstract,
	findings: vocabularyFindings,
	caveats,
	sections,
	settings,
	inputs,
	labelOf,
	style: vocabularyStyle,
};

/**
Formats a study as one self-contained HTML page in light or dark colors, which needs no network access and has no
scripts. The page has the findings, the figures and tables of Ram et al. (2023) for this data set, all tests, and how to
reproduce the study. Tables include the numbers that are printed in the paper's text. The same study gives the same
text. Fails with `ERR_FORMAT` if `study` is not the result of a vocabulary study.

@example
```
await writeFile('report.html', vocabularyStudyHtml(study));
```
*/
export function vocabularyStudyHtml(study: VocabularyStudy): string {
	return studyHtml(vocabularyReport, study);
}

/**
Formats a study as a page of GitHub Flavored Markdown: the findings, the tables of Ram et al. (2023), the figures as
tables, all tests, and how to reproduce the study. Tables include the numbers that are printed in the paper's text. The
same study gives the same text. Fails with `ERR_FORMAT` if `study` is not the result of a vocabulary study.

@example
```
await writeFile('report.md', vocabularyStudyMarkdown(study));
```
*/
export function vocabularyStudyMarkdown(study: VocabularyStudy): string {
	return studyMarkdown(vocabularyReport, study);
}
