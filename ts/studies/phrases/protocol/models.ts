import {rm} from 'node:fs/promises';
import {join} from 'node:path';
import type {PassageStore} from '../../../corpus/index.ts';
import {onPath} from '../../../core/file-system.ts';
import {PhraseIndex, PhraseSegmenter} from '../../../phrases/index.ts';
import {isThere, json, makeFolder, readJson, writeWhole} from '../../storage/run-folder.ts';
import {wordCount} from '../../dataset/corpus-statistics.ts';
import {encodedPart} from '../../encoding/encoded-part.ts';
import {waitForTime} from '../../../core/event-loop.ts';
import type {CallOptions, Encoder, Vectors} from '../../../core/types.ts';
import type {PhraseModelFacts} from '../study.ts';

/** M_n: phrases of `length`. */
export type PhraseModel = Pick<PhraseModelFacts, 'name' | 'length'>;

/** The models of these lengths, and M0 last. */
export function phraseModels(sentences: readonly number[], tokens: readonly number[]): readonly PhraseModel[] {
	return [
		...sentences.map(sentences => ({name: `M${sentences}`, length: {sentences}})),
		...tokens.map(tokens => ({name: `M${tokens}t`, length: {tokens}})),
		{name: 'M0', length: 'passage'},
	];
}

export interface ModelOptions extends CallOptions {
	/** Of models, in the run. */
	readonly folder: string;
	readonly passages: PassageStore;
	/** Of passages. */
	readonly encoder: Encoder;
	/** Whose word pieces tokens are. */
	readonly tokenizer: string;
	/** What the index tells the encoder of questions by, where it is another. */
	readonly questionEncoder?: string | undefined;
}

/** Encoded at once, and in a file of their own until all are: what a run that was stopped does not do again. */
const PASSAGES_A_PART = 128;

/** Differences of vectors' lengths from 1 up to this are rounding. */
const ROUNDING = 1e-3;

export interface OpenedModel extends AsyncDisposable {
	readonly index: PhraseIndex;
	/** For undivided scores of phrases: an index of its own if the encoder's vectors do not have length 1, else the same. */
	readonly undivided: PhraseIndex;
	readonly facts: PhraseModelFacts;
}

/** Segments and encodes all passages, or opens the indexes of an earlier run. Every phrase is encoded with its passage's title, as passages are. */
export async function openModel(model: PhraseModel, options: ModelOptions): Promise<OpenedModel> {
	const {folder, signal} = options;
	const path = join(folder, `${model.name}.pkphrases`);
	const undividedPath = join(folder, `${model.name}.undivided.pkphrases`);
	const factsPath = join(folder, `${model.name}.json`);
	if (!(await isThere(path))) {
		await makeFolder(folder);
		const parts = join(folder, `${model.name}.parts`);
		await using building = await build(model, options, parts, true);
		await writeWhole(factsPath, json(building.facts));
		if (!building.facts.unitLength) {
			await using raw = await build(model, options, parts, false);
			await raw.index.save(undividedPath, {signal});
		}
		// The last file: once it is there, the model is complete.
		await building.index.save(path, {signal});
		await onPath('remove', parts, async () => rm(parts, {recursive: true, force: true}));
	}
	const facts = await readJson<PhraseModelFacts>(factsPath);
	const index = await PhraseIndex.open(path);
	const undivided = facts.unitLength ? index : await PhraseIndex.open(undividedPath);
	return {
		index,
		undivided,
		facts,
		async [Symbol.asyncDispose]() {
			index.close();
			undivided.close();
		},
	};
}

/** An index of all phrases, from the vectors in `parts` where these are there. */
async function build(
	model: PhraseModel,
	{passages, encoder, tokenizer, questionEncoder, signal, onProgress}: ModelOptions,
	parts: string,
	unitLength: boolean,
): Promise<{index: PhraseIndex; facts: PhraseModelFacts} & AsyncDisposable> {
	const segmenter = await segmenterOf(model, tokenizer);
	const metadata = {encoder: encoder.identity!, ...(questionEncoder === undefined ? {} : {questionEncoder})};
	const index = new PhraseIndex({dim: encoder.dim, metadata, normalize: unitLength});
	let [phrases, words] = [0, 0];
	let [part, hasUnitLength] = [0, true];
	const kept: Encoder = {
		dim: encoder.dim,
		async encode(inputs) {
			for (const input of inputs) {
				await waitForTime();
				words += wordCount(typeof input === 'string' ? input : input.text);
			}
			const vectors = await encodedPart(join(parts, `${part++}.f32`), inputs, encoder, signal);
			hasUnitLength &&= await haveUnitLength(vectors);
			return vectors;
		},
	};
	for (let start = 0; start < passages.size; start += PASSAGES_A_PART) {
		const slice = await passages.slice(start, PASSAGES_A_PART);
		phrases += (await index.addPassages(slice, {encoder: kept, segmenter, signal})).phrases;
		await onProgress?.({done: start + slice.length, total: passages.size});
	}
	const facts = {...model, phrases, words: phrases === 0 ? 0 : words / phrases, unitLength: hasUnitLength};
	return {index, facts, [Symbol.asyncDispose]: async () => index.close()};
}

async function haveUnitLength({data, rows, dim}: Vectors): Promise<boolean> {
	for (let row = 0; row < rows; row++) {
		await waitForTime();
		const squared = data.subarray(row * dim, (row + 1) * dim).reduce((sum, value) => sum + value * value, 0);
		if (Math.abs(Math.sqrt(squared) - 1) > ROUNDING) {
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
