import {escaped, tableHtml} from '../report/html.ts';
import {findingsHtml, folded, numbered, page, referencesHtml, reproduction} from '../report/page.ts';
import {testsTable} from '../report/table.ts';
import {grouped} from '../report/words.ts';
import {abstract, inputs, references, settingsOf, title} from './facts.ts';
import {phraseFindings} from './findings.ts';
import {conditionName, lengthName} from './names.ts';
import {reliabilityPanel} from './reliability-figure.ts';
import {phraseStyle} from './report-style.ts';
import {type PhraseStudy, checkPhraseStudy} from './study.ts';
import {calibrationTable, curveTable, factsTable, generalTable, modelsTable, phrasesTable, retrievalTable} from './tables.ts';
import {temperatureFigure} from './temperature-figure.ts';

/**
A study as one HTML page that needs nothing else: no network, no scripts, light or dark as the reader's screen is. It shows
findings, the paper's tables with its numbers where it has this data set, both its figures, retrieval from all passages, all
tests, and what is needed to make it again. The same study gives the same text. Refuses what is no study (`ERR_FORMAT`).

@example
```
await writeFile('report.html', phraseStudyHtml(study));
```
*/
export function phraseStudyHtml(study: PhraseStudy): string {
	checkPhraseStudy(study);
	const {candidates, retrieval, settings, passagekit} = study;
	const found = phraseFindings(study);
	const section = numbered();
	return page({
		title: title(study),
		byline: `after <a href="${references[0]!.url}">Yang, Bergam, Jain and Sheikhoslami (2023)</a>, with passagekit ${escaped(passagekit)}`,
		abstract: abstract(study, found),
		style: phraseStyle,
		body: [
			section('Findings'),
			findingsHtml(found, conditionName),
			section('Data'),
			tableHtml(factsTable(study)),
			tableHtml(phrasesTable(study)),
			section('Phrases and their fusion'),
			tableHtml(modelsTable(study)),
			tableHtml(generalTable(study)),
			section('Calibration'),
			...reliability(study),
			tableHtml(calibrationTable(study)),
			...temperatures(study),
			section('Retrieval from all passages'),
			tableHtml(retrievalTable(study)),
			section('Tests'),
			folded('All tests among candidates', [
				tableHtml(testsTable('Tables 2 and 3', candidates.comparisons, settings.significance, conditionName)),
			]),
			folded('All tests among all passages', [
				tableHtml(testsTable('Table 4', retrieval.comparisons, settings.significance, conditionName)),
			]),
			section('How to reproduce'),
			...reproduction(study.command, [...settingsOf(study), ...inputs(study)]),
			section('References'),
			referencesHtml(references),
		],
	});
}

function reliability({candidates, models, questions}: PhraseStudy): readonly string[] {
	const length = (name: string): string => lengthName(models.find(model => model.name === name)!.length);
	return [
		'<figure>',
		'<div class="panels">',
		...candidates.models.map(model => `<div><p>${escaped(`${model.name}, ${length(model.name)}`)}</p>\n${reliabilityPanel(model)}</div>`),
		'</div>',
		`<figcaption><b>Figure 1.</b> Reliability of each model’s confidence on ${grouped(questions.test)} test questions: without a temperature (circles) and with the one that development questions chose (discs). Areas are numbers of questions; a calibrated model is on the diagonal. ECE is of absolute differences.</figcaption>`,
		'</figure>',
	];
}

function temperatures(study: PhraseStudy): readonly string[] {
	const {candidates, settings, questions} = study;
	if (candidates.curve.length === 0) {
		return [];
	}
	return [
		'<figure>',
		temperatureFigure(candidates, {name: 'wide', width: 760, height: 360}),
		temperatureFigure(candidates, {name: 'narrow', width: 360, height: 320}),
		`<figcaption><b>Figure 2.</b> Accuracy of MUF among candidates on ${grouped(questions.test)} test questions, by the temperature that the paper’s descent begins at (steps of ${settings.stepSize}). The dashed line is of temperatures found by search, which has no beginning.</figcaption>`,
		'</figure>',
		folded('Figure 2 as a table', [tableHtml(curveTable(study))]),
	];
}
