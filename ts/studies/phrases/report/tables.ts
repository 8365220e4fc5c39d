/** The tables of the report: Tables 1 to 3 of Yang et al. (2023), and Tables 4 and 5 and the values of figures, which are added here. */
import {findComparison} from '../../statistics/comparison.ts';
import {type Cell, type Column, type ReportTable, type Row, cell} from '../../../drawing/table.ts';
import {type TestFamily, testsSentence} from '../../report/tests-table.ts';
import {grouped, percent} from '../../../drawing/format.ts';
import {ndcgMeasure} from '../../statistics/measures.ts';
import {labelOf, lengthLabel} from '../labels.ts';
import {type PublishedPhrases, publishedPhrasesFor} from '../published.ts';
import type {CalibratedFusion, PhraseCondition, PhraseStudy, ProtocolStudy} from '../study.ts';

/** The significance markers beside a value, by its comparison with MUF. */
const markers = {worse: '†', better: '‡'} as const;

const decimal = (value: number): string => value.toFixed(1);
const paperCell = (value: number | undefined): Cell => cell(value, decimal);

/** Table 1: sizes and lengths of the data set. */
export function datasetTable({dataset, corpus, questions, relevance}: PhraseStudy): ReportTable {
	const paper = publishedPhrasesFor(dataset);
	return {
		name: 'Table 1',
		caption: `The data set. Lengths are means, in word pieces of the encoder without special tokens, and in words by white space${paper ? '; the paper’s questions are question-context pairs' : ''}.`,
		stub: 'Data set',
		columns: [
			{heading: 'questions'},
			{heading: 'passages'},
			{heading: 'relevant per question'},
			{group: 'Question length', heading: 'tokens'},
			{group: 'Question length', heading: 'words'},
			{group: 'Passage length', heading: 'tokens'},
			{group: 'Passage length', heading: 'words'},
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
							{text: decimal(questions.tokens)},
							{text: decimal(questions.words)},
							{text: decimal(corpus.tokens)},
							{text: decimal(corpus.words)},
						],
					},
					...(paper
						? [
								{
									heading: {text: `${paper.dataset}, Yang et al.`},
									cells: [
										{text: grouped(paper.pairs)},
										paperCell(undefined),
										paperCell(undefined),
										paperCell(paper.questionTokens),
										paperCell(undefined),
										paperCell(paper.passageTokens),
										paperCell(undefined),
									],
								},
							]
						: []),
				],
			},
		],
	};
}

/** The models and their phrases. */
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
					cells: [{text: lengthLabel(length)}, {text: grouped(phrases)}, {text: decimal(words)}],
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
				...(paper ? [paperCell(paper.models[name] ?? (name === 'M0' ? paper.general.dpr : undefined))] : []),
				...(paper?.training ? [paperCell(paper.training.models[name])] : []),
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
			`Accuracy is the paper’s F-1: one passage is predicted, one is right. MUF fuses ${candidates.selected.join(', ')}, the models with the highest accuracy on ${grouped(questions.development)} development questions, ` +
			`with one temperature, ${shownTemperature(candidates.temperatures.descent)}, by the paper’s descent; the last column is the share of questions that each of them answers. ${markerSentence(candidates, settings.significance)}`,
		stub: 'Model',
		columns: [...paperColumns(paper), {heading: 'development'}, ...measureColumns(candidates, 'Test'), {heading: 'answers'}],
		blocks: [
			{rows},
			{
				rows: [
					{
						heading: {text: labelOf('muf')},
						cells: [
							...(paper ? [paperCell(paper.muf)] : []),
							...(paper?.training ? [paperCell(paper.training.muf)] : []),
							paperCell(undefined),
							...values(candidates, 'muf'),
							paperCell(undefined),
						],
					},
				],
			},
		],
	};
}

/** The columns of the paper's Table 2: two for NQ, whose development set is the one that the paper's other tables have. */
function paperColumns(paper: PublishedPhrases | undefined): readonly Column[] {
	if (paper === undefined) {
		return [];
	}
	return paper.training
		? [
				{group: 'Paper', heading: 'dev', kind: 'paper'},
				{group: 'Paper', heading: 'train', kind: 'paper'},
			]
		: [{heading: 'paper', kind: 'paper'}];
}

/** Table 3: BM25, whole passages, MUF, and other ways to fuse the same models. */
export function generalTable({dataset, candidates, questions, settings}: PhraseStudy): ReportTable {
	const paper = publishedPhrasesFor(dataset);
	const row = (condition: PhraseCondition, published?: number): Row => ({
		heading: {text: condition === 'M0' ? 'M0 (DPR’s way)' : labelOf(condition)},
		cells: [...(paper ? [paperCell(published)] : []), ...values(candidates, condition)],
	});
	return {
		name: 'Table 3',
		caption:
			`General evaluation: accuracy and mean reciprocal rank in per cent among ${candidates.size} candidates, on ${grouped(questions.test)} test questions. ` +
			`MUF has one temperature for all models, ${shownTemperature(candidates.temperatures.descent)}, by the paper’s descent from T0 = ${settings.start} with steps of ${settings.stepSize}; ` +
			`“T by search” has the one with the smallest calibration error on development questions, ${shownTemperature(candidates.temperatures.search)}; “a T for each model” is an extension of the paper’s method; ` +
			`“T = 1” has no fitted temperature; “all models” fuses every model, by the paper’s descent; ` +
			`“Mean score” and “RRF” (Cormack et al., 2009) fuse the same models as MUF. ${paper ? 'The paper’s BM25 ranked whole corpora. ' : ''}${markerSentence(candidates, settings.significance)}`,
		stub: 'Condition',
		columns: [...(paper ? [{heading: 'paper', kind: 'paper'} as const] : []), ...measureColumns(candidates)],
		blocks: [
			{rows: [row('bm25', paper?.general.bm25), row('M0', paper?.general.dpr), row('muf', paper?.general.muf)]},
			{rows: (['mufSearch', 'mufOwn', 'mufPlain', 'mufAll', 'mean', 'rrf'] as const).map(condition => row(condition))},
		],
	};
}

/** Table 4: all conditions among all passages. */
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
			`MUF fuses ${retrieval.selected.join(', ')}, with one temperature fitted on this task, ${shownTemperature(retrieval.temperatures.descent)}. ${markerSentence(retrieval, settings.significance)}`,
		stub: 'Condition',
		columns: measureColumns(retrieval),
		blocks: [
			{
				rows: retrieval.rows.map(({condition}) => ({
					heading: {text: labelOf(condition)},
					cells: values(retrieval, condition),
				})),
			},
		],
	};
}

/** Table 5: calibration errors before and after. */
export function calibrationTable({candidates, retrieval, questions, settings}: PhraseStudy): ReportTable {
	const cells = ({before, after, own}: CalibratedFusion): readonly Cell[] => [
		...[before, after, own].map(({absolute}) => ({text: percent(absolute)})),
		...[before, after, own].map(({squared}) => ({text: percent(squared)})),
		...[before, after, own].map(({brier}) => ({text: brier.toFixed(3)})),
	];
	const rows = ({models, fused}: ProtocolStudy): readonly Row[] => [
		...models.map(model => ({heading: {text: model.name}, cells: [{text: shownTemperature(model.temperature)}, ...cells(model)]})),
		{heading: {text: 'MUF'}, cells: [paperCell(undefined), ...cells(fused)]},
	];
	const three = (group: string): readonly Column[] => ['T = 1', 'one T', 'own T'].map(heading => ({group, heading}));
	const fitted = ({temperatures}: ProtocolStudy): string => shownTemperature(temperatures.descent);
	return {
		name: 'Table 5',
		caption:
			`Calibration on ${grouped(questions.test)} test questions: the expected calibration error in ${settings.bins} bins, of absolute differences (Guo et al., 2017) and of squared ones (the paper’s), in per cent, and the Brier score. ` +
			`“One T” is the temperature of MUF, which the paper’s descent from T0 = ${settings.start} fitted on ${grouped(questions.development)} development questions: ${fitted(candidates)} among candidates, ${fitted(retrieval)} among all passages. ` +
			`“Own T” is a temperature for each model, by search: an extension of the paper’s method.`,
		stub: 'Model',
		columns: [{heading: 'own T'}, ...three('ECE'), ...three('ECE, squared'), ...three('Brier score')],
		blocks: [
			{heading: 'Among candidates', rows: rows(candidates)},
			{heading: 'Among all passages', rows: rows(retrieval)},
		],
	};
}

const shownTemperature = (temperature: number): string => String(Number(temperature.toPrecision(3)));

/** Figure 2 as a table. */
export function curveTable({candidates, retrieval}: PhraseStudy): ReportTable {
	return {
		name: 'Values of Figure 2',
		caption:
			'Accuracy of MUF on test questions, in per cent, by the temperature T0 from which the descent starts, and the temperature T at which it ends.',
		stub: 'T0',
		columns: [
			{group: 'Among candidates', heading: 'T'},
			{group: 'Among candidates', heading: 'accuracy'},
			{group: 'Among all passages', heading: 'T'},
			{group: 'Among all passages', heading: 'accuracy'},
		],
		blocks: [
			{
				rows: candidates.curve.map(({start, temperature, accuracy}, i) => ({
					heading: {text: shownTemperature(start)},
					cells: [
						{text: shownTemperature(temperature)},
						{text: percent(accuracy)},
						cell(retrieval.curve[i]?.temperature, shownTemperature),
						cell(retrieval.curve[i]?.accuracy, percent),
					],
				})),
			},
		],
	};
}

function values({rows, measures, comparisons, extensions}: ProtocolStudy, condition: PhraseCondition): readonly Cell[] {
	const found = rows.find(row => row.condition === condition)!;
	return found.values.map((value, i): Cell => {
		const test =
			i === 0 && condition !== 'muf' ? findComparison([...comparisons, ...extensions], 'muf', condition, measures[0]!) : undefined;
		const marker = test?.significant ? (test.difference > 0 ? markers.worse : markers.better) : '';
		return {text: percent(value), ...(marker === '' ? {} : {markers: marker})};
	});
}

function measureColumns({measures}: ProtocolStudy, group?: string): readonly Column[] {
	return measures.map(heading => ({...(group === undefined ? {} : {group}), heading}));
}

function markerSentence({comparisons, extensions, measures}: ProtocolStudy, significance: number): string {
	return `On ${measures[0]!}, ${markers.worse}: MUF is significantly better; ${markers.better}: significantly better than MUF. ${testsSentence(comparisons, significance)} The ${extensions.length} tests against other ways to fuse, which the paper does not have, are corrected apart.`;
}

/** The families of tests, each corrected on its own. `task` names the paper's tables. Families without tests are left out. */
export function testFamilies({comparisons, extensions, startTests, calibrationTests}: ProtocolStudy, task: string): readonly TestFamily[] {
	const families: readonly TestFamily[] = [
		{name: task, comparisons},
		{name: `${task}: other ways to fuse`, comparisons: extensions},
		{name: `Figure 2 (${task})`, comparisons: startTests},
		{name: `Table 5 (${task})`, comparisons: calibrationTests},
	];
	return families.filter(({comparisons}) => comparisons.length > 0);
}
