import {type TuningCurve, abstract, inputs, references, settingsOf, title, tuningCurves, tuningSentence, verdictOf} from './facts.ts';
import {curveName, figure1} from './figure.ts';
import {type Finding, findings} from './findings.ts';
import {escaped, labelled, tableHtml} from './html.ts';
import {conditionLabels, conditionName, equalsP, grouped, percent} from './names.ts';
import {reportStyle} from './report-style.ts';
import {type ReadingStudy, type Study, checkStudy} from './study.ts';
import {type ReportTable, overlapTable, readingTable, retrievalTable, testsTable, tuningTable} from './tables.ts';
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
	const {retrieval, reading, overlap, passagekit} = study;
	const found = findings(study);
	const section = numbered();
	return [
		'<!doctype html>',
		'<html lang="en">',
		'<head>',
		'<meta charset="utf-8">',
		'<meta name="viewport" content="width=device-width, initial-scale=1">',
		`<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">`,
		'<meta name="color-scheme" content="light dark">',
		'<link rel="icon" href="data:,">',
		`<title>${escaped(title(study))}</title>`,
		`<style>${reportStyle}</style>`,
		'</head>',
		'<body>',
		'<main>',
		`<h1>${escaped(title(study))}</h1>`,
		`<p class="byline">after <a href="${references[0]!.url}">Ma, Sun, Pradeep and Lin (2021)</a>, with passagekit ${escaped(passagekit)}</p>`,
		`<p class="abstract">${escaped(abstract(study, found))}</p>`,
		section('Findings'),
		`<ol class="findings">${found.map(finding).join('\n')}</ol>`,
		section('Retrieval'),
		tableHtml(retrievalTable(study)),
		...tuning(study),
		...(overlap.length > 0 ? [section('Overlap'), tableHtml(overlapTable(study))] : []),
		...(reading
			? [section('Reading'), tableHtml(readingTable(study, reading)), ...figure(reading), tableHtml(tuningTable(reading, study))]
			: []),
		section('Tests'),
		folded('All tests of Table 1', [tableHtml(testsTable('Table 1', retrieval.comparisons, study))]),
		...(reading ? [folded('All tests of Table 3', [tableHtml(testsTable('Table 3', reading.comparisons, study))])] : []),
		section('How to reproduce'),
		...reproduction(study),
		section('References'),
		`<ul class="references">${references.map(({text, url}) => `<li>${escaped(text)} <a href="${url}">${url.replace('https://', '')}</a></li>`).join('\n')}</ul>`,
		'</main>',
		'</body>',
		'</html>',
		'',
	].join('\n');
}

/** Headings of sections, numbered from 1. */
function numbered(): (heading: string) => string {
	let number = 0;
	return heading => {
		number += 1;
		return `<h2><span class="number">${number}</span>${escaped(heading)}</h2>`;
	};
}

function finding(found: Finding): string {
	const {claim, here, holds, evidence} = found;
	const style = holds === true ? 'yes' : holds === 'partly' ? 'partly' : 'no';
	const tests = evidence.map(
		({a, b, measure, corrected}) =>
			`<div><dt>${escaped(`${conditionName(a)} − ${conditionName(b)}, ${measure}`)}</dt><dd>${escaped(equalsP(corrected))}</dd></div>`,
	);
	return [
		'<li>',
		`<div><p>${escaped(claim)}</p><p class="here">${escaped(here)}</p>`,
		...(tests.length > 0 ? [`<dl class="ps" aria-label="Corrected p">${tests.join('')}</dl>`] : []),
		'</div>',
		`<p class="verdict ${style}">${verdictOf(found)}</p>`,
		'</li>',
	].join('\n');
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

function reproduction(study: Study): readonly string[] {
	const {command} = study;
	const facts = [...settingsOf(study), ...inputs(study)].map(
		({what, value, code}) =>
			`<dt>${escaped(what)}</dt><dd>${escaped(value)}${code === undefined ? '' : ` <code>${escaped(code)}</code>`}</dd>`,
	);
	return [
		...(command === undefined ? [] : [`<pre>${escaped(command)}</pre>`]),
		`<dl class="facts">${facts.join('\n')}</dl>`,
		'<p>Long hexadecimal numbers are SHA-256. The same files, models and settings give this report again, byte for byte.</p>',
	];
}

function folded(summary: string, inside: readonly string[]): string {
	return ['<details>', `<summary>${escaped(summary)}</summary>`, ...inside, '</details>'].join('\n');
}
