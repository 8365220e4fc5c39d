/**
Measures the trained encoder on other data sets (Karpukhin et al., 2020, §5.2 and Table 2). If other data sets have
training questions, an encoder is trained on each of them, and one on all data sets together.
*/
import {basename} from 'node:path';
import type {Collection} from '../../../collection/index.ts';
import type {OnnxEncoder} from '../../../encoders/index.ts';
import type {TrainingExample} from '../../../training/index.ts';
import {type JudgedInputs, qrelsInput} from '../../engine/judged-study.ts';
import type {StudyRun} from '../../engine/study-run.ts';
import {type TrainingCondition, bm25Name, transferNames, untrainedName} from '../conditions.ts';
import type {TrainingSettings, TransferOutcome} from '../study.ts';
import {Effectiveness} from './effectiveness.ts';
import {type MinedExamples, conditionExamples, minedExamples} from './examples.ts';
import {type PreparedDataset, prepareDataset} from './prepared-dataset.ts';
import {type TrainableEncoder, denseRun, trainableEncoder} from './trained-encoders.ts';

/** The folder of the other data sets, in the folder of the study run. */
const folder = 'transfer';

/** What the study's own data set provides. */
export interface TransferParts {
	readonly run: StudyRun;
	readonly dataset: PreparedDataset;
	/** The model to start from, and how it is opened. */
	readonly encoder: string;
	readonly openUntrained: () => Promise<OnnxEncoder>;
	readonly settings: TrainingSettings;
	/** The encoder that was trained on the study's own data set. */
	readonly baseline: TrainableEncoder;
	/** Reads the examples of the baseline. */
	readonly examples: () => AsyncIterable<TrainingExample>;
	/** Measures on the study's own data set. */
	readonly effectiveness: Effectiveness;
}

export interface TransferResults {
	readonly outcomes: readonly TransferOutcome[];
	/** Data set → its conditions. */
	readonly effectiveness: ReadonlyMap<string, Effectiveness>;
}

/** Another data set, with its training examples if it has any. */
interface OtherDataset {
	readonly inputs: JudgedInputs;
	readonly dataset: PreparedDataset;
	readonly mined?: MinedExamples;
	readonly effectiveness: Effectiveness;
}

export async function measureTransfer(inputs: readonly JudgedInputs[], parts: TransferParts): Promise<TransferResults> {
	const collections: Collection[] = [];
	try {
		const others: OtherDataset[] = [];
		for (const each of inputs) {
			const run = parts.run.part(each.name, folder, each.name);
			const collection = await run.textCollection(each.files.corpus);
			collections.push(collection);
			others.push(await otherDataset(run, each, collection, parts));
		}
		for (const other of others) {
			await measureOther(other, parts);
		}
		await measureMulti(others, parts);
		return {
			outcomes: others.map(outcomeOf),
			effectiveness: new Map(others.map(({dataset: {name}, effectiveness}) => [name, effectiveness])),
		};
	} finally {
		await Promise.all(collections.map(async collection => collection.close()));
	}
}

/** Prepares another data set and mines its examples. Too few examples for a batch are not used. */
async function otherDataset(
	run: StudyRun,
	inputs: JudgedInputs,
	collection: Collection,
	{settings, baseline}: TransferParts,
): Promise<OtherDataset> {
	const dataset = await prepareDataset(run, inputs, collection, {settings, testsOnly: true});
	const common = {inputs, dataset, effectiveness: new Effectiveness(dataset)};
	if (dataset.training.length === 0) {
		return common;
	}
	const mined = await minedExamples(dataset, {seed: settings.seed, supervision: false});
	return mined.count < baseline.condition.batchSize ? common : {...common, mined};
}

/** Measures BM25, the model before training, and the encoders that were trained on one data set. */
async function measureOther({dataset, mined, effectiveness}: OtherDataset, parts: TransferParts): Promise<void> {
	const {settings, baseline, encoder, openUntrained} = parts;
	const {run, collection, test} = dataset;
	const {depth} = settings;
	const search = {similarity: baseline.condition.similarity, depth};
	await effectiveness.add(bm25Name, await run.search(bm25Name, () => collection.bm25, {queries: test, k: depth}));
	await effectiveness.add(untrainedName, await denseRun(dataset, {...search, name: untrainedName, similarity: 'dot', open: openUntrained}));
	const {main, own} = transferNames;
	await effectiveness.add(
		main,
		await denseRun(dataset, {...search, name: main, open: async () => baseline.open()}),
		await baseline.outcome(),
	);
	if (mined !== undefined) {
		const condition: TrainingCondition = {...baseline.condition, name: own, examples: mined.count};
		const examples = (): AsyncIterable<TrainingExample> => conditionExamples(dataset, mined, condition, []);
		const trained = trainableEncoder(condition, {run, encoder, settings, examples});
		const hits = await denseRun(dataset, {...search, name: own, open: async () => trained.open()});
		await effectiveness.add(own, hits, await trained.outcome());
		await trained.remove();
	}
}

/** Trains an encoder on all data sets that have training questions, and measures it on these and on the study's own. */
async function measureMulti(others: readonly OtherDataset[], parts: TransferParts): Promise<void> {
	const {run, settings, baseline, encoder} = parts;
	const trainable = others.flatMap(({dataset, mined}) => (mined === undefined ? [] : [{dataset, mined}]));
	if (trainable.length === 0) {
		return;
	}
	const name = transferNames.multi;
	const examples = baseline.condition.examples + trainable.reduce((sum, {mined}) => sum + mined.count, 0);
	const condition: TrainingCondition = {...baseline.condition, name, examples};
	async function* allExamples(): AsyncGenerator<TrainingExample> {
		yield* parts.examples();
		for (const {dataset, mined} of trainable) {
			yield* conditionExamples(dataset, mined, {...condition, examples: mined.count}, []);
		}
	}
	const trained = trainableEncoder(condition, {run, encoder, settings, examples: allExamples});
	const search = {name, similarity: condition.similarity, depth: settings.depth, open: async () => trained.open()};
	for (const {dataset, effectiveness} of [parts, ...others]) {
		await effectiveness.add(name, await denseRun(dataset, search), await trained.outcome());
	}
	await trained.remove();
}

function outcomeOf({inputs, dataset, mined, effectiveness}: OtherDataset): TransferOutcome {
	const {files, corpus, questionFiles} = inputs;
	const qrels = qrelsInput(inputs, dataset);
	return {
		dataset: dataset.name,
		corpus: {count: dataset.collection.passages.size, name: basename(files.corpus), ...corpus},
		files: questionFiles,
		...(qrels && {qrels}),
		...(mined && {examples: mined.count}),
		test: dataset.test.length,
		measuredBy: dataset.measuredBy,
		rows: effectiveness.rows,
	};
}
