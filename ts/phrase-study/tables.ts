/** The tables of a study as data, which both reports lay out. */
import {compared} from '../report/comparisons.ts';
import {type Cell, type Column, type ReportTable, type Row, cell, tested} from '../report/table.ts';
import {grouped, percent} from '../report/words.ts';
import {ndcgMeasure} from '../study/measures.ts';
import {accuracyMeasure, conditionName, lengthName} from './names.ts';
import {publishedPhrasesFor} from './published.ts';
import type {PhraseCondition, PhraseStudy, ProtocolStudy} from './study.ts';

/** What stands beside a value, by the test against MUF. */
export const marks = {worse: '†', better: '‡'} as const;

const decimal = (value: number): string => value.toFixed(1);
const theirs = (value: number | undefined): Cell => cell(value, decimal);

/** Table 1: what the data set is. */
export function factsTable({dataset, corpus, questions, relevance}: PhraseStudy): ReportTable {
	const paper = publishedPhrasesFor(dataset);
	return {
		name: 'Table 1',
		caption: `The data set. Lengths are means in words, by white space${paper ? '; the paper’s are in tokens, and its questions are question-context pairs' : ''}.`,
		stub: 'Data set',
		columns: [
			{heading: 'questions'},
			{heading: 'passages'},
			{heading: 'relevant a question'},
			{heading: 'question length'},
			{heading: 'passage length'},
		],
		blocks: [
			{
				rows: [
					{
						heading: {text: `${dataset}, here`},
						cells: [
							{text: grouped(questions.development + questions.test)},
							{text: grouped(corpus.count)},
							{text: relevance.perQuestion.toFixed(2)},
							{text: decimal(questions.words)},
							{text: decimal(corpus.words)},
						],
					},
					...(paper
						? [
								{
									heading: {text: `${paper.dataset}, Yang et al.`},
									cells: [
										{text: grouped(paper.pairs)},
										theirs(undefined),
										theirs(undefined),
										theirs(paper.questionTokens),
										theirs(paper.passageTokens),
									],
								},
							]
						: []),
				],
			},
		],
	};
}

/** The models, and what their phrases are. */
export function phrasesTable({models}: PhraseStudy): ReportTable {
	return {
		name: 'Models',
		caption: 'Phrases of each model, and their mean length in words.',
		stub: 'Model',
		columns: [{heading: 'phrases of', kind: 'words'}, {heading: 'phrases'}, {heading: 'words'}],
		blocks: [
			{
				rows: models.map(({name, length, phrases, words}) => ({
					heading: {text: name},
					cells: [{text: lengthName(length)}, {text: grouped(phrases)}, {text: decimal(words)}],
				})),
			},
		],
	};
}

/** Table 2: accuracy of each model and of MUF among candidates. */
export function modelsTable(study: PhraseStudy): ReportTable {
	const {dataset, candidates, questions, settings} = study;
	const paper = publishedPhrasesFor(dataset);
	const share = (name: string): Cell => cell(candidates.chosen[name], count => percent(questions.test === 0 ? 0 : count / questions.test));
	const rows = candidates.models.map(
		({name, development}): Row => ({
			heading: {text: name},
			cells: [
				...(paper ? [theirs(paper.models[name] ?? (name === 'M0' ? paper.general.dpr : undefined))] : []),
				{text: percent(development)},
				...values(candidates, name as PhraseCondition),
				share(name),
			],
		}),
	);
	return {
		name: 'Table 2',
		caption:
			`Phrase lengths and their fusion: accuracy and mean reciprocal rank in per cent among ${candidates.size} candidates, on ${grouped(questions.test)} test questions. ` +
			`Accuracy is the paper’s F-1: one passage is predicted, one is right. MUF fuses ${candidates.selected.join(', ')}, which are right most often on ${grouped(questions.development)} development questions; ` +
			`the last column is how much of it each answers. ${marked(candidates, settings.significance)}`,
		stub: 'Model',
		columns: [
			...(paper ? [{heading: 'paper', kind: 'paper'} as const] : []),
			{heading: 'development'},
			...measureColumns(candidates, 'Test'),
			{heading: 'answers'},
		],
		blocks: [
			{rows},
			{
				rows: [
					{
						heading: {text: conditionName('muf')},
						cells: [...(paper ? [theirs(paper.muf)] : []), theirs(undefined), ...values(candidates, 'muf'), theirs(undefined)],
					},
				],
			},
		],
	};
}

/** Table 3: BM25, whole passages, MUF, and other ways to fuse the same models. */
export function generalTable({dataset, candidates, questions, settings}: PhraseStudy): ReportTable {
	const paper = publishedPhrasesFor(dataset);
	const row = (condition: PhraseCondition, published?: number): Row => ({
		heading: {text: condition === 'M0' ? 'M0 (DPR’s way)' : conditionName(condition)},
		cells: [...(paper ? [theirs(published)] : []), ...values(candidates, condition)],
	});
	return {
		name: 'Table 3',
		caption:
			`General evaluation: accuracy and mean reciprocal rank in per cent among ${candidates.size} candidates, on ${grouped(questions.test)} test questions. ` +
			`“MUF, descent” has the temperatures of the paper’s descent from T0 = ${settings.start} with steps of ${settings.stepSize}; “MUF, T = 1” none; “MUF of all” fuses all models; ` +
			`“Mean score” and “RRF” (Cormack et al., 2009) are of MUF’s models. ${paper ? 'The paper’s BM25 ranked whole corpora. ' : ''}${marked(candidates, settings.significance)}`,
		stub: 'Condition',
		columns: [...(paper ? [{heading: 'paper', kind: 'paper'} as const] : []), ...measureColumns(candidates)],
		blocks: [
			{rows: [row('bm25', paper?.general.bm25), row('M0', paper?.general.dpr), row('muf', paper?.general.muf)]},
			{rows: (['mufDescent', 'mufPlain', 'mufAll', 'mean', 'rrf'] as const).map(condition => row(condition))},
		],
	};
}

/** Table 4: all of them among all passages. */
export function retrievalTable({retrieval, corpus, questions, relevance, settings}: PhraseStudy): ReportTable {
	const graded = retrieval.measures.includes(ndcgMeasure) ? ' nDCG@10 counts grades.' : '';
	const relevant =
		relevance.from === 'answers'
			? 'a passage with an answer'
			: relevance.from === 'contexts'
				? 'the passage that the question was written for'
				: 'a relevant passage';
	return {
		name: 'Table 4',
		caption:
			`Retrieval from all ${grouped(corpus.count)} passages: the share of ${grouped(questions.test)} test questions with ${relevant} among the first k, and the mean reciprocal rank, in per cent.${graded} ` +
			`MUF fuses ${retrieval.selected.join(', ')}, with temperatures of this task. ${marked(retrieval, settings.significance)}`,
		stub: 'Condition',
		columns: measureColumns(retrieval),
		blocks: [
			{
				rows: retrieval.rows.map(({condition}) => ({
					heading: {text: conditionName(condition)},
					cells: values(retrieval, condition),
				})),
			},
		],
	};
}

/** Table 5: temperatures, and calibration errors before and after. */
export function calibrationTable({candidates, retrieval, questions, settings}: PhraseStudy): ReportTable {
	const rows = ({models}: ProtocolStudy): readonly Row[] =>
		models.map(({name, temperature, descended, before, after, afterDescent}) => ({
			heading: {text: name},
			cells: [
				{text: temperature.toPrecision(3)},
				{text: descended.toPrecision(3)},
				...[before, after, afterDescent].map(({absolute}) => ({text: percent(absolute)})),
				...[before, after, afterDescent].map(({squared}) => ({text: percent(squared)})),
				...[before, after].map(({brier}) => ({text: brier.toFixed(3)})),
			],
		}));
	const three = (group: string): readonly Column[] => ['T = 1', 'search', 'descent'].map(heading => ({group, heading}));
	return {
		name: 'Table 5',
		caption:
			`Calibration: temperatures that ${grouped(questions.development)} development questions chose, by search and by the paper’s descent from T0 = ${settings.start}; and on ${grouped(questions.test)} test questions ` +
			`the expected calibration error in ${settings.bins} bins, of absolute differences (Guo et al., 2017) and of squared ones (the paper’s) in per cent, and Brier’s score.`,
		stub: 'Model',
		columns: [
			{group: 'Temperature', heading: 'search'},
			{group: 'Temperature', heading: 'descent'},
			...three('ECE'),
			...three('ECE, squared'),
			{group: 'Brier', heading: 'T = 1'},
			{group: 'Brier', heading: 'search'},
		],
		blocks: [
			{heading: 'Among candidates', rows: rows(candidates)},
			{heading: 'Among all passages', rows: rows(retrieval)},
		],
	};
}

/** Figure 2 as a table. */
export function curveTable({candidates, retrieval}: PhraseStudy): ReportTable {
	return {
		name: 'Values of Figure 2',
		caption: 'Accuracy of MUF on test questions in per cent by the temperature T0 that the descent begins at.',
		stub: 'T0',
		columns: [{heading: 'among candidates'}, {heading: 'among all passages'}],
		blocks: [
			{
				rows: candidates.curve.map(({start, accuracy}, i) => ({
					heading: {text: String(Number(start.toPrecision(3)))},
					cells: [{text: percent(accuracy)}, cell(retrieval.curve[i]?.accuracy, percent)],
				})),
			},
		],
	};
}

function values({rows, measures, comparisons}: ProtocolStudy, condition: PhraseCondition): readonly Cell[] {
	const found = rows.find(row => row.condition === condition)!;
	return found.values.map((value, i): Cell => {
		const test = i === 0 && condition !== 'muf' ? compared(comparisons, 'muf', condition, measures[0]!) : undefined;
		const mark = test?.significant ? (test.difference > 0 ? marks.worse : marks.better) : '';
		return {text: percent(value), ...(mark === '' ? {} : {marks: mark})};
	});
}

function measureColumns({measures}: ProtocolStudy, group?: string): readonly Column[] {
	return measures.map(heading => ({...(group === undefined ? {} : {group}), heading}));
}

function marked({comparisons, measures}: ProtocolStudy, significance: number): string {
	const of = measures[0] === accuracyMeasure ? 'accuracy' : measures[0]!;
	return `On ${of}: ${marks.worse} MUF is significantly better, ${marks.better} significantly better than MUF. ${tested(comparisons, significance)}`;
}
