import {rm} from 'node:fs/promises';
import {join} from 'node:path';
import type {PassageStore} from '../corpus/index.ts';
import {onPath} from '../files.ts';
import {PhraseIndex, PhraseSegmenter} from '../phrases/index.ts';
import {isThere, json, makeFolder, readJson, writeWhole} from '../report/run-folder.ts';
import {wordCount} from '../study/corpus-facts.ts';
import {encodedPart} from '../study/encoded-part.ts';
import {turnWithTime} from '../turn.ts';
import type {CallOptions, Encoder} from '../types.ts';
import type {PhraseModelFacts} from './study.ts';

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

/** Segments and encodes all passages, or opens what is there. Every phrase has its passage's title before it, as a passage has. */
export async function openModel(model: PhraseModel, options: ModelOptions): Promise<{index: PhraseIndex; facts: PhraseModelFacts}> {
	const {folder, passages, encoder, questionEncoder, signal, onProgress} = options;
	const path = join(folder, `${model.name}.pkphrases`);
	const factsPath = join(folder, `${model.name}.json`);
	if (await isThere(path)) {
		return {index: await PhraseIndex.open(path), facts: await readJson<PhraseModelFacts>(factsPath)};
	}
	await makeFolder(folder);
	const segmenter = await segmenterOf(model, options.tokenizer);
	const metadata = {encoder: encoder.identity!, ...(questionEncoder === undefined ? {} : {questionEncoder})};
	await using building = new PhraseIndex({dim: encoder.dim, metadata});
	const parts = join(folder, `${model.name}.parts`);
	let [phrases, words] = [0, 0];
	let part = 0;
	const kept: Encoder = {
		dim: encoder.dim,
		async encode(inputs) {
			for (const input of inputs) {
				await turnWithTime();
				words += wordCount(typeof input === 'string' ? input : input.text);
			}
			return encodedPart(join(parts, `${part++}.f32`), inputs, encoder, signal);
		},
	};
	for (let start = 0; start < passages.size; start += PASSAGES_A_PART) {
		const slice = await passages.slice(start, PASSAGES_A_PART);
		phrases += (await building.addPassages(slice, {encoder: kept, segmenter, signal})).phrases;
		await onProgress?.({done: start + slice.length, total: passages.size});
	}
	const facts = {...model, phrases, words: phrases === 0 ? 0 : words / phrases};
	await writeWhole(factsPath, json(facts));
	await building.save(path, {signal});
	await onPath('remove', parts, async () => rm(parts, {recursive: true, force: true}));
	return {index: await PhraseIndex.open(path), facts};
}

async function segmenterOf({length}: PhraseModel, tokenizer: string): Promise<Pick<PhraseSegmenter, 'segmentMany'>> {
	if (length === 'passage') {
		return {segmentMany: async texts => texts.map(text => [{text, start: 0, end: text.length}])};
	}
	return PhraseSegmenter.open('tokens' in length ? {...length, model: tokenizer} : length);
}
