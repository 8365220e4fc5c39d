import type {ReportDefinition} from '../../report/definition.ts';
import {studyHtml} from '../../report/study-html.ts';
import {studyMarkdown} from '../../report/study-markdown.ts';
import {findings} from '../findings/findings.ts';
import {labelOf} from '../labels.ts';
import {type Study, checkStudy} from '../study.ts';
import {abstract, inputs, references, settings, title} from './metadata.ts';
import {sections} from './sections.ts';

export const replicationReport: ReportDefinition<Study> = {
	check: checkStudy,
	title,
	authors: 'Ma, Sun, Pradeep and Lin (2021)',
	references,
	abstract,
	findings,
	sections,
	settings,
	inputs,
	labelOf,
};

/**
Returns a study as one self-contained HTML page, without network access or scripts, in light or dark colors. It has the findings,
the paper's tables with their significance markers and, if the paper has this data set, the paper's numbers, Figure 1, the tuning of
the hybrids, all tests, and how to reproduce it. The same study gives the same text. Fails with `ERR_FORMAT` if `study` is not a study.

@example
```
await writeFile('report.html', reportHtml(study));
```
*/
export function reportHtml(study: Study): string {
	return studyHtml(replicationReport, study);
}

/**
Returns a study as Markdown in GitHub's dialect: the findings, the paper's tables with their significance markers and, if the paper has
this data set, the paper's numbers, the chosen weights, all tests, and how to reproduce it. The same study gives the same text. Fails
with `ERR_FORMAT` if `study` is not a study.

@example
```
await writeFile('report.md', reportMarkdown(study));
```
*/
export function reportMarkdown(study: Study): string {
	return studyMarkdown(replicationReport, study);
}
