/** The tables of retrieval: Tables 1 and 2 of Ma et al. (2021), and accuracy by k. */
import {markersOf} from '../../statistics/comparison.ts';
import {type Cell, type Column, type ReportTable, type Row, cell} from '../../../drawing/table.ts';
import {testsSentence} from '../../report/tests-table.ts';
import {grouped, percent} from '../../../drawing/format.ts';
import {markers} from '../markers.ts';
import {conditionLabels, labelOf, weightSymbol} from '../labels.ts';
import {topK} from '../../statistics/measures.ts';
import {publishedFor} from '../published.ts';
import type {Study} from '../study.ts';
import {curveTable, decimal, hundredths} from './curve-table.ts';

/** Table 1: accuracy, with the paper's numbers beside it if it has this data set. */
export function retrievalTable({dataset, retrieval, settings, questions}: Study): ReportTable {
	const paper = publishedFor(dataset);
	const {ks, rows, comparisons, addedComparisons} = retrieval;
	const groups = ks.map(k => ({k, known: paper !== undefined && (k === 20 || k === 100)}));
	const columns: Column[] = [
		...(paper ? [{group: 'Weight', heading: 'paper', kind: 'paper'} as const] : []),
		paper ? {group: 'Weight', heading: 'here'} : {heading: 'Weight'},
		...groups.flatMap(({k, known}): Column[] =>
			known
				? [
						{group: `Top-${k}`, heading: 'orig', kind: 'paper'},
						{group: `Top-${k}`, heading: 'repl', kind: 'paper'},
						{group: `Top-${k}`, heading: 'here'},
					]
				: [{heading: `Top-${grouped(k)}`}],
		),
	];
	const weight = (symbol: string, value: number | undefined, tuned = false): Cell =>
		cell(value, weight => `${symbol} = ${hundredths(weight)}${tuned ? ', tuned' : ''}`);
	const body = rows.map(({condition, weight: ours, accuracy, tuning}): Row => {
		const theirs = paper?.retrieval[condition];
		const symbol = weightSymbol(condition);
		return {
			heading: conditionLabels[condition],
			cells: [
				...(paper ? [weight(symbol, theirs?.weight)] : []),
				weight(symbol, ours, condition === 'dprHybrid' && tuning !== undefined),
				...groups.flatMap(({k, known}, i): Cell[] => [
					...(known ? [cell(theirs?.orig?.[k as 20], decimal), cell(theirs?.repl?.[k as 20], decimal)] : []),
					{text: percent(accuracy[i]!), markers: markersOf(condition === 'dprHybrid' ? addedComparisons : comparisons, condition, topK(k))},
				]),
			],
		};
	});
	const others = paper ? ` Columns “orig” are of Karpukhin et al. (2020), “repl” of Ma et al. (2021), both over Wikipedia.` : '';
	return {
		name: 'Table 1',
		caption:
			`Retrieval effectiveness: accuracy in per cent on ${grouped(questions.test.count)} test questions.${others} ` +
			`${markers.differs} on BM25: significantly different from dense retrieval. ` +
			`${markers.better} on Hybrid-norm or Hybrid: significantly better than the better of dense retrieval and BM25. ${testsSentence(comparisons, settings.significance)} ${dprHybridSentence(retrieval, settings)}`,
		stub: 'Condition',
		columns,
		blocks: [{rows: body}],
	};
}

/** The sentences of the caption about Hybrid-orig, which has its own k′ and its own tests. */
function dprHybridSentence({rows, addedComparisons}: Study['retrieval'], {dprDepth, depth, significance}: Study['settings']): string {
	const {weight, tuning} = rows.find(({condition}) => condition === 'dprHybrid') ?? {};
	const lambda =
		tuning === undefined
			? `λ = ${weight ?? '–'}, which is not tuned`
			: `λ = ${hundredths(weight!)}, tuned on development questions, because the encoder’s vectors have unit length and Karpukhin et al. chose λ = 1.1 for DPR’s, which do not`;
	const better = addedComparisons.filter(({mark}) => mark !== '').length > 0 ? ' It has the same mark.' : '';
	return (
		`Hybrid-orig fuses up to ${grouped(dprDepth)} hits of each list, the others up to ${grouped(depth)}; it has ${lambda}. ` +
		`The paper copies this row and does not test it; here its ${addedComparisons.length} tests are corrected apart, p < ${significance}.${better}`
	);
}

/** Table 2: Jaccard overlap, with the paper's numbers below. */
export function overlapTable({dataset, overlap, questions}: Study): ReportTable {
	const paper = publishedFor(dataset);
	return {
		name: 'Table 2',
		caption:
			'The Jaccard overlap between sparse and dense retrieval results in per cent: the passages in both lists of k, divided by those in either; ' +
			`the mean over ${grouped(overlap[0]?.questions ?? questions.test.count)} questions. Passages of equal scores stand in the order in which they were retrieved.`,
		stub: 'k',
		columns: overlap.map(({k}) => ({heading: grouped(k)})),
		blocks: [
			{
				rows: [
					{heading: {text: 'here'}, cells: overlap.map(({jaccard}) => ({text: percent(jaccard)}))},
					...(paper
						? [
								{
									heading: {text: 'Ma et al. (2021)'},
									cells: overlap.map(({k}) => cell(paper.overlap[k as 20] as number | undefined, decimal)),
								},
							]
						: []),
				],
			},
		],
	};
}

/** Accuracy at 1 to 10 and at multiples of 5; `report.json` has all values. */
export function accuracyTable({retrieval}: Study): ReportTable {
	const {ks, lines} = retrieval.curves;
	const shown = ks.filter(k => k <= 10 || k % 5 === 0 || k === ks.at(-1));
	return curveTable(
		{name: 'Accuracy by k', caption: 'Top-k accuracy in per cent; report.json has it for every k.', stub: 'k'},
		shown,
		lines.map(({condition, accuracy}) => ({
			heading: labelOf(condition),
			values: shown.map(k => accuracy[ks.indexOf(k)]!),
		})),
	);
}
