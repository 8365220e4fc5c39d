/**
The other data sets of a training study (Karpukhin et al., 2020, §5.2 and Table 2). They are read, split and mined before
any training, so that an invalid data set is found early; later, the trained encoders are measured on them. If other data
sets have training questions, an encoder is trained on each of them, and one on all data sets together.
*/
import {basename} from 'node:path';
import type {Collection} from '../../../collection/index.ts';
import type {TrainingExample} from '../../../training/index.ts';
import {type JudgedInputs, qrelsInput} from '../../engine/judged-study.ts';
import type {StudyRun} from '../../engine/study-run.ts';
import {type TrainingCondition, bm25Name, transferNames, untrainedName} from '../conditions.ts';
import type {OtherDatasetResults, TrainingSettings} from '../study.ts';
import {Effectiveness} from './effectiveness.ts';
import {type MinedExamples, conditionExamples, minedExamples} from './examples.ts';
import {type PreparedDataset, prepareDataset} from './prepared-dataset.ts';
import {type OpenableEncoder, type LazyEncoder, denseRun, lazyEncoder} from './trained-encoders.ts';

/** The folder of the other data sets, in the folder of the study run. */
const folder = 'transfer';

/** Another data set, with its training examples if it has any. */
interface OtherDataset {
	readonly inputs: JudgedInputs;
	readonly dataset: PreparedDataset;
	readonly mined?: MinedExamples;
	readonly effectiveness: Effectiveness;
}

/** What the study's own data set provides. */
export interface TransferParts {
	readonly run: StudyRun;
	readonly dataset: PreparedDataset;
	/** The folder of the model to start from. */
	readonly model: string;
	/** The model before training. */
	readonly untrained: OpenableEncoder;
	readonly settings: TrainingSettings;
	/** The encoder of the reference condition, which was trained on the study's own data set. */
	readonly reference: LazyEncoder;
	/** Reads the examples of the reference condition. */
	readonly examples: () => AsyncIterable<TrainingExample>;
	/** Measures on the study's own data set. */
	readonly effectiveness: Effectiveness;
}

export interface TransferResults {
	readonly results: readonly OtherDatasetResults[];
	/** Data set → its conditions. */
	readonly effectiveness: ReadonlyMap<string, Effectiveness>;
}

/** The other data sets, whose collections are open until this object is disposed of. */
export class OtherDatasets {
	readonly #collections: Collection[] = [];
	readonly #others: OtherDataset[] = [];

	private constructor() {}

	/** Judges, splits and mines the other data sets. */
	static async prepare(run: StudyRun, inputs: readonly JudgedInputs[], settings: TrainingSettings): Promise<OtherDatasets> {
		const prepared = new OtherDatasets();
		try {
			for (const each of inputs) {
				await prepared.#add(run.part(each.name, folder, each.name), each, settings);
			}
			return prepared;
		} catch (error) {
			await prepared[Symbol.asyncDispose]();
			throw error;
		}
	}

	/** Prepares a data set and mines its examples. Too few examples for a batch are not used. */
	async #add(run: StudyRun, inputs: JudgedInputs, settings: TrainingSettings): Promise<void> {
		const collection = await run.textCollection(inputs.files.corpus);
		this.#collections.push(collection);
		const dataset = await prepareDataset(run, inputs, collection, {settings, testsOnly: true});
		const mined = dataset.training.length === 0 ? undefined : await minedExamples(dataset, {seed: settings.seed, supervision: false});
		const isUsable = mined !== undefined && mined.count >= settings.batchSize;
		this.#others.push({inputs, dataset, effectiveness: new Effectiveness(dataset), ...(isUsable && {mined})});
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await Promise.all(this.#collections.map(async collection => collection.close()));
	}

	/** Trains the encoders that the other data sets need, and measures these and the encoders of the study's own data set. */
	async measure(parts: TransferParts): Promise<TransferResults> {
		for (const other of this.#others) {
			await measureOther(other, parts);
		}
		await measureMulti(this.#others, parts);
		return {
			results: this.#others.map(resultsOf),
			effectiveness: new Map(this.#others.map(({dataset: {name}, effectiveness}) => [name, effectiveness])),
		};
	}
}

/** Measures BM25, the model before training, and the encoders that were trained on one data set. */
async function measureOther({dataset, mined, effectiveness}: OtherDataset, parts: TransferParts): Promise<void> {
	const {settings, reference, model, untrained} = parts;
	const {run, collection, test} = dataset;
	const {depth} = settings;
	const search = {similarity: reference.condition.similarity, depth};
	await effectiveness.add(bm25Name, await run.search(bm25Name, () => collection.bm25, {queries: test, k: depth}));
	await effectiveness.add(
		untrainedName,
		await denseRun(dataset, {...search, name: untrainedName, similarity: 'dot', open: async () => untrained.open()}),
	);
	const {main, own} = transferNames;
	await effectiveness.add(
		main,
		await denseRun(dataset, {...search, name: main, open: async () => reference.open()}),
		await reference.summary(),
	);
	if (mined !== undefined) {
		const condition: TrainingCondition = {...reference.condition, name: own, examples: mined.count};
		const examples = (): AsyncIterable<TrainingExample> => conditionExamples(dataset, mined, condition, []);
		const trained = lazyEncoder(condition, {run, model, settings, examples});
		const hits = await denseRun(dataset, {...search, name: own, open: async () => trained.open()});
		await effectiveness.add(own, hits, await trained.summary());
		await trained.remove();
	}
}

/** Trains an encoder on all data sets that have training questions, and measures it on these and on the study's own. */
async function measureMulti(others: readonly OtherDataset[], parts: TransferParts): Promise<void> {
	const {run, settings, reference, model} = parts;
	const trainable = others.flatMap(({dataset, mined}) => (mined === undefined ? [] : [{dataset, mined}]));
	if (trainable.length === 0) {
		return;
	}
	const name = transferNames.multi;
	const examples = reference.condition.examples + trainable.reduce((sum, {mined}) => sum + mined.count, 0);
	const condition: TrainingCondition = {...reference.condition, name, examples};
	async function* allExamples(): AsyncGenerator<TrainingExample> {
		yield* parts.examples();
		for (const {dataset, mined} of trainable) {
			yield* conditionExamples(dataset, mined, {...condition, examples: mined.count}, []);
		}
	}
	const trained = lazyEncoder(condition, {run, model, settings, examples: allExamples});
	const search = {name, similarity: condition.similarity, depth: settings.depth, open: async () => trained.open()};
	for (const {dataset, effectiveness} of [parts, ...others]) {
		await effectiveness.add(name, await denseRun(dataset, search), await trained.summary());
	}
	await trained.remove();
}

function resultsOf({inputs, dataset, mined, effectiveness}: OtherDataset): OtherDatasetResults {
	const {files, corpus, questionFiles} = inputs;
	return {
		dataset: dataset.name,
		corpus: {count: dataset.collection.passages.size, name: basename(files.corpus), ...corpus},
		files: questionFiles,
		...judgmentFiles(inputs, dataset),
		...(mined && {examples: mined.count}),
		test: dataset.test.length,
		measuredBy: dataset.measuredBy,
		rows: effectiveness.rows,
	};
}

/** Returns the files of relevance judgments of a data set, with the number of judged questions in each that the study uses. */
export function judgmentFiles(inputs: JudgedInputs, dataset: PreparedDataset): Pick<OtherDatasetResults, 'qrels' | 'trainingQrels'> {
	const {files, trainingQrels} = inputs;
	const qrels = qrelsInput(inputs, dataset);
	if (qrels === undefined) {
		return {};
	}
	if (files.trainingQrels === undefined || trainingQrels === undefined) {
		return {qrels};
	}
	return {
		qrels: {...qrels, count: dataset.test.length},
		trainingQrels: {count: dataset.training.length, name: basename(files.trainingQrels), ...trainingQrels},
	};
}
