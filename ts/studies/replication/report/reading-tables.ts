/**
The tables of the replication study about reading, as data: Table 3 of Ma et al. (2021), Table 4 of Karpukhin et al.
(2020), the values of Figure 1, and the weights chosen on development questions. `repl` is DPR's span scoring, `GAR` the
normalized scoring of Mao et al. (2020), and `*` adds the retriever's scores; β and γ are the weights of the reader's
relevance and of the retriever's score.
*/
import {markersOf} from '../../statistics/comparison.ts';
import {type ReportTable, type Row, cell, emptyCell} from '../../../drawing/table.ts';
import {testsSentence} from '../../report/tests-table.ts';
import {withCommas, percent} from '../../../drawing/format.ts';
import {markers} from '../markers.ts';
import {labelOf, exactMatchMeasure, readingCondition, retrieverLabels} from '../labels.ts';
import {publishedFor} from '../published.ts';
import type {ReadingStudy, Scoring, Study} from '../study.ts';
import {curveTable, decimal, decimalWeight} from './curve-table.ts';

/** All scorings, in the order of Ma et al. (2021). */
export const scorings = ['repl', 'repl*', 'GAR', 'GAR*'] as const satisfies readonly Scoring[];

/**
Table 3: exact match by retriever and scoring. The lower part has the numbers of Ma et al. (2021), if they have reading
results for this data set.
*/
export function readingTable({dataset, settings, questions}: Study, {rows, comparisons}: ReadingStudy): ReportTable {
	const paper = publishedFor(dataset)?.reading;
	const columns = scorings.filter(scoring => rows.some(({cells}) => cells.some(cell => cell.scoring === scoring)));
	const ours = rows.map(
		({retriever, cells}): Row => ({
			heading: {text: retrieverLabels[retriever]},
			cells: [
				...(paper ? [emptyCell] : []),
				...columns.map(scoring => {
					const found = cells.find(cell => cell.scoring === scoring);
					const markers = markersOf(comparisons, readingCondition(retriever, scoring), exactMatchMeasure);
					return found ? {text: percent(found.exactMatch), markers} : emptyCell;
				}),
			],
		}),
	);
	const theirs = rows.map(
		({retriever}): Row => ({
			heading: {text: retrieverLabels[retriever]},
			cells: (['orig', ...columns] as const).map(scoring => cell(paper?.[retriever][scoring], decimal)),
		}),
	);
	return {
		name: 'Table 3',
		caption:
			`End-to-end effectiveness: exact match in percent on ${withCommas(questions.test.count)} test questions, by the scoring of answer spans. ` +
			`“repl” is the original scoring of Karpukhin et al. (2020)${paper ? ', whose own numbers are in column “orig”' : ''}. “GAR” is the normalized scoring of Mao et al. (2020). “*” adds the retriever’s scores. ` +
			`Markers: ${markers.step} on repl* and GAR, significantly better than repl; ${markers.step} on GAR*, significantly better than GAR; ${markers.both} on GAR*, significantly better than repl. ` +
			`${testsSentence(comparisons, settings.significance)} ${readingSentences(settings)}`,
		firstHeading: 'Condition',
		columns: [...(paper ? [{heading: 'orig', kind: 'paper'} as const] : []), ...columns.map(heading => ({heading}))],
		blocks: paper
			? [
					{heading: 'Here', rows: ours},
					{heading: 'Ma et al. (2021)', rows: theirs},
				]
			: [{rows: ours}],
	};
}

/** Returns the sentences of the caption about the hybrid, spans, equal answers, accepted answers and int8 readers. */
function readingSentences({hybridRead, depth, spansPerPassage, maxAnswerTokens, merge, answers}: Study['settings']): string {
	const hybrid =
		hybridRead === undefined
			? ''
			: `The row “Hybrid” reads the passages of the hybrid that is better on development questions: ${labelOf(hybridRead.method)}${'alpha' in hybridRead ? ` with α = ${decimalWeight(hybridRead.alpha)}` : ''}, which fuses up to ${withCommas(depth)} hits of each list. `;
	const equal = merge === 'text' ? 'the same text' : 'the same text after SQuAD’s normalization';
	const kind = answers === 'pattern' ? ' Accepted answers are regular expressions, which must match from the start of an answer.' : '';
	return (
		`${hybrid}Up to ${spansPerPassage} spans per passage are scored, each of up to ${maxAnswerTokens} tokens. Answers are equal if they have ${equal}.${kind} ` +
		'If ONNX Runtime runs an int8 reader, its logits for a passage depend slightly on the other passages in the batch.'
	);
}

/**
Table 4 of Karpukhin et al. (2020), next to exact match with the same span scoring in this study; `undefined` if their
paper does not use this data set.
*/
export function dprTable({dataset, questions}: Study, {rows}: ReadingStudy): ReportTable | undefined {
	const paper = publishedFor(dataset);
	if (!paper) {
		return undefined;
	}
	return {
		name: 'Table 4 of Karpukhin et al. (2020)',
		caption:
			`End-to-end exact match in percent. “Single”: encoders trained on ${paper.dataset} only. “Multi”: encoders trained on all of their data sets except SQuAD. Their Hybrid is BM25 + DPR with λ = 1.1. ` +
			`“Here”: their span scoring (“repl” of Table 3) on ${withCommas(questions.test.count)} test questions of this study.`,
		firstHeading: 'Retriever',
		columns: [
			{group: 'Karpukhin et al. (2020)', heading: 'Single', kind: 'paper'},
			{group: 'Karpukhin et al. (2020)', heading: 'Multi', kind: 'paper'},
			{heading: 'Here'},
		],
		blocks: [
			{
				rows: rows.map(({retriever, cells}) => ({
					heading: {text: retrieverLabels[retriever]},
					cells: [
						cell(paper.dprReading[retriever].single, decimal),
						cell(paper.dprReading[retriever].multi, decimal),
						cell(cells.find(({scoring}) => scoring === 'repl')?.exactMatch, percent),
					],
				})),
			},
		],
	};
}

/** The values of Figure 1. */
export const exactMatchTable = ({ks, curves}: ReadingStudy): ReportTable =>
	curveTable(
		{name: 'Values of Figure 1', caption: 'Exact match in percent by the number of passages read.', firstHeading: 'Passages read'},
		ks,
		curves.map(({retriever, scoring, exactMatch}) => ({heading: labelOf(readingCondition(retriever, scoring)), values: exactMatch})),
	);

/** The numbers of passages and the weights that were chosen on development questions. */
export function tuningTable({rows}: ReadingStudy, {questions, settings}: Study): ReportTable {
	return {
		name: 'Chosen for reading',
		caption:
			`Chosen on ${withCommas(questions.development.count)} development questions: the number of passages read, the weight β of the reader’s relevance, and the weight γ of the retriever’s score. ` +
			'EM is exact match. EM and F1 are in percent.' +
			(settings.answers === 'pattern' ? ' F1 is not defined for accepted answers that are regular expressions.' : ''),
		firstHeading: 'Condition',
		columns: [
			{group: 'Chosen', heading: 'passages'},
			{group: 'Chosen', heading: 'β'},
			{group: 'Chosen', heading: 'γ'},
			{group: 'Development', heading: 'EM'},
			{group: 'Test', heading: 'EM'},
			{group: 'Test', heading: 'F1'},
		],
		blocks: rows.map(({retriever, cells}) => ({
			rows: cells.map(({scoring, passages, beta, gamma, developmentExactMatch, exactMatch, f1}) => ({
				heading: {text: `${retrieverLabels[retriever]}-${scoring}`},
				cells: [
					{text: withCommas(passages)},
					{text: decimalWeight(beta)},
					{text: decimalWeight(gamma)},
					{text: percent(developmentExactMatch)},
					{text: percent(exactMatch)},
					cell(f1, percent),
				],
			})),
		})),
	};
}
