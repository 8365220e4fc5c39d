/**
The stages of a training study (Karpukhin et al., 2020). `measureTraining` builds the collection with its BM25 index,
splits the questions and mines training examples, first for the study's own data set and then for the others. It trains
the encoder of one condition after another, searches with it, and measures all conditions on test questions. Finally, it
does the same for the other data sets, and trains readers if there is one to start from.
*/
import {basename} from 'node:path';
import {packageVersion} from '../../../core/native/addon.ts';
import {yieldIfOverBudget} from '../../../core/event-loop.ts';
import {RetrievalError} from '../../../core/errors.ts';
import {uniform} from '../../../core/random.ts';
import type {Run} from '../../../core/types.ts';
import type {TrainingExample} from '../../../training/index.ts';
import {judgedConfiguration} from '../../engine/judged-study.ts';
import type {StudyRun} from '../../engine/study-run.ts';
import {type TrainingCondition, bm25Name, untrainedName} from '../conditions.ts';
import {type TrainingStudy, trainingStudyFormat} from '../study.ts';
import {Effectiveness} from './effectiveness.ts';
import {conditionExamples, minedExamples} from './examples.ts';
import type {TrainingStudyInputs} from './inputs.ts';
import {measureJoint} from './joint.ts';
import {OtherDatasets, judgmentFiles} from './other-datasets.ts';
import {trainingPlan} from './plan.ts';
import {type PreparedDataset, prepareDataset} from './prepared-dataset.ts';
import {trainingTests} from './tests.ts';
import {type LazyEncoder, denseRun, lazyEncoder, untrainedEncoder} from './trained-encoders.ts';

/** Carries out all stages and returns the results. */
export async function measureTraining(run: StudyRun, inputs: TrainingStudyInputs): Promise<TrainingStudy> {
	const {settings, files, model, transfer} = inputs;
	const {depth, seed, parts} = settings;
	await run.start({
		format: trainingStudyFormat,
		...judgedConfiguration(inputs),
		settings,
		...(inputs.reader && {reader: inputs.reader.model}),
		transfer: transfer.map(({name, corpus, questionFiles, qrels, trainingQrels}) => ({
			dataset: name,
			corpus,
			questions: questionFiles,
			qrels,
			...(trainingQrels && {trainingQrels}),
		})),
	});
	await using collection = await run.textCollection(files.corpus);
	const dataset = await prepareDataset(run, inputs, collection, {settings, testsOnly: false});
	checkAnswers(inputs, dataset);
	const mined = await minedExamples(dataset, {seed, supervision: parts.supervision});
	const {conditions, reference, tables} = trainingPlan(mined, settings);
	// Before any training, so that an invalid data set is found early.
	await using others = await OtherDatasets.prepare(run, transfer, settings);
	const order = await permutation(mined.count, seed);
	const examplesOf = (condition: TrainingCondition) => (): AsyncIterable<TrainingExample> =>
		conditionExamples(dataset, mined, condition, order);
	const encoderOf = (condition: TrainingCondition): LazyEncoder =>
		lazyEncoder(condition, {run, model, settings, examples: examplesOf(condition)});

	let referenceHits: Run | undefined;
	const effectiveness = new Effectiveness(dataset);
	const untrained = untrainedEncoder({run, model, settings, examples: examplesOf(reference)});
	await effectiveness.add(bm25Name, await run.search(bm25Name, () => collection.bm25, {queries: dataset.test, k: depth}));
	// `dot` suits every model: models that use cosine return unit vectors.
	const search = {name: untrainedName, similarity: 'dot', depth, open: async () => untrained.open()} as const;
	await effectiveness.add(untrainedName, await denseRun(dataset, search));
	for (const condition of conditions) {
		const {name, similarity} = condition;
		const trained = encoderOf(condition);
		const hits = await denseRun(dataset, {name, similarity, depth, open: async () => trained.open()});
		await effectiveness.add(name, hits, await trained.summary());
		referenceHits ??= name === reference.name ? hits : undefined;
		// The encoder of the reference condition is needed for other data sets, and the user may want it.
		if (name !== reference.name) {
			await trained.remove();
		}
	}
	const transferred = await others.measure({
		run,
		dataset,
		model,
		untrained,
		settings,
		reference: encoderOf(reference),
		examples: examplesOf(reference),
		effectiveness,
	});
	await untrained.remove();
	const joint =
		inputs.reader === undefined || settings.joint === null
			? undefined
			: await measureJoint({
					dataset,
					settings: {...settings, joint: settings.joint},
					reader: inputs.reader.folder,
					reference: encoderOf(reference),
					referenceHits: referenceHits!,
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
		...(inputs.reader && {reader: inputs.reader.model}),
		settings,
		measures: dataset.measures,
		rows: effectiveness.rows,
		tables,
		tests: await trainingTests(effectiveness, tables, transferred.effectiveness, settings, run.signal),
		transfer: transferred.results,
		...(joint && {joint}),
		command: run.command,
	};
}

/** Fails with `ERR_ARGUMENT` if a reader should be trained or measured, but there are questions without answers. */
function checkAnswers({reader}: TrainingStudyInputs, {training, test}: PreparedDataset): void {
	const without = reader && [...training, ...test].find(({answers}) => answers.length === 0);
	if (without) {
		throw new RetrievalError('ERR_ARGUMENT', `reader: expected questions with answers, got none for question ${without.id}`);
	}
}

function questionsOf(inputs: TrainingStudyInputs, dataset: PreparedDataset): TrainingStudy['questions'] {
	const {training, test, without, split, judged, measuredBy} = dataset;
	return {
		training: training.length,
		test: test.length,
		without,
		files: inputs.questionFiles,
		split,
		relevance: judged.judgments.from,
		measuredBy,
		...judgmentFiles(inputs, dataset),
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
