/** The tables of reading: Table 3 of Ma et al. (2021), Table 4 of Karpukhin et al. (2020), the chosen weights. */
import {markersOf} from '../../statistics/comparison.ts';
import {type ReportTable, type Row, cell, none} from '../../../drawing/table.ts';
import {testsSentence} from '../../report/tests-table.ts';
import {grouped, percent} from '../../../drawing/format.ts';
import {markers} from '../markers.ts';
import {labelOf, exactMatchMeasure, readingCondition, retrieverLabels} from '../labels.ts';
import {publishedFor} from '../published.ts';
import type {ReadingStudy, Scoring, Study} from '../study.ts';
import {curveTable, decimal, hundredths} from './curve-table.ts';

export const scorings = ['repl', 'repl*', 'GAR', 'GAR*'] as const satisfies readonly Scoring[];

/** Table 3: exact match, with the paper's numbers below if it has read this data set. */
export function readingTable({dataset, settings, questions}: Study, {rows, comparisons}: ReadingStudy): ReportTable {
	const paper = publishedFor(dataset)?.reading;
	const columns = scorings.filter(scoring => rows.some(({cells}) => cells.some(({scoring: of}) => of === scoring)));
	const ours = rows.map(
		({retriever, cells}): Row => ({
			heading: {text: retrieverLabels[retriever]},
			cells: [
				...(paper ? [none] : []),
				...columns.map(scoring => {
					const found = cells.find(({scoring: of}) => of === scoring);
					const markers = markersOf(comparisons, readingCondition(retriever, scoring), exactMatchMeasure);
					return found ? {text: percent(found.exactMatch), markers} : none;
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
			`End-to-end effectiveness: exact match in per cent on ${grouped(questions.test.count)} test questions, by answer span scoring. ` +
			`“repl” is the original scoring of Karpukhin et al. (2020)${paper ? ', whose own numbers are “orig”' : ''}; “GAR” the normalized one of Mao et al. (2020); “*” has the retriever’s scores fused in. ` +
			`${markers.step} on repl* and GAR: significantly better than repl; on GAR*: than GAR. ${markers.both} on GAR*: significantly better than repl. ${testsSentence(comparisons, settings.significance)} ${readSentence(settings)}`,
		stub: 'Condition',
		columns: [...(paper ? [{heading: 'orig', kind: 'paper'} as const] : []), ...columns.map(heading => ({heading}))],
		blocks: paper
			? [
					{heading: 'Here', rows: ours},
					{heading: 'Ma et al. (2021)', rows: theirs},
				]
			: [{rows: ours}],
	};
}

/** The sentences of the caption about the hybrid, about spans and about equal answers. */
function readSentence({hybridRead, depth, spansPerPassage, maxAnswerTokens, merge, answers}: Study['settings']): string {
	const hybrid =
		hybridRead === undefined
			? ''
			: `Hybrid is ${labelOf(hybridRead.method)}${'alpha' in hybridRead ? ` with α = ${hundredths(hybridRead.alpha)}` : ''}, the better one on development questions, which fuses up to ${grouped(depth)} hits of each list. `;
	const equal = merge === 'text' ? 'the same text' : 'the same text after SQuAD’s normalization';
	const kind =
		answers === 'pattern' ? ' Accepted answers are regular expressions, which have to match the answer from its first character on.' : '';
	return `${hybrid}Up to ${spansPerPassage} spans of a passage count, of up to ${maxAnswerTokens} tokens; answers are equal if they have ${equal}.${kind} The logits of an int8 reader for a passage depend slightly on the passages read in the same batch.`;
}

/** Table 4 of Karpukhin et al. (2020), beside exact match with their span scoring; undefined if they do not have this data set. */
export function dprTable({dataset, questions}: Study, {rows}: ReadingStudy): ReportTable | undefined {
	const paper = publishedFor(dataset);
	if (!paper) {
		return undefined;
	}
	return {
		name: 'Table 4 of Karpukhin et al. (2020)',
		caption:
			`End-to-end exact match in per cent. “Single”: encoders trained on ${paper.dataset}; “Multi”: trained on all of their data sets but SQuAD. ` +
			`“Here” is “repl” of Table 3, their span scoring, on ${grouped(questions.test.count)} test questions; Hybrid there is BM25 + DPR with λ = 1.1.`,
		stub: 'Retriever',
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
		{name: 'Values of Figure 1', caption: 'Exact match in per cent by passages read.', stub: 'Passages read'},
		ks,
		curves.map(({retriever, scoring, exactMatch}) => ({heading: labelOf(readingCondition(retriever, scoring)), values: exactMatch})),
	);

/** What was chosen on development questions for reading. */
export function tuningTable({rows}: ReadingStudy, {questions, settings}: Study): ReportTable {
	return {
		name: 'Chosen for reading',
		caption:
			`What ${grouped(questions.development.count)} development questions chose for reading: passages read and the weights β of the reader’s relevance and γ of the retriever’s score, ` +
			'with the exact match there; and exact match and F1 on the test questions. All in per cent.' +
			(settings.answers === 'pattern' ? ' F1 is not defined for accepted answers that are regular expressions.' : ''),
		stub: 'Condition',
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
					{text: grouped(passages)},
					{text: hundredths(beta)},
					{text: hundredths(gamma)},
					{text: percent(developmentExactMatch)},
					{text: percent(exactMatch)},
					cell(f1, percent),
				],
			})),
		})),
	};
}
