/** The title, abstract, inputs, settings, caveats and references of the training study's report. */
import {counted, listed, percent, withCommas} from '../../../drawing/format.ts';
import {splitLabels} from '../../dataset/split.ts';
import {
	type MetadataEntry,
	type Reference,
	dprReference,
	fileEntry,
	modelEntry,
	questionEntries,
	significanceEntry,
} from '../../report/metadata.ts';
import {topK} from '../../statistics/measures.ts';
import {NEGATIVES_PER_QUESTION, referenceName, bm25Name, transferNames, untrainedName} from '../conditions.ts';
import {labelOf} from '../labels.ts';
import {type TrainingStudy, rowOf} from '../study.ts';

export const title = ({dataset}: TrainingStudy): string => `Training a dense retriever on ${dataset}`;

export function abstract(study: TrainingStudy): string {
	const {dataset, corpus, questions, examples, encoder, settings, measures} = study;
	const reference = referenceName(settings.batchSize);
	const at = measures.indexOf(topK(20));
	const valueOf = (condition: string): string => `${percent(rowOf(study, condition)!.values[at]!)}%`;
	// The encoders of the study's own rows, and those that were trained on another data set alone.
	const others = study.transfer.flatMap(({rows}) => rows).filter(({condition}) => condition === transferNames.own);
	const trained = study.rows.filter(({training}) => training !== undefined).length + others.length;
	return (
		`The training experiments of Karpukhin et al. (2020), repeated on ${dataset}: ${counted(examples.count, 'training example')}, ${counted(questions.test, 'test question')} and ${counted(corpus.count, 'passage')}. ` +
		`From the model ${encoder.name}, ${counted(trained, 'encoder')} were trained for ${counted(settings.epochs, 'epoch')} each. ` +
		`The top-20 accuracy on test questions is ${valueOf(bm25Name)} with BM25, ${valueOf(untrainedName)} with the model before training, and ${valueOf(reference)} with the encoder that was trained on all examples with in-batch negatives and one BM25 negative per question.`
	);
}

export function inputs({corpus, questions, encoder, reader, transfer}: TrainingStudy): readonly MetadataEntry[] {
	return [
		fileEntry('Corpus', corpus, 'passage'),
		...questionEntries(questions.files, 'Training questions'),
		...(questions.qrels ? [fileEntry('Judgments', questions.qrels, 'judged question')] : []),
		...(questions.trainingQrels ? [fileEntry('Judgments of training questions', questions.trainingQrels, 'judged question')] : []),
		modelEntry('Model', encoder),
		...(reader ? [modelEntry('Reader', reader)] : []),
		...transfer.flatMap(({dataset, corpus, files, qrels, trainingQrels}) => [
			fileEntry(`Corpus of ${dataset}`, corpus, 'passage'),
			...questionEntries(files, 'Training questions').map(entry => ({...entry, label: `${entry.label} of ${dataset}`})),
			...(qrels ? [fileEntry(`Judgments of ${dataset}`, qrels, 'judged question')] : []),
			...(trainingQrels ? [fileEntry(`Judgments of training questions of ${dataset}`, trainingQrels, 'judged question')] : []),
		]),
	];
}

/** Descriptions of how relevant passages are determined. */
const relevanceLabels = {
	qrels: 'as given by the relevance judgments',
	contexts: 'the passages that the questions were written for',
	answers: 'passages that contain an answer',
} as const;

export function settings({settings, dataset, passagekit, questions, examples, tables}: TrainingStudy): readonly MetadataEntry[] {
	const {seed, epochs, batchSize, learningRate, maxTokens, threads, depth, significance, goldField, answers: answerKind} = settings;
	const {ids, contexts, answers} = examples.positives;
	const {transferPatterns = []} = settings;
	const withPatterns = [...(answerKind === 'pattern' ? [dataset] : []), ...transferPatterns];
	const sources = [
		...(ids > 0 ? [`given for ${withCommas(ids)}`] : []),
		...(contexts > 0 ? [`matched with contexts for ${withCommas(contexts)}`] : []),
		...(answers > 0 ? [`found by distant supervision for ${withCommas(answers)}`] : []),
	];
	const {hardNegatives, randomNegatives, goldNegatives} = examples.missing;
	return [
		{label: 'passagekit', value: passagekit},
		{label: 'Relevant passages in the measures', value: relevanceLabels[questions.measuredBy]},
		...(withPatterns.length > 0 ? [{label: 'Answers that are regular expressions', value: listed(withPatterns)}] : []),
		...(questions.without > 0
			? [{label: 'Questions left out', value: `${counted(questions.without, 'question')} without a relevant passage in the corpus`}]
			: []),
		{label: 'Test questions', value: splitLabels[questions.split]},
		{
			label: 'Training examples',
			value: `${withCommas(examples.count)} of ${counted(questions.training, 'training question')}; positives ${listed(sources)}`,
		},
		...(goldField === null ? [] : [{label: 'Property with gold positives', value: goldField}]),
		{
			label: 'Negatives',
			value: `for each example, ${NEGATIVES_PER_QUESTION} BM25 hits without an answer, ${NEGATIVES_PER_QUESTION} random passages, and ${NEGATIVES_PER_QUESTION} positives of other questions; missing: ${hardNegatives}, ${randomNegatives} and ${goldNegatives}`,
		},
		{label: 'Reference condition', value: `${labelOf(referenceName(batchSize))}, dot product, NLL`},
		{
			label: 'Training',
			value: `${counted(epochs, 'epoch')}, learning rate ${learningRate}, inputs of at most ${maxTokens === null ? 'the length that the model is configured for' : counted(maxTokens, 'token')}, ${counted(threads, 'thread')}; the weights of the last epoch are used`,
		},
		...(tables.curve.length > 0
			? [{label: 'Numbers of examples', value: listed(tables.curve.map(({examples}) => withCommas(examples)))}]
			: []),
		{label: 'Hits per question', value: withCommas(depth)},
		{label: 'Seed', value: String(seed)},
		significanceEntry(significance),
	];
}

/** What readers must know before they compare the numbers with the paper's. */
export function caveats({settings, questions}: TrainingStudy): readonly string[] {
	return [
		'Each condition was trained once, with one seed. The tests therefore say whether a difference would also be found with other questions. They do not say whether it would be found with another seed, which changes the order of the examples, the negatives and the dropout.',
		`The paper trains BERT-base for up to 40 epochs, with separate models for questions and passages, and searches 21 million passages. This study trains one model for both, for ${counted(settings.epochs, 'epoch')}. All schemes have the same number of epochs, so larger batches have fewer steps.`,
		...(questions.measuredBy === 'answers'
			? [
					'As in the paper, a passage counts as relevant if it contains an accepted answer. In a small corpus, short answers occur in many passages that do not answer the question.',
				]
			: []),
	];
}

export const references: readonly Reference[] = [dprReference];
