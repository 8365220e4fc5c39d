/** The models of a phrase study: each is an index of all phrases of one length. */
import {rm} from 'node:fs/promises';
import {join} from 'node:path';
import type {PassageStore} from '../../../corpus/index.ts';
import {onPath} from '../../../core/file-system.ts';
import {PhraseIndex, PhraseSegmenter} from '../../../phrases/index.ts';
import {exists, makeFolder, readJson, toJson, writeAtomically} from '../../storage/run-folder.ts';
import {wordCount} from '../../dataset/corpus-statistics.ts';
import {storedVectors} from '../../encoding/stored-vectors.ts';
import {waitForTime} from '../../../core/event-loop.ts';
import type {CallOptions, Encoder, Vectors} from '../../../core/types.ts';
import type {PhraseModelStatistics} from '../study.ts';

/** Phrase lengths in sentences and in tokens. */
export interface PhraseLengths {
	readonly sentences: readonly number[];
	readonly tokens: readonly number[];
}

/** A model: an index of all phrases of one length. */
export type PhraseModel = Pick<PhraseModelStatistics, 'name' | 'length'>;

/** A model for each length, and M0 last. */
export function phraseModels({sentences, tokens}: PhraseLengths): readonly PhraseModel[] {
	return [
		...sentences.map(sentences => ({name: `M${sentences}`, length: {sentences}})),
		...tokens.map(tokens => ({name: `M${tokens}t`, length: {tokens}})),
		{name: 'M0', length: 'passage'},
	];
}

export interface ModelOptions extends CallOptions {
	/** Folder of all models, in the run's folder. */
	readonly folder: string;
	readonly passages: PassageStore;
	/** The encoder of passages. */
	readonly encoder: Encoder;
	/** The model whose word pieces are the tokens of phrase lengths. */
	readonly tokenizer: string;
	/** Identity of the encoder of questions, if it is another model. */
	readonly questionEncoder?: string | undefined;
}

/** Passages whose vectors share a file, until the index is complete. A resumed run encodes only passages without a file. */
const PASSAGES_PER_FILE = 128;

/** Vectors whose length differs from 1 by no more than this have unit length, apart from rounding. */
const MAX_ROUNDING = 1e-3;

export interface OpenedModel extends AsyncDisposable {
	readonly index: PhraseIndex;
	/** The index for undivided scores of phrases. It is another index only if the encoder's vectors do not have length 1. */
	readonly undivided: PhraseIndex;
	readonly statistics: PhraseModelStatistics;
}

/** Opens the indexes of an earlier run, or builds them. Every phrase is encoded with its passage's title, as passages are. */
export async function openModel(model: PhraseModel, options: ModelOptions): Promise<OpenedModel> {
	const {folder, signal} = options;
	const path = join(folder, `${model.name}.pkphrases`);
	const undividedPath = join(folder, `${model.name}.undivided.pkphrases`);
	const statisticsPath = join(folder, `${model.name}.json`);
	if (!(await exists(path))) {
		await makeFolder(folder);
		const parts = join(folder, `${model.name}.parts`);
		await using building = await build(model, options, parts, true);
		await writeAtomically(statisticsPath, toJson(building.statistics));
		if (!building.statistics.unitLength) {
			await using undivided = await build(model, options, parts, false);
			await undivided.index.save(undividedPath, {signal});
		}
		// Written last: if this file exists, the model is complete.
		await building.index.save(path, {signal});
		await onPath('remove', parts, async () => rm(parts, {recursive: true, force: true}));
	}
	const statistics = await readJson<PhraseModelStatistics>(statisticsPath);
	const index = await PhraseIndex.open(path);
	const undivided = statistics.unitLength ? index : await PhraseIndex.open(undividedPath);
	return {
		index,
		undivided,
		statistics,
		async [Symbol.asyncDispose]() {
			index.close();
			undivided.close();
		},
	};
}

/** Builds an index of all phrases. Vectors that are in the folder `parts` are not encoded again. */
async function build(
	model: PhraseModel,
	{passages, encoder, tokenizer, questionEncoder, signal, onProgress}: ModelOptions,
	parts: string,
	unitLength: boolean,
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
				await waitForTime();
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

async function haveUnitLength({data, rows, dim}: Vectors): Promise<boolean> {
	for (let row = 0; row < rows; row++) {
		await waitForTime();
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
