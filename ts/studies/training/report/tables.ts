/** The tables of the training study's report, as data, numbered as in Karpukhin et al. (2020). */
import {counted, listed, percent, withCommas} from '../../../drawing/format.ts';
import {type Cell, type Column, type ReportTable, type Row, cell} from '../../../drawing/table.ts';
import {referenceName, bm25Name, schemeBlocks, schemeName, untrainedName} from '../conditions.ts';
import {labelOf} from '../labels.ts';
import {publishedName, publishedTraining} from '../published.ts';
import {type JointRow, type JointStudy, type TrainingStudy, rowOf} from '../study.ts';

/** A row of the paper: measure → percentage. */
type PublishedRow = Readonly<Record<string, number>> | undefined;

const decimal = (value: number): string => value.toFixed(1);
export const paperGroup = 'Karpukhin et al.';

/** The columns of the study's measures, and of the paper's. */
const valueColumns = (measures: readonly string[], paper: readonly string[]): readonly Column[] => [
	...measures.map(heading => ({heading})),
	...paper.map((heading): Column => ({group: paperGroup, heading, kind: 'paper'})),
];

const valueCells = (values: readonly number[], paper: readonly string[], published: PublishedRow): readonly Cell[] => [
	...values.map(value => ({text: percent(value)})),
	...paper.map(measure => cell(published?.[measure], decimal)),
];

/** Sentence about the paper's numbers in Tables 3, 5 and 6. */
const paperSentence = 'The paper’s numbers are for the development set of Natural Questions, 21 million passages, and BERT-base.';
/** Sentence about the paper's numbers in Tables 5 and 6. */
const tunedSentence =
	'There, the paper’s encoders with in-batch negatives and one BM25 negative have better hyperparameters than in Table 3 (its appendix B).';

/** Table 3: training schemes. */
export function schemesTable(study: TrainingStudy): ReportTable {
	const {measures, tables, questions, settings} = study;
	const paper = ['top-5', 'top-20', 'top-100'];
	const published: Readonly<Record<string, PublishedRow>> = publishedTraining.schemes;
	const row = (condition: string): Row => {
		const {values, training} = rowOf(study, condition)!;
		return {
			heading: {text: labelOf(condition)},
			cells: [
				{text: training === undefined ? '' : negativeCount(training)},
				{text: training?.inBatch ? 'yes' : ''},
				...valueCells(values, paper, published[condition]),
			],
		};
	};
	const blocks = [
		[bm25Name, untrainedName],
		...schemeBlocks.map(block => block.map(schemeName).filter(name => tables.schemes.includes(name))),
	];
	return {
		name: 'Table 3',
		caption:
			`Training schemes, on ${withCommas(questions.test)} test questions, in percent. #N is the number of negatives per question: those of its own, or those of the whole batch with in-batch negatives (IB). ` +
			`“In-batch 32” has batches of 32 questions; “+ 1 BM25” has one more negative per question, drawn at random from the first BM25 hits without an answer. Each encoder was trained for ${counted(settings.epochs, 'epoch')}. ${leftOutSentence(study)}${paperSentence}`,
		firstHeading: 'Negatives',
		columns: [{heading: '#N', kind: 'words'}, {heading: 'IB', kind: 'words'}, ...valueColumns(measures, paper)],
		blocks: blocks.filter(block => block.length > 0).map(block => ({rows: block.map(row)})),
	};
}

/**
Returns the number of negatives per question, as in the paper: "7", "31", or "31+32" with negatives of all questions. If some
examples have too few, the mean is added: "7 (mean 6.2)".
*/
function negativeCount({batchSize, inBatch, negatives, meanNegatives}: NonNullable<TrainingStudy['rows'][number]['training']>): string {
	const own = negatives?.count ?? 0;
	const mean =
		meanNegatives === undefined ? '' : ` (mean ${(inBatch ? batchSize - 1 + meanNegatives * batchSize : meanNegatives).toFixed(1)})`;
	return `${inBatch ? `${batchSize - 1}${own === 0 ? '' : `+${own * batchSize}`}` : own}${mean}`;
}

function leftOutSentence({tables, examples}: TrainingStudy): string {
	const sentence = (because: TrainingStudy['tables']['schemesLeftOut'][number]['because'], reason: string): string => {
		const labels = tables.schemesLeftOut.filter(each => each.because === because).map(({condition}) => `“${labelOf(condition)}”`);
		return labels.length === 0 ? '' : `${listed(labels)} ${labels.length === 1 ? 'is' : 'are'} left out, because ${reason}. `;
	};
	return (
		sentence('examples', `there are only ${counted(examples.count, 'training example')}`) +
		sentence('passages', 'such negatives are missing')
	);
}

/** The values of Figure 1: numbers of training examples. */
export function curveTable(study: TrainingStudy): ReportTable {
	const {measures, tables} = study;
	const row = (heading: string, condition: string): Row => ({
		heading: {text: heading},
		cells: valueCells(rowOf(study, condition)!.values, [], undefined),
	});
	return {
		name: 'Values of Figure 1',
		caption: 'Effectiveness by the number of training examples, in percent. The smaller sets are random subsets of the larger ones.',
		firstHeading: 'Training examples',
		columns: valueColumns(measures, []),
		blocks: [
			{rows: [row(labelOf(bm25Name), bm25Name), row(labelOf(untrainedName), untrainedName)]},
			{rows: tables.curve.map(({examples, condition}) => row(withCommas(examples), condition))},
		],
	};
}

/** Table 5: gold positives and distant supervision. */
export function supervisionTable(study: TrainingStudy): ReportTable {
	const {measures, tables, examples} = study;
	const paper = ['top-1', 'top-5', 'top-20', 'top-100'];
	const {gold, distant} = publishedTraining.supervision;
	return {
		name: 'Table 5',
		caption:
			`Training on gold positives and on the positives that distant supervision finds, for the same ${withCommas(examples.supervision!.count)} training questions, in percent. ` +
			`Distant supervision takes the first passage with an answer that BM25 finds for the question together with its first answer. ${paperSentence} ${tunedSentence}`,
		firstHeading: 'Positives',
		columns: valueColumns(measures, paper),
		blocks: [
			{
				rows: tables.supervision.map((condition, i) => ({
					heading: {text: ['Gold', 'Distant supervision'][i]!},
					cells: valueCells(rowOf(study, condition)!.values, paper, [gold, distant][i]),
				})),
			},
		],
	};
}

/** Table 6: similarities and losses. */
export function similaritiesTable(study: TrainingStudy): ReportTable {
	const {measures, tables, settings} = study;
	const paper = ['top-1', 'top-5', 'top-20', 'top-100'];
	const published: Readonly<Record<string, PublishedRow>> = publishedTraining.similarities;
	const names = {dot: 'Dot product', l2: 'L2', cosine: 'Cosine'};
	return {
		name: 'Table 6',
		caption:
			'Similarities of question and passage, and losses: negative log likelihood (NLL), and triplet loss with a margin of 1; in percent. With cosine, similarities are divided by a temperature of 0.05. ' +
			`All rows have the training scheme “${labelOf(referenceName(settings.batchSize))}”. ${paperSentence} ${tunedSentence} It has none for cosine.`,
		firstHeading: 'Similarity',
		columns: [{heading: 'Loss', kind: 'words'}, ...valueColumns(measures, paper)],
		blocks: [
			{
				rows: tables.similarities.map(condition => {
					const {values, training} = rowOf(study, condition)!;
					const {similarity, loss} = training!;
					return {
						heading: {text: names[similarity]},
						cells: [{text: loss === 'nll' ? 'NLL' : 'triplet'}, ...valueCells(values, paper, published[`${similarity}-${loss}`])],
					};
				}),
			},
		],
	};
}

/** Table 2: other data sets. */
export function transferTable(study: TrainingStudy): ReportTable {
	const {measures, transfer, rows, dataset, settings} = study;
	const isPublished = [dataset, ...transfer.map(({dataset}) => dataset)].some(name => publishedName(name) !== undefined);
	const paper = isPublished ? ['top-20', 'top-100'] : [];
	const row = (name: string, condition: string, heading: string, values: readonly number[]): Row => ({
		heading: {text: heading},
		cells: valueCells(values, paper, publishedRow(name, condition)),
	});
	const multi = rows.filter(({condition}) => condition === 'multi');
	const own = [bm25Name, untrainedName, referenceName(settings.batchSize)].map(condition => rowOf(study, condition)!);
	return {
		name: 'Table 2',
		caption: `Effectiveness on other data sets, in percent. Encoders were trained on ${dataset}, on the data set itself if it has training questions, or on all data sets with training questions.${isPublished ? ' The paper’s numbers are for the test sets of NQ, TriviaQA, WQ and CuratedTREC; there, the study’s data set is NQ.' : ''}`,
		firstHeading: 'Trained on',
		columns: valueColumns(measures, paper),
		blocks: [
			{
				heading: dataset,
				rows: [...own, ...multi].map(({condition, values}) => {
					const name = condition === own[2]!.condition ? 'own' : condition;
					return row(dataset, name, labelOf(name), values);
				}),
			},
			...transfer.map(other => ({
				heading: `${other.dataset}: ${withCommas(other.test)} test questions, ${withCommas(other.corpus.count)} passages`,
				rows: other.rows.map(({condition, values}) =>
					row(other.dataset, condition, condition === 'main' ? `Trained on ${dataset}` : labelOf(condition), values),
				),
			})),
		],
	};
}

/** Appendix D: joint training. */
export function jointTable({measures, settings, questions}: TrainingStudy, {rows}: JointStudy): ReportTable {
	const {separate, joint} = publishedTraining.joint;
	const counts = [...new Set(rows.map(({examples}) => counted(examples, 'question')))];
	return {
		name: 'Appendix D',
		caption:
			`A reader that was trained after the encoder (separate), and one that was trained jointly with the question encoder, in percent: how well the encoder finds passages, and exact match (EM) of the reader on the ${counted(settings.joint!.passagesPerQuestion, 'passage')} that the encoder ranks first, on ${withCommas(questions.test)} test questions. ` +
			`They were trained on ${counts.join(' and ')}, from the encoder “${labelOf(referenceName(settings.batchSize))}”; the vectors of passages stay as they are. In joint training, the losses of encoder and reader are added, so that the reader’s loss has no gradient with respect to the question encoder: that is our reading of the paper. Its numbers are for the development set of Natural Questions.`,
		firstHeading: 'Training',
		columns: [...measures.map(heading => ({heading})), {heading: 'EM'}, {group: paperGroup, heading: 'EM', kind: 'paper'}],
		blocks: [
			{
				rows: rows.map(({condition, values, exactMatch}, i) => ({
					heading: {text: labelOf(condition)},
					cells: [...valueCells(values, [], undefined), {text: percent(exactMatch)}, cell([separate, joint][i]!['exact match'], decimal)],
				})),
			},
		],
	};
}

/** Returns the paper's row for a condition on a data set; `undefined` if it has none. */
function publishedRow(dataset: string, condition: string): PublishedRow {
	const known: Readonly<Record<string, Readonly<Record<string, PublishedRow>>>> = publishedTraining.transfer;
	const name = publishedName(dataset);
	return name === undefined ? undefined : known[name]?.[condition];
}

/** How each condition was trained, and how training ended. */
export function trainingTable({rows, joint}: TrainingStudy): ReportTable {
	return {
		name: 'Training runs',
		caption:
			'Number of training examples and steps, and the mean loss of the batches of the first and of the last epoch. Losses of different schemes cannot be compared.',
		firstHeading: 'Condition',
		columns: [{heading: 'examples'}, {heading: 'steps'}, {heading: 'first loss'}, {heading: 'last loss'}],
		blocks: [
			{
				rows: [
					...rows.flatMap(({condition, training}) => (training ? [trainingRow(condition, training.examples, training)] : [])),
					...(joint?.rows ?? []).map(({condition, examples, training}) => trainingRow(condition, examples, training)),
				],
			},
		],
	};
}

const trainingRow = (condition: string, examples: number, {steps, losses}: JointRow['training']): Row => ({
	heading: {text: labelOf(condition)},
	cells: [{text: withCommas(examples)}, {text: withCommas(steps)}, {text: losses.first.toFixed(3)}, {text: losses.last.toFixed(3)}],
});
