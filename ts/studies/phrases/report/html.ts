import {escaped, tableHtml} from '../../../drawing/html.ts';
import {folded, page} from '../../../drawing/page.ts';
import {findingsHtml, numbered, referencesHtml, reproduction} from '../../report/html.ts';
import {testsTable} from '../../report/tests-table.ts';
import {grouped, listed} from '../../../drawing/format.ts';
import {abstract, inputs, references, settingsOf, title} from './metadata.ts';
import {phraseFindings} from '../findings.ts';
import {conditionName, lengthName} from '../labels.ts';
import {reliabilityPanel} from './reliability-figure.ts';
import {phraseStyle} from './style.ts';
import {type CalibratedFusion, type PhraseSettings, type PhraseStudy, type ProtocolStudy, checkPhraseStudy} from '../study.ts';
import {calibrationTable, curveTable, factsTable, generalTable, modelsTable, phrasesTable, retrievalTable, testFamilies} from './tables.ts';
import {temperatureFigure} from './temperature-figure.ts';

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
			folded('All tests among candidates', tests(candidates, 'candidates (Tables 2 and 3)', settings)),
			folded('All tests among all passages', tests(retrieval, 'Table 4', settings)),
			section('How to reproduce'),
			...reproduction(study.command, [...settingsOf(study), ...inputs(study)]),
			section('References'),
			referencesHtml(references),
		],
	});
}

function tests(protocol: ProtocolStudy, of: string, {significance}: PhraseSettings): readonly string[] {
	return testFamilies(protocol, of).map(({name, tests}) => tableHtml(testsTable(name, tests, significance, conditionName)));
}

function reliability({candidates, models, questions}: PhraseStudy): readonly string[] {
	const {temperatures, fused} = candidates;
	const length = (name: string): string => lengthName(models.find(model => model.name === name)!.length);
	const panel = (name: string, title: string, of: CalibratedFusion): string =>
		`<div><p>${escaped(title)}</p>\n${reliabilityPanel(name, of, temperatures.descent)}</div>`;
	return [
		'<figure>',
		'<div class="panels">',
		...candidates.models.map(model => panel(model.name, `${model.name}, ${length(model.name)}`, model)),
		panel('MUF', `MUF of ${listed(candidates.selected)}`, fused),
		'</div>',
		`<figcaption><b>Figure 1.</b> Reliability of each model and of MUF on ${grouped(questions.test)} test questions: at T = 1 (circles) and at the one temperature that was fitted to MUF’s predictions on development questions (discs). Areas are numbers of questions; a calibrated model is on the diagonal. ECE is of absolute differences.</figcaption>`,
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
		`<figcaption><b>Figure 2.</b> Accuracy of MUF among candidates on ${grouped(questions.test)} test questions, by the temperature from which the paper’s descent of the one temperature starts (steps of ${settings.stepSize}). The dashed line is the accuracy with the one temperature found by search.</figcaption>`,
		'</figure>',
		folded('Figure 2 as a table', [tableHtml(curveTable(study))]),
	];
}
