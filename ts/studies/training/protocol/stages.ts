/**
The stages of a training study (Karpukhin et al., 2020). `measureTraining` builds the collection with its BM25 index,
splits the questions, mines training examples, trains the encoder of one condition after another and searches with it,
measures all conditions on test questions, and does the same for other data sets.
*/
import {basename} from 'node:path';
import {packageVersion} from '../../../core/native/addon.ts';
import {yieldIfOverBudget} from '../../../core/event-loop.ts';
import {uniform} from '../../../core/random.ts';
import {OnnxEncoder} from '../../../encoders/index.ts';
import type {TrainingExample} from '../../../training/index.ts';
import {judgedConfiguration, qrelsInput} from '../../engine/judged-study.ts';
import {DEFAULT_ENCODER} from '../../engine/options.ts';
import type {StudyRun} from '../../engine/study-run.ts';
import {type TrainingCondition, bm25Name, untrainedName} from '../conditions.ts';
import type {TrainingStudyOptions} from '../options.ts';
import {type TrainingStudy, trainingStudyFormat} from '../study.ts';
import {Effectiveness} from './effectiveness.ts';
import {conditionExamples, minedExamples} from './examples.ts';
import type {TrainingStudyInputs} from './inputs.ts';
import {trainingPlan} from './plan.ts';
import {type PreparedDataset, prepareDataset} from './prepared-dataset.ts';
import {trainingTests} from './tests.ts';
import {type TrainableEncoder, denseRun, trainableEncoder} from './trained-encoders.ts';
import {measureTransfer} from './transfer.ts';

/** Carries out all stages and returns the results. */
export async function measureTraining(run: StudyRun, inputs: TrainingStudyInputs, options: TrainingStudyOptions): Promise<TrainingStudy> {
	const {settings, files, transfer} = inputs;
	const {encoder = DEFAULT_ENCODER} = options;
	const {depth, seed, parts} = settings;
	await run.start({
		format: trainingStudyFormat,
		...judgedConfiguration(inputs),
		settings,
		transfer: transfer.map(({name, corpus, questionFiles, qrels}) => ({dataset: name, corpus, questions: questionFiles, qrels})),
	});
	await using collection = await run.textCollection(files.corpus);
	const dataset = await prepareDataset(run, inputs, collection, {settings, testsOnly: false});
	const mined = await minedExamples(dataset, {seed, supervision: parts.supervision});
	const {conditions, baseline, tables} = trainingPlan(mined, settings);
	const order = await permutation(mined.count, seed);
	const examplesOf = (condition: TrainingCondition) => (): AsyncIterable<TrainingExample> =>
		conditionExamples(dataset, mined, condition, order);
	const trainable = (condition: TrainingCondition): TrainableEncoder =>
		trainableEncoder(condition, {run, encoder, settings, examples: examplesOf(condition)});

	const effectiveness = new Effectiveness(dataset);
	const openUntrained = async (): Promise<OnnxEncoder> => untrainedEncoder(encoder, options);
	await effectiveness.add(bm25Name, await run.search(bm25Name, () => collection.bm25, {queries: dataset.test, k: depth}));
	// Vectors that are compared by cosine have unit length, so that their inner product is the cosine.
	const untrained = {name: untrainedName, similarity: 'dot', depth, open: openUntrained} as const;
	await effectiveness.add(untrainedName, await denseRun(dataset, untrained));
	for (const condition of conditions) {
		const {name, similarity} = condition;
		const trained = trainable(condition);
		const hits = await denseRun(dataset, {name, similarity, depth, open: async () => trained.open()});
		await effectiveness.add(name, hits, await trained.outcome());
		// The encoder of the baseline is needed for other data sets, and the user may want it.
		if (condition !== baseline) {
			await trained.remove();
		}
	}
	const transferred = await measureTransfer(transfer, {
		run,
		dataset,
		encoder,
		openUntrained,
		settings,
		baseline: trainable(baseline),
		examples: examplesOf(baseline),
		effectiveness,
	});
	const {comparable: _, ...examples} = mined;
	return {
		format: trainingStudyFormat,
		dataset: inputs.name,
		passagekit: packageVersion(),
		corpus: {count: collection.passages.size, name: basename(files.corpus), ...inputs.corpus, words: dataset.judged.corpus.words},
		questions: questionsOf(inputs, dataset),
		examples,
		encoder: inputs.encoder,
		settings,
		measures: dataset.measures,
		rows: effectiveness.rows,
		tables,
		tests: await trainingTests(effectiveness, tables, transferred.effectiveness, settings, run.signal),
		transfer: transferred.outcomes,
		command: run.command,
	};
}

/** Opens the model before training, with the same limit on tokens as the trained encoders. */
async function untrainedEncoder(model: string, {maxTokens, threads, signal}: TrainingStudyOptions): Promise<OnnxEncoder> {
	return OnnxEncoder.load(model, {maxTokens, threads, signal});
}

function questionsOf(inputs: TrainingStudyInputs, dataset: PreparedDataset): TrainingStudy['questions'] {
	const {training, test, without, split, judged, measuredBy} = dataset;
	const qrels = qrelsInput(inputs, dataset);
	return {
		training: training.length,
		test: test.length,
		without,
		files: inputs.questionFiles,
		split,
		relevance: judged.judgments.from,
		measuredBy,
		...(qrels && {qrels}),
	};
}

/** Returns the numbers from 0 to `count` − 1 in an order that the seed determines (Fisher and Yates). */
async function permutation(count: number, seed: number): Promise<readonly number[]> {
	const order = Array.from({length: count}, (_, i) => i);
	const random = uniform(seed);
	for (let i = count - 1; i > 0; i -= 1) {
		await yieldIfOverBudget();
		const j = Math.floor(random() * (i + 1));
		[order[i], order[j]] = [order[j]!, order[i]!];
	}
	return order;
}
