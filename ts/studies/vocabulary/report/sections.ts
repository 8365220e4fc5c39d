/**
The sections of the vocabulary study's report: examples, figures and tables, numbered as in Ram et al. (2023), and
significance tests.
*/
import {type Section, eitherForm, foldedTables, htmlOnly, markdownOnly, tableContent} from '../../report/content.ts';
import {tableMarkdown} from '../../report/markdown.ts';
import {testsTable} from '../../report/tests-table.ts';
import {examplesFigureHtml, examplesTableHtml} from '../examples/html.ts';
import {examplesFigureMarkdown, examplesTableMarkdown} from '../examples/markdown.ts';
import {labelOf} from '../labels.ts';
import type {VocabularyStudy} from '../study.ts';
import {amnesiaFigure, compositionFigure, coverageFigure} from './figures.ts';
import {
	amnesiaTable,
	amnesiaTestsTable,
	compositionTable,
	coverageTable,
	expansionTable,
	lambdaTable,
	mrrTable,
	retrievalTable,
} from './tables.ts';

export function sections(study: VocabularyStudy): readonly Section[] {
	return [projections(study), tokenAmnesia(study), retrieval(study)];
}

/**
The HTML page has each table of a figure's values below the figure. The Markdown page has no drawings, only the tables,
in the order of the paper.
*/
function projections(study: VocabularyStudy): Section {
	const {settings, tests} = study;
	const tables = {coverage: coverageTable(study), expansion: expansionTable(study), composition: compositionTable(study)};
	const claims = testsTable({name: 'claims about projections', comparisons: tests.claims}, settings.significance, labelOf);
	return {
		heading: 'Projections of vectors',
		content: [
			eitherForm({html: examplesTableHtml(study)}, {markdown: examplesTableMarkdown(study)}),
			eitherForm({html: examplesFigureHtml(study)}, {markdown: examplesFigureMarkdown(study)}),
			htmlOnly(...coverageFigure(study), ...foldedTables('Figures 3 and 4 as tables', [tables.coverage, tables.expansion]).html),
			markdownOnly(...tableMarkdown(tables.coverage)),
			tableContent(mrrTable(study)),
			htmlOnly(...foldedTables('Tests of claims about projections', [claims]).html, ...compositionFigure(study)),
			markdownOnly(...tableMarkdown(tables.expansion)),
			foldedTables('Figure 6 as a table', [tables.composition]),
			markdownOnly(...tableMarkdown(claims)),
		],
	};
}

function tokenAmnesia(study: VocabularyStudy): Section {
	return {
		heading: 'Token amnesia',
		content: [
			htmlOnly(...amnesiaFigure(study)),
			foldedTables('Figures 5 and 7 as a table', [amnesiaTable(study)]),
			...(study.tests.amnesia.length > 0 ? [foldedTables('Tests of token amnesia', [amnesiaTestsTable(study)])] : []),
		],
	};
}

function retrieval(study: VocabularyStudy): Section {
	const {retrieval, settings} = study;
	const {comparisons} = retrieval;
	const tests = testsTable({name: 'Tables 3 and 4', comparisons}, settings.significance, labelOf);
	return {
		heading: 'Retrieval',
		content: [
			tableContent(retrievalTable(study)),
			...(settings.lambdas.length > 0 ? [foldedTables('λ on development questions', [lambdaTable(study)])] : []),
			...(comparisons.length > 0 ? [markdownOnly('## Tests'), foldedTables('All tests', [tests])] : []),
		],
	};
}
