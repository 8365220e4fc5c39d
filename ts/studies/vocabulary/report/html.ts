import {escaped, tableHtml} from '../../../drawing/html.ts';
import {folded, page} from '../../../drawing/page.ts';
import {findingsHtml, numbered, referencesHtml, reproduction} from '../../report/html.ts';
import {testsTable} from '../../report/tests-table.ts';
import {grouped} from '../../../drawing/format.ts';
import type {VocabularyAnalysis} from '../../../vocabulary/index.ts';
import {amnesiaPanel} from './amnesia-panel.ts';
import {compositionPanel, kinds} from './composition-panel.ts';
import {type Curve, curvePanel} from './curve-panel.ts';
import {abstract, caveats, inputs, references, settingsOf, title} from './metadata.ts';
import {examplesFigureHtml, examplesTableHtml} from '../examples/html.ts';
import {vocabularyFindings} from '../findings/findings.ts';
import {conditionName, encoderName} from '../labels.ts';
import {vocabularyStyle} from './style.ts';
import {type VocabularyStudy, checkVocabularyStudy} from '../study.ts';
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

/**
A study as one HTML page that needs nothing else: no network, no scripts, light or dark as the reader's screen is. It shows
findings, the paper's figures and tables for this data set, with its numbers where its text has them, all tests, and what is
needed to make it again. The same study gives the same text. Refuses what is no study (`ERR_FORMAT`).

@example
```
await writeFile('report.html', vocabularyStudyHtml(study));
```
*/
export function vocabularyStudyHtml(study: VocabularyStudy): string {
	checkVocabularyStudy(study);
	const {retrieval, settings, passagekit, tests} = study;
	const found = vocabularyFindings(study);
	const section = numbered();
	return page({
		title: title(study),
		byline: `after <a href="${references[0]!.url}">Ram, Bezalel, Zicher, Belinkov, Berant and Globerson (2023)</a>, with passagekit ${escaped(passagekit)}`,
		abstract: abstract(study, found),
		style: vocabularyStyle,
		body: [
			section('Findings'),
			findingsHtml(found, conditionName),
			...caveats(study).map(caveat => `<p>${escaped(caveat)}</p>`),
			section('What vectors are about'),
			...examplesTableHtml(study),
			...examplesFigureHtml(study),
			...curves(study),
			folded('Figures 3 and 4 as tables', [tableHtml(coverageTable(study)), tableHtml(expansionTable(study))]),
			tableHtml(mrrTable(study)),
			folded('Tests of claims about projections', [
				tableHtml(testsTable('claims about projections', tests.claims, settings.significance, conditionName)),
			]),
			...compositions(study),
			folded('Figure 6 as a table', [tableHtml(compositionTable(study))]),
			section('Token amnesia'),
			...amnesias(study),
			folded('Figures 5 and 7 as a table', [tableHtml(amnesiaTable(study))]),
			...(tests.amnesia.length > 0 ? [folded('Tests of token amnesia', [tableHtml(amnesiaTestsTable(study))])] : []),
			section('Retrieval'),
			tableHtml(retrievalTable(study)),
			...(settings.lambdas.length > 0 ? [folded('λ on development questions', [tableHtml(lambdaTable(study))])] : []),
			...(retrieval.comparisons.length > 0
				? [folded('All tests', [tableHtml(testsTable('Tables 3 and 4', retrieval.comparisons, settings.significance, conditionName))])]
				: []),
			section('How to reproduce'),
			...reproduction(study.command, [...settingsOf(study), ...inputs(study)]),
			section('References'),
			referencesHtml(references),
		],
	});
}

function curves({analyses, baseline}: VocabularyStudy): readonly string[] {
	const [{analysis}] = analyses as [(typeof analyses)[number]];
	const panel = (name: string, heading: string, valuesOf: (analysis: VocabularyAnalysis) => readonly number[]): string => {
		const of = analyses.map(({of, analysis}): Curve => ({name: encoderName(of, baseline), style: of, values: valuesOf(analysis)}));
		return `<div><p>${escaped(heading)}</p>\n${curvePanel(name, heading, analysis.ks, of)}</div>`;
	};
	return [
		'<figure>',
		'<div class="panels">',
		panel('coverage-question', 'Shared tokens in Q', ({coverage}) => coverage.all.question),
		panel('coverage-passage', 'Shared tokens in P', ({coverage}) => coverage.all.passage),
		panel('expansion', 'Questions with query expansion in Q', ({expansion}) => expansion),
		'</div>',
		`<figcaption><b>Figures 3 and 4.</b> The share of tokens that question and gold passage have in common among the first k of the question’s projection Q, and of the passage’s projection P (Figure 3); and the share of questions with a token of the passage among the first k of Q that the question does not have (Figure 4). ${grouped(analysis.pairs)} questions.</figcaption>`,
		'</figure>',
	];
}

function compositions({analyses, baseline}: VocabularyStudy): readonly string[] {
	const panels = analyses
		.filter(({of}) => of !== 'enriched')
		.flatMap(({of, analysis}) =>
			(
				[
					['question', 'Q'],
					['passage', 'P'],
				] as const
			).map(([side, name]) => {
				const heading = `${encoderName(of, baseline)}, ${name}`;
				return `<div><p>${escaped(heading)}</p>\n${compositionPanel(`composition-${of}-${side}`, heading, analysis.composition[side])}</div>`;
			}),
		);
	const key = kinds.map(
		({name}, i) =>
			`<li><svg viewBox="0 0 10 10" aria-hidden="true"><rect width="10" height="10" class="part-${i}"/></svg>${escaped(name)}</li>`,
	);
	return [
		'<figure>',
		`<div class="panels">${panels.join('\n')}</div>`,
		`<ul class="key">${key.join('')}</ul>`,
		'<figcaption><b>Figure 6.</b> What the first k tokens of projections are, from the bottom up in the order of the key.</figcaption>',
		'</figure>',
	];
}

function amnesias({analyses, head, settings}: VocabularyStudy): readonly string[] {
	const {groups, without} = analyses.find(({of}) => of === 'encoder')!.amnesia;
	const panels = (
		[
			['max', 'passage', 'Worst rank in P'],
			['max', 'question', 'Worst rank in Q'],
			['median', 'passage', 'Median rank in P'],
			['median', 'question', 'Median rank in Q'],
		] as const
	).map(
		([kind, side, heading]) =>
			`<div><p>${heading}</p>\n${amnesiaPanel(`amnesia-${kind}-${side}`, heading, groups, group => group[kind][side], head.vocabulary)}</div>`,
	);
	return [
		'<figure>',
		`<div class="panels">${panels.join('\n')}</div>`,
		`<figcaption><b>Figures 5 and 7.</b> Ranks of tokens that question and passage share, without stop words and punctuation marks, of questions that BM25 answers among its first ${settings.sparseDepth}, by the rank that dense retrieval gives the same passage. Boxes are quartiles, whiskers the 5th and the 95th percentile.${without > 0 ? ` ${grouped(without)} questions share no such token with the passage.` : ''}</figcaption>`,
		'</figure>',
	];
}
