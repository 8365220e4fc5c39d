/** The sections of the report: tables and figures of Yang et al. (2023), retrieval from all passages, tests. */
import {grouped, listed} from '../../../drawing/format.ts';
import {escaped} from '../../../drawing/html.ts';
import type {ReportTable} from '../../../drawing/table.ts';
import {
	type Content,
	type Section,
	eitherForm,
	figureHtml,
	foldedTables,
	htmlOnly,
	markdownOnly,
	tableContent,
} from '../../report/content.ts';
import {tableMarkdown} from '../../report/markdown.ts';
import {testsTable} from '../../report/tests-table.ts';
import {labelOf, lengthLabel} from '../labels.ts';
import type {CalibratedFusion, PhraseStudy, ProtocolStudy} from '../study.ts';
import {reliabilityPanel} from './reliability-figure.ts';
import {
	calibrationTable,
	curveTable,
	datasetTable,
	generalTable,
	modelsTable,
	phrasesTable,
	retrievalTable,
	testFamilies,
} from './tables.ts';
import {temperatureFigure} from './temperature-figure.ts';

export function sections(study: PhraseStudy): readonly Section[] {
	const {candidates, retrieval, settings} = study;
	const tests = (protocol: ProtocolStudy, task: string): readonly ReportTable[] =>
		testFamilies(protocol, task).map(family => testsTable(family, settings.significance, labelOf));
	return [
		{heading: 'Data', content: [tableContent(datasetTable(study)), tableContent(phrasesTable(study))]},
		{heading: 'Phrases and their fusion', content: [tableContent(modelsTable(study)), tableContent(generalTable(study))]},
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
				htmlOnly(...foldedTables('All tests among candidates', tests(candidates, 'candidates (Tables 2 and 3)')).html),
				markdownOnly(...tests(candidates, 'Tables 2 and 3').flatMap(tableMarkdown)),
				foldedTables('All tests among all passages', tests(retrieval, 'Table 4')),
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
		`Reliability of each model and of MUF on ${grouped(questions.test)} test questions: at T = 1 (circles) and at the one temperature that was fitted to MUF’s predictions on development questions (discs). Areas are numbers of questions; a calibrated model is on the diagonal. ECE is of absolute differences.`,
	);
}

/** Figure 1 as a table. */
function reliabilityTable({candidates, questions}: PhraseStudy): ReportTable {
	return {
		name: 'Figure 1',
		caption: `Reliability on ${grouped(questions.test)} test questions among candidates, at T = 1 and at the one temperature that was fitted on development questions: for each bin its number of questions, mean confidence, and share of right predictions.`,
		stub: 'Model',
		columns: [{heading: 'temperature', kind: 'words'}, {heading: 'questions'}, {heading: 'confidence'}, {heading: 'accuracy'}],
		blocks: [...candidates.models, {name: 'MUF', ...candidates.fused}].map(({name, before, after}) => ({
			heading: name,
			rows: [['T = 1', before] as const, ['fitted', after] as const].flatMap(([words, {bins}]) =>
				bins.map(({count, confidence, accuracy}) => ({
					heading: {text: name},
					cells: [{text: words}, {text: grouped(count)}, {text: confidence.toFixed(3)}, {text: accuracy.toFixed(3)}],
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
	const caption = `Accuracy of MUF among candidates on ${grouped(questions.test)} test questions, by the temperature from which the paper’s descent of the one temperature starts (steps of ${settings.stepSize}). The dashed line is the accuracy with the one temperature found by search.`;
	const {html, markdown} = foldedTables('Figure 2 as a table', [curveTable(study)]);
	return {html: [...figureHtml(drawings, 'Figure 2', caption), ...html], markdown};
}
