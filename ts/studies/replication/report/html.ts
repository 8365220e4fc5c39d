import {escaped, labelled, tableHtml} from '../../../drawing/html.ts';
import {present} from '../../statistics/finding.ts';
import {folded, page} from '../../../drawing/page.ts';
import {findingsHtml, numbered, referencesHtml, reproduction} from '../../report/html.ts';
import type {ReportTable} from '../../../drawing/table.ts';
import {testsTable} from '../../report/tests-table.ts';
import {grouped, percent} from '../../../drawing/format.ts';
import {accuracyFigure, drawings, exactMatchFigure} from './curves-figure.ts';
import {
	type TuningCurve,
	abstract,
	figure1Caption,
	inputs,
	references,
	settingsOf,
	shownWeight,
	title,
	tuningCurves,
	tuningSentence,
} from './metadata.ts';
import {findings} from '../findings/findings.ts';
import {conditionLabels, conditionName} from '../labels.ts';
import {type ReadingStudy, type Study, checkStudy} from '../study.ts';
import {dprTable, exactMatchTable, readingTable, tuningTable} from './reading-tables.ts';
import {accuracyTable, overlapTable, retrievalTable} from './retrieval-tables.ts';
import {testFamilies} from './test-families.ts';
import {tuningPanel} from './tuning-figure.ts';

/**
A study as one HTML page that needs nothing else: no network, no scripts, light or dark as the reader's screen is. It
shows findings, the paper's tables with their marks and, where the paper has this data set, its numbers, Figure 1, the
tuning of hybrids, all tests, and what is needed to make it again. The same study gives the same text. Refuses what is no
study (`ERR_FORMAT`).

@example
```
await writeFile('report.html', reportHtml(study));
```
*/
export function reportHtml(study: Study): string {
	checkStudy(study);
	const {
		reading,
		overlap,
		passagekit,
		settings: {significance},
	} = study;
	const found = findings(study);
	const section = numbered();
	return page({
		title: title(study),
		byline: `after <a href="${references[0]!.url}">Ma, Sun, Pradeep and Lin (2021)</a>, with passagekit ${escaped(passagekit)}`,
		abstract: abstract(study, found),
		body: [
			section('Findings'),
			findingsHtml(found, conditionName),
			section('Retrieval'),
			tableHtml(retrievalTable(study)),
			...accuracyCurves(study),
			...tuning(study),
			...(overlap.length > 0 ? [section('Overlap'), tableHtml(overlapTable(study))] : []),
			...(reading
				? [
						section('Reading'),
						tableHtml(readingTable(study, reading)),
						...present([dprTable(study, reading)]).map(tableHtml),
						...figure(reading),
						tableHtml(tuningTable(reading, study)),
					]
				: []),
			section('Tests'),
			...testFamilies(study).map(({of, comparisons}) =>
				folded(`All tests of ${of}`, [tableHtml(testsTable(of, comparisons, significance, conditionName))]),
			),
			section('How to reproduce'),
			...reproduction(study.command, [...settingsOf(study), ...inputs(study)]),
			section('References'),
			referencesHtml(references),
		],
	});
}

function tuning(study: Study): readonly string[] {
	const curves = tuningCurves(study);
	if (curves.length === 0) {
		return [];
	}
	const all = curves.flatMap(({points}) => points.map(({accuracy}) => accuracy));
	const range = [Math.min(...all), Math.max(...all)] as const;
	const {settings, questions} = study;
	return [
		'<figure>',
		'<div class="panels">',
		...curves.map(
			curve => `<div><p>${labelled(conditionLabels[curve.condition])}</p>\n${tuningPanel(curve, range, settings.tunedFor)}</div>`,
		),
		'</div>',
		`<figcaption><b>Tuning.</b> Top-${settings.tunedFor} accuracy in per cent of the hybrids on ${grouped(questions.development.count)} development questions, by weight. The dot is the weight chosen.</figcaption>`,
		'</figure>',
		folded('Accuracy by weight, as a table', weightsTables(curves, study).map(tableHtml)),
	];
}

/** A table for each kind of weight: λ and α have different values. */
function weightsTables(curves: readonly TuningCurve[], study: Study): readonly ReportTable[] {
	const symbols = [...new Set(curves.map(({symbol}) => symbol))];
	return symbols.map(symbol =>
		weightsTable(
			curves.filter(curve => curve.symbol === symbol),
			study,
		),
	);
}

function weightsTable(curves: readonly TuningCurve[], study: Study): ReportTable {
	const weights = [...new Set(curves.flatMap(({points}) => points.map(({weight}) => weight)))].sort((a, b) => a - b);
	const chosen = curves.map(curve => `${conditionName(curve.condition)}: ${tuningSentence(curve, study)}`);
	return {
		name: 'Tuning',
		caption: `Accuracy on development questions in per cent. Chosen are ${chosen.join('; ')}.`,
		stub: 'Weight',
		columns: curves.map(({condition, symbol}) => ({heading: `${conditionName(condition)} (${symbol})`})),
		blocks: [
			{
				rows: weights.map(weight => ({
					heading: {text: shownWeight(weight)},
					cells: curves.map(({points}) => {
						const point = points.find(({weight: of}) => of === weight);
						return {text: point ? percent(point.accuracy) : '–'};
					}),
				})),
			},
		],
	};
}

/** Accuracy by k, beside Table 1. */
function accuracyCurves(study: Study): readonly string[] {
	const {ks, lines} = study.retrieval.curves;
	if (lines.length === 0 || ks.length < 2) {
		return [];
	}
	return [
		'<figure>',
		...drawings(accuracyFigure(study.retrieval)),
		`<figcaption><b>Accuracy by k.</b> Share of ${grouped(study.questions.test.count)} test questions with an answer in the first k passages, as in Figure 1 of Karpukhin et al. (2020).</figcaption>`,
		'</figure>',
		folded('Accuracy by k, as a table', [tableHtml(accuracyTable(study))]),
	];
}

function figure(reading: ReadingStudy): readonly string[] {
	if (reading.curves.length === 0) {
		return [];
	}
	return [
		'<figure>',
		...drawings(exactMatchFigure(reading)),
		`<figcaption><b>Figure 1.</b> ${escaped(figure1Caption)} The dot is a line’s maximum.</figcaption>`,
		'</figure>',
		folded('Figure 1 as a table', [tableHtml(exactMatchTable(reading))]),
	];
}
