/**
Trains the encoder of a condition and searches with it. The TREC run of a condition is stored. As soon as it is complete,
the vectors of the passages are removed, and so is the encoder, unless the study still needs it or the user may want it.
The model before training is written and measured in the same way, so that its weights are those that training starts from.
*/
import {rm} from 'node:fs/promises';
import type {CallOptions, Run, Searcher} from '../../../core/types.ts';
import {DenseSearcher, FlatIndex} from '../../../dense/index.ts';
import {OnnxEncoder} from '../../../encoders/index.ts';
import {onPath} from '../../../core/file-system.ts';
import {type TrainingExample, trainEncoder} from '../../../training/index.ts';
import {CorpusEncoder} from '../../encoding/corpus-encoder.ts';
import type {StudyRun} from '../../engine/study-run.ts';
import {exists, readJson, toJson, writeAtomically} from '../../storage/run-folder.ts';
import type {TrainingCondition} from '../conditions.ts';
import type {TrainingSummary, TrainingSettings} from '../study.ts';
import type {PreparedDataset} from './prepared-dataset.ts';

/** Folders, in the folder of the study run: encoders, how they were trained, and vectors of passages. */
export const folders = {encoders: 'encoders', summaries: 'training', vectors: 'vectors'} as const;

/** An encoder that is written to a folder when it is first needed. */
export interface OpenableEncoder {
	/** Writes the encoder, unless its folder has it, and opens it. */
	open(): Promise<OnnxEncoder>;
	/** Removes the folder of the encoder. */
	remove(): Promise<void>;
}

/** An encoder that is trained when it is first needed. */
export interface LazyEncoder extends OpenableEncoder {
	readonly condition: TrainingCondition;
	/** Trains the encoder, unless its folder has it, and returns the folder. */
	folder(): Promise<string>;
	/** Returns how the encoder was trained. */
	summary(): Promise<TrainingSummary>;
}

export interface TrainingParts {
	readonly run: StudyRun;
	/** The folder of the model to start from. */
	readonly model: string;
	readonly settings: TrainingSettings;
	/** Reads the examples of the condition. */
	readonly examples: () => AsyncIterable<TrainingExample>;
}

export function lazyEncoder(condition: TrainingCondition, {run, model, settings, examples}: TrainingParts): LazyEncoder {
	const {name} = condition;
	const folder = run.path(folders.encoders, name);
	const summaryPath = run.path(folders.summaries, `${name}.json`);
	const train = async (): Promise<void> => {
		const {signal, onProgress} = run.stage(`train ${name}`);
		const negatives = {used: 0, examples: 0};
		const {epochs, steps} = await trainEncoder(countedNegatives(examples(), condition, negatives), model, folder, {
			...encoderOptions(condition, settings),
			signal,
			onProgress: ({done, total}) => onProgress({done, total}),
		});
		const losses = epochs.flatMap(({loss}) => (loss === undefined ? [] : [loss]));
		const {name: _, ...trained} = condition;
		const wanted = (condition.negatives?.count ?? 0) * negatives.examples;
		const summary: TrainingSummary = {
			...trained,
			steps,
			losses: {first: losses[0]!, last: losses.at(-1)!},
			...(negatives.used < wanted && {meanNegatives: negatives.used / negatives.examples}),
		};
		await writeAtomically(summaryPath, toJson(summary));
	};
	return {
		condition,
		async summary() {
			if (!(await exists(summaryPath))) {
				await train();
			}
			return readJson<TrainingSummary>(summaryPath);
		},
		async folder() {
			// If training has finished, this only returns its result.
			await train();
			return folder;
		},
		async open() {
			await train();
			return OnnxEncoder.load(folder, {signal: run.signal, threads: settings.threads});
		},
		async remove() {
			await removeFolder(folder);
		},
	};
}

/** Passes examples on, and counts them and the negatives that a condition uses of them. */
async function* countedNegatives(
	examples: AsyncIterable<TrainingExample>,
	{negatives}: TrainingCondition,
	counts: {used: number; examples: number},
): AsyncGenerator<TrainingExample> {
	for await (const example of examples) {
		const available = negatives?.from === 'bm25' ? example.hardNegatives : example.negatives;
		counts.used += Math.min(negatives?.count ?? 0, available.length);
		counts.examples += 1;
		yield example;
	}
}

/** The folder of the model before training, in the folder of encoders, while the study needs it. */
const untrainedFolder = 'untrained';

/** Returns the model before training, with the weights, the precision and the limit on tokens of the trained encoders. */
export function untrainedEncoder({run, model, settings, examples}: TrainingParts): OpenableEncoder {
	const folder = run.path(folders.encoders, untrainedFolder);
	return {
		async open() {
			const {signal} = run;
			const few: TrainingExample[] = [];
			for await (const example of examples()) {
				few.push(example);
				if (few.length === 2) {
					break;
				}
			}
			const {maxTokens, threads} = settings;
			await trainEncoder(few, model, folder, {
				epochs: 0,
				...(maxTokens === null ? {} : {maxTokens}),
				threads,
				signal,
			});
			return OnnxEncoder.load(folder, {signal, threads});
		},
		async remove() {
			await removeFolder(folder);
		},
	};
}

/** Returns the options of `trainEncoder` for a condition. */
function encoderOptions(
	{batchSize, inBatch, negatives, similarity, loss}: TrainingCondition,
	{epochs, learningRate, maxTokens, threads, seed}: TrainingSettings,
): NonNullable<Parameters<typeof trainEncoder>[3]> {
	const count = negatives?.count ?? 0;
	return {
		epochs,
		batchSize,
		learningRate,
		...(maxTokens === null ? {} : {maxTokens}),
		threads,
		seed,
		inBatch,
		hardNegatives: negatives?.from === 'bm25' ? count : 0,
		negatives: negatives?.from === 'bm25' ? 0 : count,
		similarity,
		loss,
	};
}

export interface DenseRunOptions {
	/** Name of the TREC run. */
	readonly name: string;
	readonly similarity: TrainingCondition['similarity'];
	/** Number of hits per question. */
	readonly depth: number;
	readonly open: () => Promise<OnnxEncoder>;
}

/** Searches for the test questions of a data set with an encoder, unless the TREC run is in the folder. */
export async function denseRun(
	{run, collection: {passages}, test}: PreparedDataset,
	{name, similarity, depth, open}: DenseRunOptions,
): Promise<Run> {
	const vectors = run.path(folders.vectors, name);
	const hits = await run.trecRun(name, async () => {
		await using model = await open();
		const encoder = await CorpusEncoder.open({folder: vectors, passages, encoder: model, ...run.stage(`encode ${name}`)});
		const searcher = await exactSearcher(encoder, passages, similarity, {signal: run.signal});
		// Awaited here, because the model is closed when this function returns.
		return await searcher.searchMany(test, {k: depth, ...run.stage(`search ${name}`)});
	});
	await removeFolder(vectors);
	return hits;
}

async function exactSearcher(
	encoder: CorpusEncoder,
	passages: PreparedDataset['collection']['passages'],
	similarity: TrainingCondition['similarity'],
	call: CallOptions,
): Promise<Searcher> {
	return new DenseSearcher({encoder, index: await exactIndex(encoder, passages, similarity, call)});
}

/** Returns an index of the vectors of all passages. */
export async function exactIndex(
	{dim, vectors}: CorpusEncoder,
	passages: PreparedDataset['collection']['passages'],
	similarity: TrainingCondition['similarity'],
	{signal}: CallOptions,
): Promise<FlatIndex> {
	const index = new FlatIndex({dim, similarity});
	for (let start = 0; start < passages.size; start += PASSAGES_PER_CALL) {
		const slice = await passages.slice(start, PASSAGES_PER_CALL);
		const data = vectors.data.subarray(start * dim, (start + slice.length) * dim);
		await index.add(
			slice.map(({id}) => id),
			{data, rows: slice.length, dim},
			{signal},
		);
	}
	return index;
}

/** Number of passages whose vectors are added to the index by one call. */
const PASSAGES_PER_CALL = 256;

async function removeFolder(path: string): Promise<void> {
	await onPath('remove', path, async () => rm(path, {recursive: true, force: true}));
}
