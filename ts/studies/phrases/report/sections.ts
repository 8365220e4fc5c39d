/**
The sections of the phrase study's report: the tables and figures of Yang et al. (2023), retrieval from all passages,
and tests.
*/
import {withCommas, listed} from '../../../drawing/format.ts';
import {escaped} from '../../../drawing/html.ts';
import type {ReportTable} from '../../../drawing/table.ts';
import {type Content, type Section, eitherForm, figureHtml, foldedTables, tableContent} from '../../report/content.ts';
import {tableMarkdown} from '../../report/markdown.ts';
import {testsTable} from '../../report/tests-table.ts';
import {labelOf, lengthLabel} from '../labels.ts';
import type {CalibratedFusion, PhraseStudy, ProtocolStudy} from '../study.ts';
import {reliabilityPanel} from './reliability-figure.ts';
import {
	calibrationTable,
	curveTable,
	datasetTable,
	generalEvaluationTable,
	modelsTable,
	phrasesTable,
	retrievalTable,
	testFamilies,
} from './tables.ts';
import {temperatureFigure} from './temperature-figure.ts';

export function sections(study: PhraseStudy): readonly Section[] {
	const {candidates, retrieval, settings} = study;
	const tests = (protocol: ProtocolStudy, tables: string, ranked: string): readonly ReportTable[] =>
		testFamilies(protocol, tables, ranked).map(family => testsTable(family, settings.significance, labelOf));
	return [
		{heading: 'Data', content: [tableContent(datasetTable(study)), tableContent(phrasesTable(study))]},
		{heading: 'Phrases and their fusion', content: [tableContent(modelsTable(study)), tableContent(generalEvaluationTable(study))]},
		{
			heading: 'Calibration',
			content: [
				eitherForm({html: reliabilityFigure(study)}, {markdown: tableMarkdown(reliabilityTable(study))}),
				tableContent(calibrationTable(study)),
				...(candidates.curve.length > 0 ? [temperatureContent(study)] : []),
			],
		},
		{heading: 'Retrieval from all passages', content: [tableContent(retrievalTable(study))]},
		{
			heading: 'Tests',
			content: [
				foldedTables('All tests among candidates', tests(candidates, 'Tables 2 and 3', 'candidates')),
				foldedTables('All tests among all passages', tests(retrieval, 'Table 4', 'all passages')),
			],
		},
	];
}

function reliabilityFigure({candidates, models, questions}: PhraseStudy): readonly string[] {
	const {temperatures, fused} = candidates;
	const lengthOf = (name: string): string => lengthLabel(models.find(model => model.name === name)!.length);
	const panel = (name: string, title: string, calibration: CalibratedFusion): string =>
		`<div><p>${escaped(title)}</p>\n${reliabilityPanel(name, calibration, temperatures.descent)}</div>`;
	return figureHtml(
		[
			'<div class="panels">',
			...candidates.models.map(model => panel(model.name, `${model.name}, ${lengthOf(model.name)}`, model)),
			panel('MUF', `MUF of ${listed(candidates.selected)}`, fused),
			'</div>',
		],
		'Figure 1',
		`Reliability of each model and of MUF (model uncertainty fusion) on ${withCommas(questions.test)} test questions: accuracy by confidence, at the temperature T = 1 (open circles) and at the common temperature that was fitted to MUF’s predictions on development questions (filled circles). ` +
			'The area of a circle shows the number of questions in its bin. A perfectly calibrated model is on the diagonal. ECE is the expected calibration error, computed from absolute differences.',
	);
}

/** The values of Figure 1, for the Markdown report. */
function reliabilityTable({candidates, questions}: PhraseStudy): ReportTable {
	return {
		name: 'Figure 1',
		caption: `Reliability on ${withCommas(questions.test)} test questions among candidates, at the temperature T = 1 and at the common temperature that was fitted on development questions: the number of questions, mean confidence and accuracy of each bin.`,
		firstHeading: 'Model',
		columns: [{heading: 'temperature', kind: 'words'}, {heading: 'questions'}, {heading: 'confidence'}, {heading: 'accuracy'}],
		blocks: [...candidates.models, {name: 'MUF', ...candidates.fused}].map(({name, before, after}) => ({
			heading: name,
			rows: [['T = 1', before] as const, ['fitted', after] as const].flatMap(([temperature, {bins}]) =>
				bins.map(({count, confidence, accuracy}) => ({
					heading: {text: name},
					cells: [{text: temperature}, {text: withCommas(count)}, {text: confidence.toFixed(3)}, {text: accuracy.toFixed(3)}],
				})),
			),
		})),
	};
}

function temperatureContent(study: PhraseStudy): Content {
	const {candidates, settings, questions} = study;
	const drawings = [
		temperatureFigure(candidates, {name: 'wide', width: 760, height: 360}),
		temperatureFigure(candidates, {name: 'narrow', width: 360, height: 320}),
	];
	const caption =
		`Accuracy of MUF among candidates on ${withCommas(questions.test)} test questions, by the temperature from which the paper’s gradient descent starts (step size ${settings.stepSize}). ` +
		'The dashed line is the accuracy with the common temperature found by search.';
	const {html, markdown} = foldedTables('Figure 2 as a table', [curveTable(study)]);
	return {html: [...figureHtml(drawings, 'Figure 2', caption), ...html], markdown};
}
