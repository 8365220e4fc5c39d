/**
The tables of the replication study about retrieval, as data: Tables 1 and 2 of Ma et al. (2021), and accuracy by k. λ is
the weight of dense scores in Hybrid-orig, DPR's own hybrid; α is the weight of BM25 scores in the hybrids of the paper.
*/
import {markersOf} from '../../statistics/comparison.ts';
import {type Cell, type Column, type ReportTable, type Row, cell} from '../../../drawing/table.ts';
import {testsSentence} from '../../report/tests-table.ts';
import {withCommas, percent} from '../../../drawing/format.ts';
import {markers} from '../markers.ts';
import {conditionLabels, labelOf, weightSymbol} from '../labels.ts';
import {topK} from '../../statistics/measures.ts';
import {publishedFor} from '../published.ts';
import type {Study} from '../study.ts';
import {curveTable, decimal, decimalWeight} from './curve-table.ts';

/** Table 1: top-k accuracy of all conditions, next to the paper's numbers if the paper uses this data set. */
export function retrievalTable({dataset, retrieval, settings, questions}: Study): ReportTable {
	const paper = publishedFor(dataset);
	const {ks, rows, comparisons, addedComparisons} = retrieval;
	// The paper has the cut-offs 20 and 100 only.
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
				: [{heading: `Top-${withCommas(k)}`}],
		),
	];
	const weight = (symbol: string, value: number | undefined, tuned = false): Cell =>
		cell(value, weight => `${symbol} = ${decimalWeight(weight)}${tuned ? ', tuned' : ''}`);
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
	const columnsSentence = paper
		? ' Columns “orig” are the numbers of Karpukhin et al. (2020), “repl” those of Ma et al. (2021), both on Wikipedia.'
		: '';
	return {
		name: 'Table 1',
		caption:
			`Retrieval effectiveness: top-k accuracy in percent on ${withCommas(questions.test.count)} test questions.${columnsSentence} ` +
			`Markers: ${markers.differs} on BM25, significantly different from dense retrieval; ${markers.better} on a hybrid, significantly better than the better of dense retrieval and BM25. ` +
			`${testsSentence(comparisons, settings.significance)} ${dprHybridSentences(retrieval, settings)}`,
		firstHeading: 'Condition',
		columns,
		blocks: [{rows: body}],
	};
}

/**
Returns the sentences of the caption about the weights of hybrids, and about Hybrid-orig, which fuses a different number
of hits (k′) and has tests of its own.
*/
function dprHybridSentences({rows, addedComparisons}: Study['retrieval'], {dprDepth, depth, significance}: Study['settings']): string {
	const {weight, tuning} = rows.find(({condition}) => condition === 'dprHybrid') ?? {};
	const lambda =
		tuning === undefined
			? `λ = ${weight ?? '–'}, not tuned`
			: `λ = ${decimalWeight(weight!)}, tuned on development questions: Karpukhin et al. chose λ = 1.1 for the vectors of DPR, but the vectors of this encoder have unit length`;
	return (
		'λ is the weight of dense scores, α that of BM25 scores. ' +
		`Hybrid-orig fuses up to ${withCommas(dprDepth)} hits of each list, the other hybrids up to ${withCommas(depth)}. Its weight is ${lambda}. ` +
		`The paper copies this row and does not test it; here its ${addedComparisons.length} tests are corrected separately, p < ${significance}.`
	);
}

/**
Table 2: Jaccard overlap of dense and BM25 lists. If the paper uses this data set, the second row has the paper's
numbers.
*/
export function overlapTable({dataset, overlap, questions}: Study): ReportTable {
	const paper = publishedFor(dataset);
	return {
		name: 'Table 2',
		caption:
			'The Jaccard overlap between sparse and dense retrieval results in percent: the number of passages that are in both lists of length k, divided by the number that are in at least one. ' +
			`Values are means over ${withCommas(overlap[0]?.questions ?? questions.test.count)} questions. Passages with equal scores keep the order in which they were retrieved.`,
		firstHeading: 'k',
		columns: overlap.map(({k}) => ({heading: withCommas(k)})),
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

/** Accuracy for k from 1 to 10, for multiples of 5, and for the largest k; `report.json` has all values. */
export function accuracyTable({retrieval}: Study): ReportTable {
	const {ks, lines} = retrieval.curves;
	const shown = ks.filter(k => k <= 10 || k % 5 === 0 || k === ks.at(-1));
	return curveTable(
		{name: 'Accuracy by k', caption: 'Top-k accuracy in percent. The file report.json has the values for every k.', firstHeading: 'k'},
		shown,
		lines.map(({condition, accuracy}) => ({
			heading: labelOf(condition),
			values: shown.map(k => accuracy[ks.indexOf(k)]!),
		})),
	);
}
