import {escaped, labelled, tableHtml} from '../report/html.ts';
import {findingsHtml, folded, numbered, page, referencesHtml, reproduction} from '../report/page.ts';
import {type ReportTable, testsTable} from '../report/table.ts';
import {grouped, percent} from '../report/words.ts';
import {type TuningCurve, abstract, inputs, references, settingsOf, title, tuningCurves, tuningSentence} from './facts.ts';
import {curveName, figure1} from './figure.ts';
import {findings} from './findings.ts';
import {conditionLabels, conditionName} from './names.ts';
import {type ReadingStudy, type Study, checkStudy} from './study.ts';
import {overlapTable, readingTable, retrievalTable, tuningTable} from './tables.ts';
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
		retrieval,
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
			...tuning(study),
			...(overlap.length > 0 ? [section('Overlap'), tableHtml(overlapTable(study))] : []),
			...(reading
				? [section('Reading'), tableHtml(readingTable(study, reading)), ...figure(reading), tableHtml(tuningTable(reading, study))]
				: []),
			section('Tests'),
			folded('All tests of Table 1', [tableHtml(testsTable('Table 1', retrieval.comparisons, significance, conditionName))]),
			...(reading
				? [folded('All tests of Table 3', [tableHtml(testsTable('Table 3', reading.comparisons, significance, conditionName))])]
				: []),
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
		folded('Accuracy by weight, as a table', [tableHtml(weightsTable(curves, study))]),
	];
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
					heading: {text: String(weight)},
					cells: curves.map(({points}) => {
						const point = points.find(({weight: of}) => of === weight);
						return {text: point ? percent(point.accuracy) : '–'};
					}),
				})),
			},
		],
	};
}

function figure(reading: ReadingStudy): readonly string[] {
	const {ks, curves} = reading;
	if (curves.length === 0) {
		return [];
	}
	const values: ReportTable = {
		name: 'Values of Figure 1',
		caption: 'Exact match in per cent by passages read.',
		stub: 'Read',
		columns: curves.map(curve => ({heading: curveName(curve)})),
		blocks: [
			{
				rows: ks.map((k, i) => ({
					heading: {text: grouped(k)},
					cells: curves.map(({exactMatch}) => ({text: percent(exactMatch[i]!)})),
				})),
			},
		],
	};
	return [
		'<figure>',
		figure1(reading, {name: 'wide', width: 760, height: 440}),
		figure1(reading, {name: 'narrow', width: 360, height: 440}),
		'<figcaption><b>Figure 1.</b> End-to-end effectiveness by the number of passages read. The dot is a line’s maximum.</figcaption>',
		'</figure>',
		folded('Figure 1 as a table', [tableHtml(values)]),
	];
}
