/**
The sections of the replication study's report: Tables 1 to 3 and Figure 1 of Ma et al. (2021), tuning, and tests.
*/
import {withCommas} from '../../../drawing/format.ts';
import {escaped, labelHtml} from '../../../drawing/html.ts';
import {type Content, type Section, figureHtml, foldedTables, htmlOnly, markdownOnly, tableContent} from '../../report/content.ts';
import {escaped as escapedMarkdown, labelMarkdown, tableMarkdown} from '../../report/markdown.ts';
import {testsTable} from '../../report/tests-table.ts';
import {conditionLabels, labelOf} from '../labels.ts';
import type {ReadingStudy, Study} from '../study.ts';
import {accuracyFigure, drawings, exactMatchFigure} from './curves-figure.ts';
import {dprTable, exactMatchTable, readingTable, tuningTable} from './reading-tables.ts';
import {accuracyTable, overlapTable, retrievalTable} from './retrieval-tables.ts';
import {testFamilies} from './test-families.ts';
import {tuningClause, tuningCurves, tuningTables} from './tuning.ts';
import {tuningPanel} from './tuning-figure.ts';

export function sections(study: Study): readonly Section[] {
	const {reading, overlap, settings} = study;
	return [
		{
			heading: 'Retrieval',
			content: [
				tableContent(retrievalTable(study)),
				markdownOnly(...chosenWeights(study)),
				accuracyByK(study),
				htmlOnly(...tuningFigure(study)),
			],
		},
		...(overlap.length > 0 ? [{heading: 'Overlap', content: [tableContent(overlapTable(study))]}] : []),
		...(reading ? [{heading: 'Reading', content: readingContent(study, reading)}] : []),
		{
			heading: 'Tests',
			content: testFamilies(study).map(family =>
				foldedTables(`All tests of ${family.name}`, [testsTable(family, settings.significance, labelOf)]),
			),
		},
	];
}

function accuracyByK(study: Study): Content {
	const {ks, lines} = study.retrieval.curves;
	if (lines.length === 0) {
		return {html: [], markdown: []};
	}
	const table = accuracyTable(study);
	const caption = `Share of ${withCommas(study.questions.test.count)} test questions with an answer in the first k passages, as in Figure 1 of Karpukhin et al. (2020).`;
	const figure = [
		...figureHtml(drawings(accuracyFigure(study.retrieval)), 'Accuracy by k', caption),
		...foldedTables('Accuracy by k, as a table', [table]).html,
	];
	return {html: ks.length < 2 ? [] : figure, markdown: tableMarkdown(table)};
}

function chosenWeights(study: Study): readonly string[] {
	const curves = tuningCurves(study);
	if (curves.length === 0) {
		return [];
	}
	const weights = curves.map(
		curve => `- ${labelMarkdown(conditionLabels[curve.condition])}: ${escapedMarkdown(tuningClause(curve, study))}`,
	);
	return [`Weights chosen on ${withCommas(study.questions.development.count)} development questions:`, weights.join('\n')];
}

function tuningFigure(study: Study): readonly string[] {
	const curves = tuningCurves(study);
	if (curves.length === 0) {
		return [];
	}
	const all = curves.flatMap(({points}) => points.map(({accuracy}) => accuracy));
	const range = [Math.min(...all), Math.max(...all)] as const;
	const {settings, questions} = study;
	const panels = curves.map(
		curve => `<div><p>${labelHtml(conditionLabels[curve.condition])}</p>\n${tuningPanel(curve, range, settings.tunedFor)}</div>`,
	);
	const caption = `Top-${settings.tunedFor} accuracy of the hybrids in percent on ${withCommas(questions.development.count)} development questions, by weight. The dot marks the chosen weight.`;
	return [
		...figureHtml(['<div class="panels">', ...panels, '</div>'], 'Tuning', caption),
		...foldedTables('Accuracy by weight, as a table', tuningTables(curves, study)).html,
	];
}

const figure1Caption =
	'End-to-end effectiveness (exact match) by the number of passages read, k. A curve has the same weights β (of the reader’s relevance) and γ (of the retriever’s score) at all k: those chosen on development questions together with a number of passages (table “Chosen for reading”). ' +
	'Ma et al. (2021) do not say at which k they chose their weights.';

function readingContent(study: Study, reading: ReadingStudy): readonly Content[] {
	const dpr = dprTable(study, reading);
	const tables = [tableContent(readingTable(study, reading)), ...(dpr ? [tableContent(dpr)] : [])];
	const chosen = tableContent(tuningTable(reading, study));
	if (reading.curves.length === 0) {
		return [...tables, chosen];
	}
	const table = exactMatchTable(reading);
	return [
		...tables,
		htmlOnly(
			...figureHtml(drawings(exactMatchFigure(reading)), 'Figure 1', `${escaped(figure1Caption)} The dot marks the maximum of a line.`),
			...foldedTables('Figure 1 as a table', [table]).html,
		),
		chosen,
		markdownOnly(...tableMarkdown({...table, name: 'Figure 1', caption: figure1Caption})),
	];
}
