/** What a collection records about its passages: how they were split, and which encoder made their vectors. */
import {checkCount, checkObject, checkOneOf, checkString, hasMethods, kindOf} from '../../core/checks.ts';
import {RetrievalError} from '../../core/errors.ts';
import {type OptionNames, checkRequiredOptions, optionNames} from '../../core/options.ts';
import {type SplitOptions, checkedSplit} from '../../core/passage-source.ts';
import type {Encoder} from '../../core/types.ts';
import {type HnswIndexOptions, checkedGraph} from '../../dense/hnsw-index.ts';
import type {SplitSetting} from './documents.ts';

/** The parameters of a graph. */
export type GraphOptions = Pick<HnswIndexOptions, 'm' | 'efConstruction' | 'seed' | 'layout'>;

/** The vectors of a collection, if they come with the documents or if their graph has other parameters than the default ones. */
export interface VectorSettings extends GraphOptions {
	/** Length of the vectors. @default that of the encoder */
	readonly dim?: number | undefined;
	/** How vectors are compared. @default 'dot' with an encoder, 'cosine' without */
	readonly similarity?: 'dot' | 'cosine' | 'l2' | undefined;
}

const vectorNames: OptionNames = optionNames<VectorSettings>({
	dim: true,
	similarity: true,
	m: true,
	efConstruction: true,
	seed: true,
	layout: true,
});

/** An encoder as a collection records it. */
export interface StoredEncoder {
	/** The model that `OnnxEncoder.load` gets; `null` for an encoder of the caller. */
	readonly model: string | null;
	/** `null` if the encoder has none. */
	readonly identity: string | null;
}

/** The settings that are stored with a collection. */
export interface Settings {
	readonly split: SplitSetting;
	readonly similarity: 'dot' | 'cosine' | 'l2' | null;
	/** Whether vectors have length 1, so that scores are at most 1. */
	readonly unit: boolean;
	readonly encoder: StoredEncoder | null;
	/** The encoder of questions, if it is another one. */
	readonly questionEncoder: StoredEncoder | null;
}

export function checkedSplitSetting(split: SplitOptions | false | undefined): SplitSetting {
	return split === false ? false : checkedSplit(split ?? {});
}

/** Checks the settings of vectors. The rest of the checks is that of the graph. */
export function checkedVectors(vectors: VectorSettings): void {
	checkRequiredOptions('vectors', vectors, vectorNames);
	const {dim, similarity = 'dot'} = vectors;
	if (dim !== undefined) {
		checkCount('vectors: dim', dim, 1, 2 ** 20);
	}
	checkOneOf('vectors: similarity', similarity, ['dot', 'cosine', 'l2']);
	checkedGraph(graphOf(vectors), 'vectors: ');
}

export function graphOf({m, efConstruction, seed, layout}: VectorSettings): GraphOptions {
	return {m, efConstruction, seed, layout};
}

/** Accepts an encoder, or the name of a model. */
export function checkEncoderOption(what: string, encoder: unknown): void {
	if (typeof encoder === 'string') {
		return;
	}
	if (!hasMethods(encoder, 'encode')) {
		throw new RetrievalError('ERR_ARGUMENT', `${what}: expected an encoder or the name of a model, got ${kindOf(encoder)}`);
	}
	const {dim, identity} = encoder as Encoder;
	checkCount(`${what}: dim`, dim, 1, 2 ** 20);
	if (identity !== undefined) {
		checkString(`${what}: identity`, identity);
	}
}

/** Reads the settings from the metadata of a collection. */
export function readSettings(json: string): Settings {
	const settings = JSON.parse(json) as Settings | null;
	checkObject('settings', settings, 'the settings of a collection that Collection.open created');
	return settings as unknown as Settings;
}

/** Fails if an encoder is not the one that the collection was made with. */
export function checkIdentity(what: string, encoder: Encoder, stored: StoredEncoder, dim: number): void {
	if (encoder.dim !== dim) {
		throw new RetrievalError('ERR_DIMENSION', `${what}: expected vectors of dimension ${dim}, as the collection has, got ${encoder.dim}`);
	}
	if (stored.identity !== null && encoder.identity !== undefined && encoder.identity !== stored.identity) {
		throw new RetrievalError(
			'ERR_ENCODER_MISMATCH',
			`${what}: expected the encoder that the collection was created with, ${stored.identity}, got ${encoder.identity}`,
		);
	}
}
