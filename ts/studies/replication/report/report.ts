/** The report of the replication study, as HTML and as Markdown. */
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
Returns a study as one self-contained HTML page in light or dark colors, which needs no network access and has no
scripts. The page has the findings, the tables of Ma et al. (2021) with significance markers, their Figure 1, the tuning
of the hybrids, all tests, and how to reproduce the study. If the paper reports results on the data set, the tables
include its numbers. The same study gives the same text. Fails with `ERR_FORMAT` if `study` is not the result of a
replication study.

@example
```
await writeFile('report.html', reportHtml(study));
```
*/
export function reportHtml(study: Study): string {
	return studyHtml(replicationReport, study);
}

/**
Returns a study as a page of GitHub Flavored Markdown: the findings, the tables of Ma et al. (2021) with significance
markers, the chosen weights, all tests, and how to reproduce the study. If the paper reports results on the data set,
the tables include its numbers. The same study gives the same text. Fails with `ERR_FORMAT` if `study` is not the result
of a replication study.

@example
```
await writeFile('report.md', reportMarkdown(study));
```
*/
export function reportMarkdown(study: Study): string {
	return studyMarkdown(replicationReport, study);
}
