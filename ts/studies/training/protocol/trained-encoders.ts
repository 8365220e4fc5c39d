/**
Trains the encoder of a condition and searches with it. The TREC run of a condition is stored. As soon as it is complete,
the vectors of the passages are removed, and so is the encoder, unless the study still needs it or the user may want it.
*/
import {rm} from 'node:fs/promises';
import type {CallOptions, Run, Searcher} from '../../../core/types.ts';
import {DenseSearcher, FlatIndex} from '../../../dense/index.ts';
import {OnnxEncoder} from '../../../encoders/index.ts';
import {onPath} from '../../../core/file-system.ts';
import {type TrainingExample, trainEncoder} from '../../../training/index.ts';
import {CorpusEncoder} from '../../encoding/corpus-encoder.ts';
import type {StudyRun} from '../../engine/study-run.ts';
import {exists, readJson, runFiles, toJson, writeAtomically} from '../../storage/run-folder.ts';
import type {TrainingCondition} from '../conditions.ts';
import type {TrainingOutcome, TrainingSettings} from '../study.ts';
import type {PreparedDataset} from './prepared-dataset.ts';

/** Folders, in the folder of the study run: encoders, how they were trained, and vectors of passages. */
const folders = {encoders: 'encoders', outcomes: 'training', vectors: 'vectors'} as const;

/** An encoder that is trained when it is first needed. */
export interface TrainableEncoder {
	readonly condition: TrainingCondition;
	/** Returns how the encoder was trained. */
	outcome(): Promise<TrainingOutcome>;
	/** Trains the encoder, unless its folder has it, and opens it. */
	open(): Promise<OnnxEncoder>;
	/** Removes the folder of the encoder. */
	remove(): Promise<void>;
}

export interface TrainingParts {
	readonly run: StudyRun;
	/** The model to start from. */
	readonly encoder: string;
	readonly settings: TrainingSettings;
	/** Reads the examples of the condition. */
	readonly examples: () => AsyncIterable<TrainingExample>;
}

export function trainableEncoder(condition: TrainingCondition, {run, encoder, settings, examples}: TrainingParts): TrainableEncoder {
	const {name} = condition;
	const folder = run.path(folders.encoders, name);
	const outcomePath = run.path(folders.outcomes, `${name}.json`);
	const train = async (): Promise<void> => {
		const {signal, onProgress} = run.stage(`train ${name}`);
		const {epochs, steps} = await trainEncoder(examples(), encoder, folder, {
			...trainingOptions(condition, settings),
			signal,
			onProgress: ({done, total}) => onProgress({done, total}),
		});
		const losses = epochs.flatMap(({loss}) => (loss === undefined ? [] : [loss]));
		const {name: _, ...trained} = condition;
		const outcome: TrainingOutcome = {...trained, steps, losses: {first: losses[0]!, last: losses.at(-1)!}};
		await writeAtomically(outcomePath, toJson(outcome));
	};
	return {
		condition,
		async outcome() {
			if (!(await exists(outcomePath))) {
				await train();
			}
			return readJson<TrainingOutcome>(outcomePath);
		},
		async open() {
			// If training has finished, this only returns its result.
			await train();
			return OnnxEncoder.load(folder, {signal: run.signal, threads: settings.threads ?? 0});
		},
		async remove() {
			await removeFolder(folder);
		},
	};
}

/** Returns the options of `trainEncoder` for a condition. */
function trainingOptions(
	{batchSize, inBatch, negatives, similarity, loss}: TrainingCondition,
	{epochs, learningRate, maxTokens, threads, seed}: TrainingSettings,
): NonNullable<Parameters<typeof trainEncoder>[3]> {
	const count = negatives?.count ?? 0;
	return {
		epochs,
		batchSize,
		learningRate,
		...(maxTokens === null ? {} : {maxTokens}),
		...(threads === null ? {} : {threads}),
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

/** Returns whether the TREC run of a condition is in the folder of a study run. */
export const hasRun = async (run: StudyRun, name: string): Promise<boolean> => exists(run.path(runFiles.runs, `${name}.trec`));

async function exactSearcher(
	encoder: CorpusEncoder,
	passages: PreparedDataset['collection']['passages'],
	similarity: TrainingCondition['similarity'],
	{signal}: CallOptions,
): Promise<Searcher> {
	const {dim, vectors} = encoder;
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
	return new DenseSearcher({encoder, index});
}

/** Number of passages whose vectors are added to the index by one call. */
const PASSAGES_PER_CALL = 256;

async function removeFolder(path: string): Promise<void> {
	await onPath('remove', path, async () => rm(path, {recursive: true, force: true}));
}
