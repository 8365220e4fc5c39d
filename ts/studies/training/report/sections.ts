/** The sections of the training study's report: the tables and the figure of Karpukhin et al. (2020), and tests. */
import {withCommas} from '../../../drawing/format.ts';
import {escaped} from '../../../drawing/html.ts';
import {type Section, eitherForm, figureHtml, foldedTables, htmlOnly, tableContent} from '../../report/content.ts';
import {tableMarkdown} from '../../report/markdown.ts';
import {type TestFamily, testsTable} from '../../report/tests-table.ts';
import {mrrMeasure} from '../../statistics/measures.ts';
import {referenceName, bm25Name, untrainedName} from '../conditions.ts';
import {labelOf} from '../labels.ts';
import {type TrainingStudy, rowOf} from '../study.ts';
import {curvePanel} from './curve-panel.ts';
import {curveTable, jointTable, schemesTable, similaritiesTable, supervisionTable, trainingTable, transferTable} from './tables.ts';

export function sections(study: TrainingStudy): readonly Section[] {
	const {tables, transfer} = study;
	return [
		...(tables.schemes.length > 0 ? [{heading: 'Training schemes', content: [tableContent(schemesTable(study))]}] : []),
		...(tables.curve.length > 0 ? [examplesSection(study)] : []),
		...(tables.supervision.length > 0
			? [{heading: 'Gold positives and distant supervision', content: [tableContent(supervisionTable(study))]}]
			: []),
		...(tables.similarities.length > 0 ? [{heading: 'Similarities and losses', content: [tableContent(similaritiesTable(study))]}] : []),
		...(transfer.length > 0 ? [{heading: 'Other data sets', content: [tableContent(transferTable(study))]}] : []),
		...(study.joint ? [{heading: 'Joint training', content: [tableContent(jointTable(study, study.joint))]}] : []),
		{
			heading: 'Training runs and tests',
			content: [foldedTables('How each encoder was trained', [trainingTable(study)]), ...testTables(study)],
		},
	];
}

/** The HTML page has Figure 1, with its values in a table below it; the Markdown page has the table only. */
function examplesSection(study: TrainingStudy): Section {
	const table = curveTable(study);
	return {
		heading: 'Numbers of training examples',
		content: [
			htmlOnly(...curveFigure(study)),
			eitherForm({html: foldedTables('Figure 1 as a table', [table]).html}, {markdown: tableMarkdown(table)}),
		],
	};
}

function curveFigure(study: TrainingStudy): readonly string[] {
	const {measures, tables, settings, questions} = study;
	const panels = measures
		.filter(measure => measure !== mrrMeasure)
		.map(measure => {
			const valueOf = (condition: string): number => rowOf(study, condition)!.values[measures.indexOf(measure)]!;
			const panel = curvePanel({
				id: `curve-${measure}`,
				title: `Accuracy by the number of training examples, ${measure}`,
				points: tables.curve.map(({examples, condition}) => ({examples, value: valueOf(condition)})),
				levels: [
					{name: 'BM25', style: 'bm25', value: valueOf(bm25Name)},
					{name: 'before training', style: 'untrained', value: valueOf(untrainedName)},
				],
			});
			return `<div><p>${escaped(measure)} accuracy</p>\n${panel}</div>`;
		});
	return figureHtml(
		[`<div class="panels">${panels.join('\n')}</div>`],
		'Figure 1',
		`Top-k accuracy by the number of training examples, on ${withCommas(questions.test)} test questions, with the training scheme “${escaped(labelOf(referenceName(settings.batchSize)))}”. The smaller sets of examples are random subsets of the larger ones.`,
	);
}

function testTables({tests, tables, settings}: TrainingStudy): Section['content'] {
	const families: readonly TestFamily[] = [
		{name: 'Table 3', comparisons: tests.schemes},
		// Without Figure 1, this is only the test against the model before training.
		{name: tables.curve.length > 0 ? 'Figure 1' : 'training', comparisons: tests.curve},
		{name: 'Table 5', comparisons: tests.supervision},
		{name: 'Table 6', comparisons: tests.similarities},
		{name: 'Table 2', comparisons: tests.transfer},
		{name: 'Appendix D', comparisons: tests.joint},
	];
	return [
		foldedTables(
			'All tests',
			families.filter(({comparisons}) => comparisons.length > 0).map(family => testsTable(family, settings.significance, labelOf)),
		),
	];
}
