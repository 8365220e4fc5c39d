/** The settings stored in an updatable collection: how documents are split, and how vectors are computed and compared. */
import {checkCount, checkObject, checkOneOf, checkString, hasMethods, kindOf} from '../../core/checks.ts';
import {RetrievalError} from '../../core/errors.ts';
import {type OptionNames, checkRequiredOptions, optionNames} from '../../core/options.ts';
import {type SplitOptions, checkedSplit} from '../../core/passage-source.ts';
import type {Encoder} from '../../core/types.ts';
import {type HnswIndexOptions, checkedGraph} from '../../dense/hnsw-index.ts';
import type {SplitSetting} from './documents.ts';

/** The parameters of an HNSW graph. */
export type GraphOptions = Pick<HnswIndexOptions, 'm' | 'efConstruction' | 'seed' | 'layout'>;

/** The settings of a collection's vectors. They are needed if the vectors come with the documents, or to change the defaults. */
export interface VectorSettings extends GraphOptions {
	/** Dimension of the vectors. @default that of the encoder */
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
	/** The name or folder of the model, as for `OnnxEncoder.load`; `null` for an encoder object that the caller passed. */
	readonly model: string | null;
	/** `Encoder.identity` of the encoder; `null` if the encoder has none. */
	readonly identity: string | null;
}

/** The settings that are stored with a collection. */
export interface Settings {
	readonly split: SplitSetting;
	/** `null` if the collection has no vectors. */
	readonly similarity: 'dot' | 'cosine' | 'l2' | null;
	/** Whether vectors have length 1, so that scores are at most 1. */
	readonly unit: boolean;
	/** The passage encoder; `null` if the collection was created without one. */
	readonly encoder: StoredEncoder | null;
	/** The question encoder; `null` if it is the passage encoder. */
	readonly questionEncoder: StoredEncoder | null;
}

/** Checks the option `split` and adds the defaults. */
export function checkedSplitSetting(split: SplitOptions | false | undefined): SplitSetting {
	return split === false ? false : checkedSplit(split ?? {});
}

/** Checks the settings of vectors and the parameters of their graph. */
export function checkedVectors(vectors: VectorSettings): void {
	checkRequiredOptions('vectors', vectors, vectorNames);
	const {dim, similarity = 'dot'} = vectors;
	if (dim !== undefined) {
		checkCount('vectors: dim', dim, 1, 2 ** 20);
	}
	checkOneOf('vectors: similarity', similarity, ['dot', 'cosine', 'l2']);
	checkedGraph(graphOf(vectors), 'vectors: ');
}

/** Returns the parameters of the graph among the settings of vectors. */
export function graphOf({m, efConstruction, seed, layout}: VectorSettings): GraphOptions {
	return {m, efConstruction, seed, layout};
}

/** Accepts an encoder, or the name or folder of a model. */
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

function splitText(split: SplitSetting | undefined): string {
	return split ? `{words: ${split.words}, overlap: ${split.overlap}, wrap: ${split.wrap}}` : String(split);
}

/** Fails with `ERR_ARGUMENT` if settings were given that are not those of the collection. */
export function checkSettings(
	{split, vectors: {similarity}}: {readonly split: SplitSetting | undefined; readonly vectors: VectorSettings},
	settings: Settings,
): void {
	const [expected, got] = [settings.split, split].map(splitText);
	if (split !== undefined && got !== expected) {
		throw new RetrievalError('ERR_ARGUMENT', `split: expected ${expected}, with which the collection was created, got ${got}`);
	}
	if (similarity !== undefined && similarity !== settings.similarity) {
		const has =
			settings.similarity === null ? 'none, since the collection has no vectors' : `"${settings.similarity}", with which it was created`;
		throw new RetrievalError('ERR_ARGUMENT', `vectors: similarity: expected ${has}, got "${similarity}"`);
	}
}

/** Fails with `ERR_DIMENSION` or `ERR_ENCODER_MISMATCH` if an encoder is not the one that the collection was created with. */
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
