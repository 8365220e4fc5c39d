/**
The tables of the phrase study's report, as data: Tables 1 to 3 of Yang et al. (2023), and tables that the paper does
not have: the list of models, Table 4 (retrieval from all passages), Table 5 (calibration) and the values of Figure 2.
MUF is the paper's model uncertainty fusion; a model is an index of phrases of one length. T is the temperature at which
confidences are computed, and T0 the initial temperature of the gradient descent that fits T.
*/
import {findComparison} from '../../statistics/comparison.ts';
import {type Cell, type Column, type ReportTable, type Row, cell} from '../../../drawing/table.ts';
import {type TestFamily, testsSentence} from '../../report/tests-table.ts';
import {withCommas, listed, percent} from '../../../drawing/format.ts';
import {ndcgMeasure} from '../../statistics/measures.ts';
import {labelOf, lengthLabel} from '../labels.ts';
import {type PublishedPhrases, publishedPhrasesFor} from '../published.ts';
import type {CalibratedFusion, PhraseCondition, PhraseStudy, ProtocolStudy} from '../study.ts';

/** The significance markers of a value that is worse or better than MUF's. */
const markers = {worse: '†', better: '‡'} as const;

const decimal = (value: number): string => value.toFixed(1);
const paperCell = (value: number | undefined): Cell => cell(value, decimal);

/** Table 1: the number of questions and passages, and their lengths. */
export function datasetTable({dataset, corpus, questions, relevance}: PhraseStudy): ReportTable {
	const paper = publishedPhrasesFor(dataset);
	return {
		name: 'Table 1',
		caption:
			'The data set. Lengths are means: tokens are word pieces of the encoder without special tokens, words are separated by white space.' +
			(paper ? ' In the paper’s row, “questions” is the number of question-context pairs.' : ''),
		firstHeading: 'Data set',
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
							{text: withCommas(questions.development + questions.test)},
							{text: withCommas(corpus.count)},
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
										{text: withCommas(paper.pairs)},
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

/** The models: their phrase lengths, and how many phrases they have. */
export function phrasesTable({models}: PhraseStudy): ReportTable {
	return {
		name: 'Models',
		caption: 'Each model is an index of all phrases of one length. The last column is the mean length of a phrase in words.',
		firstHeading: 'Model',
		columns: [{heading: 'phrase length', kind: 'words'}, {heading: 'phrases'}, {heading: 'words per phrase'}],
		blocks: [
			{
				rows: models.map(({name, length, phrases, words}) => ({
					heading: {text: name},
					cells: [{text: lengthLabel(length)}, {text: withCommas(phrases)}, {text: decimal(words)}],
				})),
			},
		],
	};
}

/** Table 2: accuracy of each model and of MUF for rankings of candidates. */
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
			`Phrase lengths and their fusion: accuracy and mean reciprocal rank (MRR) in percent among ${candidates.size} candidates, on ${withCommas(questions.test)} test questions. ` +
			'Accuracy is the share of questions whose gold passage is ranked first; the paper calls it F-1. ' +
			`MUF (model uncertainty fusion) gives each question the hits of the most confident of ${listed(candidates.selected)}, the models with the highest accuracy on ${withCommas(questions.development)} development questions. ` +
			`Their common temperature, ${shownTemperature(candidates.temperatures.descent)}, was found by the paper’s gradient descent. ` +
			`The last column is the share of questions for which MUF chooses each model. ${markerSentence(candidates, settings.significance)}`,
		firstHeading: 'Model',
		columns: [...paperColumns(paper), {heading: 'development'}, ...measureColumns(candidates, 'Test'), {heading: 'chosen by MUF'}],
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

/**
Returns the columns of Table 2 with the paper's numbers. For NQ there are two: one for the development set and one for
the training set.
*/
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

/** Table 3: BM25, whole passages, MUF, and other fusions of the models. */
export function generalEvaluationTable({dataset, candidates, questions, settings}: PhraseStudy): ReportTable {
	const paper = publishedPhrasesFor(dataset);
	const row = (condition: PhraseCondition, published?: number): Row => ({
		heading: {text: condition === 'M0' ? 'M0 (whole passages, as DPR)' : labelOf(condition)},
		cells: [...(paper ? [paperCell(published)] : []), ...values(candidates, condition)],
	});
	return {
		name: 'Table 3',
		caption:
			`General evaluation: accuracy and mean reciprocal rank (MRR) in percent among ${candidates.size} candidates, on ${withCommas(questions.test)} test questions. ` +
			`“MUF” has a common temperature for its models, ${shownTemperature(candidates.temperatures.descent)}, found by the paper’s gradient descent from T0 = ${settings.start} with step size ${settings.stepSize}. ` +
			`“T by search” has the common temperature with the smallest calibration error on development questions, ${shownTemperature(candidates.temperatures.search)}. ` +
			'“A T for each model” is an extension of the paper’s method. “T = 1” has no fitted temperature. ' +
			'“MUF of all models” fuses every model, at a temperature found by the paper’s descent. ' +
			'“Mean score” and “RRF” (reciprocal rank fusion; Cormack et al., 2009) fuse the same models as MUF. ' +
			`${paper ? 'The paper’s BM25 ranked whole corpora. ' : ''}${markerSentence(candidates, settings.significance)}`,
		firstHeading: 'Condition',
		columns: [...(paper ? [{heading: 'paper', kind: 'paper'} as const] : []), ...measureColumns(candidates)],
		blocks: [
			{rows: [row('bm25', paper?.general.bm25), row('M0', paper?.general.dpr), row('muf', paper?.general.muf)]},
			{rows: (['mufSearch', 'mufOwn', 'mufPlain', 'mufAll', 'mean', 'rrf'] as const).map(condition => row(condition))},
		],
	};
}

/** Table 4: all conditions, for rankings of all passages. */
export function retrievalTable({retrieval, corpus, questions, relevance, settings}: PhraseStudy): ReportTable {
	const gradesSentence = retrieval.measures.includes(ndcgMeasure) ? ' nDCG@10 takes the grades of passages into account.' : '';
	const relevantPassage =
		relevance.from === 'answers'
			? 'a passage with an answer'
			: relevance.from === 'contexts'
				? 'the passage that the question was written for'
				: 'a relevant passage';
	return {
		name: 'Table 4',
		caption:
			`Retrieval from all ${withCommas(corpus.count)} passages: the share of ${withCommas(questions.test)} test questions with ${relevantPassage} among the first k (top-k), and the mean reciprocal rank (MRR), in percent.${gradesSentence} ` +
			`MUF fuses ${listed(retrieval.selected)} at a common temperature that was fitted for this task, ${shownTemperature(retrieval.temperatures.descent)}. ${markerSentence(retrieval, settings.significance)}`,
		firstHeading: 'Condition',
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

/** Table 5: calibration errors and Brier scores before and after temperatures are fitted. */
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
	const temperatureColumns = (group: string): readonly Column[] => ['T = 1', 'one T', 'own T'].map(heading => ({group, heading}));
	const fitted = ({temperatures}: ProtocolStudy): string => shownTemperature(temperatures.descent);
	return {
		name: 'Table 5',
		caption:
			`Calibration on ${withCommas(questions.test)} test questions. ECE is the expected calibration error in percent, with ${settings.bins} bins. It is the mean over questions of the absolute difference between the confidence and the accuracy of their bin (Guo et al., 2017) or, as in the paper, of the squared difference. ` +
			'The Brier score is the mean squared difference between confidence and outcome. ' +
			`“One T” is the temperature of MUF, which the paper’s descent from T0 = ${settings.start} fitted on ${withCommas(questions.development)} development questions: ${fitted(candidates)} among candidates, ${fitted(retrieval)} among all passages. ` +
			'“Own T” is a temperature for each model, found by search, which is an extension of the paper’s method.',
		firstHeading: 'Model',
		columns: [
			{heading: 'own T'},
			...temperatureColumns('ECE'),
			...temperatureColumns('ECE, squared'),
			...temperatureColumns('Brier score'),
		],
		blocks: [
			{heading: 'Among candidates', rows: rows(candidates)},
			{heading: 'Among all passages', rows: rows(retrieval)},
		],
	};
}

const shownTemperature = (temperature: number): string => String(Number(temperature.toPrecision(3)));

/** The values of Figure 2. */
export function curveTable({candidates, retrieval}: PhraseStudy): ReportTable {
	return {
		name: 'Values of Figure 2',
		caption:
			'Accuracy of MUF on test questions in percent. T0 is the temperature from which the descent starts, T the temperature at which it ends.',
		firstHeading: 'T0',
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

/** Returns the cells of a condition. The first one has the marker of the condition's comparison with MUF. */
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
	return (
		`Markers on ${measures[0]!}: ${markers.worse} MUF is significantly better, ${markers.better} MUF is significantly worse. ` +
		`${testsSentence(comparisons, significance)} ` +
		`The ${extensions.length} tests of MUF against other fusions, which the paper does not have, are corrected separately.`
	);
}

/**
Returns the families of tests, which are corrected separately. `ranked` says what was ranked, such as "candidates", and
`tables` names the tables with the results. Families without tests are left out.
*/
export function testFamilies(
	{comparisons, extensions, startTests, calibrationTests}: ProtocolStudy,
	tables: string,
	ranked: string,
): readonly TestFamily[] {
	const families: readonly TestFamily[] = [
		{name: tables, comparisons},
		{name: `${tables}, other fusions`, comparisons: extensions},
		{name: `Figure 2 among ${ranked}`, comparisons: startTests},
		{name: `Table 5 among ${ranked}`, comparisons: calibrationTests},
	];
	return families.filter(({comparisons}) => comparisons.length > 0);
}
