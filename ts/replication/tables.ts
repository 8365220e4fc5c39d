/** The tables of a study as data, which both reports lay out: the paper's three, and what was tuned. */
import {marksOf} from '../report/comparisons.ts';
import {type Cell, type Column, type ReportTable, type Row, cell, none, tested} from '../report/table.ts';
import {grouped, percent} from '../report/words.ts';
import {marks} from './marks.ts';
import {conditionLabels, exactMatchMeasure, readingCondition, retrieverNames, topK, weightSymbol} from './names.ts';
import {publishedFor} from './published.ts';
import type {ReadingStudy, Scoring, Study} from './study.ts';

export const scorings = ['repl', 'repl*', 'GAR', 'GAR*'] as const satisfies readonly Scoring[];
const decimal = (value: number): string => value.toFixed(1);
/** Two decimals, or as many as it has up to four. */
const hundredths = (value: number): string => value.toFixed(4).replace(/0{1,2}$/u, '');

/** Table 1: accuracy, with the paper's beside it where it has this data set. */
export function retrievalTable({dataset, retrieval, settings, questions}: Study): ReportTable {
	const paper = publishedFor(dataset);
	const {ks, rows, comparisons} = retrieval;
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
	const weight = (symbol: string, value: number | undefined): Cell => cell(value, weight => `${symbol} = ${hundredths(weight)}`);
	const body = rows.map(({condition, weight: ours, accuracy}): Row => {
		const theirs = paper?.retrieval[condition];
		const symbol = weightSymbol(condition);
		return {
			heading: conditionLabels[condition],
			cells: [
				...(paper ? [weight(symbol, theirs?.weight)] : []),
				weight(symbol, ours),
				...groups.flatMap(({k, known}, i): Cell[] => [
					...(known ? [cell(theirs?.orig?.[k as 20], decimal), cell(theirs?.repl?.[k as 20], decimal)] : []),
					{text: percent(accuracy[i]!), marks: marksOf(comparisons, condition, topK(k))},
				]),
			],
		};
	});
	const others = paper ? ` Columns “orig” are of Karpukhin et al. (2020), “repl” of Ma et al. (2021), both over Wikipedia.` : '';
	return {
		name: 'Table 1',
		caption:
			`Retrieval effectiveness: accuracy in per cent on ${grouped(questions.test.count)} test questions.${others} ` +
			`${marks.differs} on BM25: significantly different from dense retrieval. ` +
			`${marks.better} on a hybrid: significantly better than the better of dense retrieval and BM25. ${tested(comparisons, settings.significance)}`,
		stub: 'Condition',
		columns,
		blocks: [{rows: body}],
	};
}

/** Table 2: Jaccard overlap, with the paper's below. */
export function overlapTable({dataset, overlap, questions}: Study): ReportTable {
	const paper = publishedFor(dataset);
	return {
		name: 'Table 2',
		caption:
			'The Jaccard overlap between sparse and dense retrieval results in per cent: passages in both lists of k, of those in either; ' +
			`the mean over ${grouped(overlap[0]?.questions ?? questions.test.count)} questions.`,
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

/** Table 3: exact match, with the paper's below where it read this data set. */
export function readingTable({dataset, settings, questions}: Study, {rows, comparisons}: ReadingStudy): ReportTable {
	const paper = publishedFor(dataset)?.reading;
	const columns = scorings.filter(scoring => rows.some(({cells}) => cells.some(({scoring: of}) => of === scoring)));
	const ours = rows.map(
		({retriever, cells}): Row => ({
			heading: {text: retrieverNames[retriever]},
			cells: [
				...(paper ? [none] : []),
				...columns.map(scoring => {
					const found = cells.find(({scoring: of}) => of === scoring);
					const marks = marksOf(comparisons, readingCondition(retriever, scoring), exactMatchMeasure);
					return found ? {text: percent(found.exactMatch), marks} : none;
				}),
			],
		}),
	);
	const theirs = rows.map(
		({retriever}): Row => ({
			heading: {text: retrieverNames[retriever]},
			cells: (['orig', ...columns] as const).map(scoring => cell(paper?.[retriever][scoring], decimal)),
		}),
	);
	return {
		name: 'Table 3',
		caption:
			`End-to-end effectiveness: exact match in per cent on ${grouped(questions.test.count)} test questions, by answer span scoring. ` +
			`“repl” is the original scoring of Karpukhin et al. (2020)${paper ? ', whose own numbers are “orig”' : ''}; “GAR” the normalised one of Mao et al. (2020); “*” has the retriever’s scores fused in. ` +
			`${marks.step} on repl* and GAR: significantly better than repl; on GAR*: than GAR. ${marks.both} on GAR*: significantly better than repl. ${tested(comparisons, settings.significance)}`,
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

/** What development questions chose for reading. */
export function tuningTable({rows}: ReadingStudy, {questions}: Study): ReportTable {
	return {
		name: 'Table 4',
		caption:
			`What ${grouped(questions.development.count)} development questions chose for reading: passages read and the weights β of the reader’s relevance and γ of the retriever’s score, ` +
			'with the exact match there; and exact match and F1 on the test questions. All in per cent.',
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
				heading: {text: `${retrieverNames[retriever]}-${scoring}`},
				cells: [
					{text: grouped(passages)},
					{text: hundredths(beta)},
					{text: hundredths(gamma)},
					{text: percent(developmentExactMatch)},
					{text: percent(exactMatch)},
					{text: percent(f1)},
				],
			})),
		})),
	};
}
