/**
The models of a phrase study. Each is an index of all phrases of one length, stored in the folder of the study run:
`openModel` opens it, and builds it first if it is missing.
*/
import {rm} from 'node:fs/promises';
import {join} from 'node:path';
import type {PassageStore} from '../../../corpus/index.ts';
import {onPath} from '../../../core/file-system.ts';
import {PhraseIndex, PhraseSegmenter} from '../../../phrases/index.ts';
import {exists, makeFolder, readJson, toJson, writeAtomically} from '../../storage/run-folder.ts';
import {wordCount} from '../../dataset/corpus-statistics.ts';
import {storedVectors} from '../../encoding/stored-vectors.ts';
import {yieldIfOverBudget} from '../../../core/event-loop.ts';
import type {CallOptions, Encoder, Vectors} from '../../../core/types.ts';
import type {PhraseModelStatistics} from '../study.ts';

/** Phrase lengths in sentences and in tokens. */
export interface PhraseLengths {
	readonly sentences: readonly number[];
	readonly tokens: readonly number[];
}

/** A model: an index of all phrases of one length. */
export type PhraseModel = Pick<PhraseModelStatistics, 'name' | 'length'>;

/** Returns one model for each length, and then M0, the model of whole passages. */
export function phraseModels({sentences, tokens}: PhraseLengths): readonly PhraseModel[] {
	return [
		...sentences.map(sentences => ({name: `M${sentences}`, length: {sentences}})),
		...tokens.map(tokens => ({name: `M${tokens}t`, length: {tokens}})),
		{name: 'M0', length: 'passage'},
	];
}

/** The options of `openModel`. */
export interface ModelOptions extends CallOptions {
	/** Folder in which all models are stored. */
	readonly folder: string;
	readonly passages: PassageStore;
	/** The passage encoder. */
	readonly encoder: Encoder;
	/** Name or folder of the encoder whose tokenizer counts the tokens of phrases. */
	readonly tokenizer: string;
	/** Identity of the question encoder, if it differs from the passage encoder. */
	readonly questionEncoder?: string | undefined;
}

/**
Number of passages whose vectors are stored in one file. The files exist until the index is complete; a resumed study
encodes only the passages whose file is missing.
*/
const PASSAGES_PER_FILE = 128;

/** If a vector's norm differs from 1 by at most this, the difference is taken for a rounding error. */
const MAX_ROUNDING = 1e-3;

/** An open model. */
export interface OpenedModel extends AsyncDisposable {
	readonly index: PhraseIndex;
	/**
	The index of vectors as the encoder returns them, not scaled to norm 1. Confidences are computed from the scores of
	its searches. It is a different object from `index` only if the encoder's vectors do not have norm 1.
	*/
	readonly unnormalizedIndex: PhraseIndex;
	readonly statistics: PhraseModelStatistics;
}

/**
Opens the model's indexes, and builds them first if they are not in the folder. Each phrase is encoded together with the
title of its passage.
*/
export async function openModel(model: PhraseModel, options: ModelOptions): Promise<OpenedModel> {
	const {folder, signal} = options;
	const path = join(folder, `${model.name}.pkphrases`);
	const unnormalizedPath = join(folder, `${model.name}.unnormalized.pkphrases`);
	const statisticsPath = join(folder, `${model.name}.json`);
	if (!(await exists(path))) {
		await makeFolder(folder);
		const parts = join(folder, `${model.name}.parts`);
		await using building = await build(model, options, parts, {unitLength: true});
		await writeAtomically(statisticsPath, toJson(building.statistics));
		if (!building.statistics.unitLength) {
			await using unnormalized = await build(model, options, parts, {unitLength: false});
			await unnormalized.index.save(unnormalizedPath, {signal});
		}
		// Written last: if this file exists, the model is complete.
		await building.index.save(path, {signal});
		await onPath('remove', parts, async () => rm(parts, {recursive: true, force: true}));
	}
	const statistics = await readJson<PhraseModelStatistics>(statisticsPath);
	const index = await PhraseIndex.open(path);
	const unnormalizedIndex = statistics.unitLength ? index : await PhraseIndex.open(unnormalizedPath);
	return {
		index,
		unnormalizedIndex,
		statistics,
		async [Symbol.asyncDispose]() {
			index.close();
			unnormalizedIndex.close();
		},
	};
}

/**
Builds an index of all phrases. If `unitLength` is set, their vectors are scaled to norm 1. Phrases whose vectors are in
the folder `parts` are not encoded again. The files in this folder are numbered by the calls of `encode`, which come in
the same order each time.
*/
async function build(
	model: PhraseModel,
	{passages, encoder, tokenizer, questionEncoder, signal, onProgress}: ModelOptions,
	parts: string,
	{unitLength}: {readonly unitLength: boolean},
): Promise<{index: PhraseIndex; statistics: PhraseModelStatistics} & AsyncDisposable> {
	const segmenter = await segmenterOf(model, tokenizer);
	const metadata = {encoder: encoder.identity!, ...(questionEncoder === undefined ? {} : {questionEncoder})};
	const index = new PhraseIndex({dim: encoder.dim, metadata, normalize: unitLength});
	let [phrases, words] = [0, 0];
	let [part, hasUnitLength] = [0, true];
	const storingEncoder: Encoder = {
		dim: encoder.dim,
		async encode(inputs) {
			for (const input of inputs) {
				await yieldIfOverBudget();
				words += wordCount(typeof input === 'string' ? input : input.text);
			}
			const vectors = await storedVectors(join(parts, `${part++}.f32`), inputs, encoder, signal);
			hasUnitLength &&= await haveUnitLength(vectors);
			return vectors;
		},
	};
	for (let start = 0; start < passages.size; start += PASSAGES_PER_FILE) {
		const slice = await passages.slice(start, PASSAGES_PER_FILE);
		phrases += (await index.addPassages(slice, {encoder: storingEncoder, segmenter, signal})).phrases;
		await onProgress?.({done: start + slice.length, total: passages.size});
	}
	const statistics = {...model, phrases, words: phrases === 0 ? 0 : words / phrases, unitLength: hasUnitLength};
	return {index, statistics, [Symbol.asyncDispose]: async () => index.close()};
}

/** Returns whether all vectors have norm 1. */
async function haveUnitLength({data, rows, dim}: Vectors): Promise<boolean> {
	for (let row = 0; row < rows; row++) {
		await yieldIfOverBudget();
		const squared = data.subarray(row * dim, (row + 1) * dim).reduce((sum, value) => sum + value * value, 0);
		if (Math.abs(Math.sqrt(squared) - 1) > MAX_ROUNDING) {
			return false;
		}
	}
	return true;
}

async function segmenterOf({length}: PhraseModel, tokenizer: string): Promise<Pick<PhraseSegmenter, 'segmentMany'>> {
	if (length === 'passage') {
		return {segmentMany: async texts => texts.map(text => [{text, start: 0, end: text.length}])};
	}
	return PhraseSegmenter.open('tokens' in length ? {...length, model: tokenizer} : length);
}
