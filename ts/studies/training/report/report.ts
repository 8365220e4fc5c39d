/** The report of the training study, as HTML and as Markdown. */
import type {ReportDefinition} from '../../report/definition.ts';
import {studyHtml} from '../../report/study-html.ts';
import {studyMarkdown} from '../../report/study-markdown.ts';
import {trainingFindings} from '../findings/findings.ts';
import {labelOf} from '../labels.ts';
import {type TrainingStudy, checkTrainingStudy} from '../study.ts';
import {abstract, caveats, inputs, references, settings, title} from './metadata.ts';
import {sections} from './sections.ts';
import {trainingStyle} from './style.ts';

export const trainingReport: ReportDefinition<TrainingStudy> = {
	check: checkTrainingStudy,
	title,
	authors: 'Karpukhin, Oğuz, Min, Lewis, Wu, Edunov, Chen and Yih (2020)',
	references,
	abstract,
	findings: trainingFindings,
	caveats,
	sections,
	settings,
	inputs,
	labelOf,
	style: trainingStyle,
};

/**
Formats a study as one self-contained HTML page in light or dark colors, which needs no network access and has no
scripts. The page has the findings, the tables and the figure of Karpukhin et al. (2020) for this data set, next to the
paper's numbers, all tests, and how to reproduce the study. The same study gives the same text. Fails with `ERR_FORMAT`
if `study` is not the result of a training study.

@example
```
await writeFile('report.html', trainingStudyHtml(study));
```
*/
export function trainingStudyHtml(study: TrainingStudy): string {
	return studyHtml(trainingReport, study);
}

/**
Formats a study as a page of GitHub Flavored Markdown: the findings, the tables of Karpukhin et al. (2020) next to the
paper's numbers, the figure as a table, all tests, and how to reproduce the study. The same study gives the same text.
Fails with `ERR_FORMAT` if `study` is not the result of a training study.

@example
```
await writeFile('report.md', trainingStudyMarkdown(study));
```
*/
export function trainingStudyMarkdown(study: TrainingStudy): string {
	return studyMarkdown(trainingReport, study);
}
