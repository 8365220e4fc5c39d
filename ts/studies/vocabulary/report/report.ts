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
Returns a study as one self-contained HTML page, without network access or scripts, in light or dark colors. It has the findings,
the paper's figures and tables for this data set, with the numbers that the paper's text has, all tests, and how to reproduce it. The
same study gives the same text. Fails with `ERR_FORMAT` if `study` is not a study.

@example
```
await writeFile('report.html', vocabularyStudyHtml(study));
```
*/
export function vocabularyStudyHtml(study: VocabularyStudy): string {
	return studyHtml(vocabularyReport, study);
}

/**
Returns a study as Markdown in GitHub's dialect: the findings, the paper's tables with the numbers that its text has, its figures as
tables, all tests, and how to reproduce it. The same study gives the same text. Fails with `ERR_FORMAT` if `study` is not a study.

@example
```
await writeFile('report.md', vocabularyStudyMarkdown(study));
```
*/
export function vocabularyStudyMarkdown(study: VocabularyStudy): string {
	return studyMarkdown(vocabularyReport, study);
}
