/** The settings stored in an updatable collection: how documents are split, and how vectors are computed and compared. */
import {checkBoolean, checkCount, checkObject, checkOneOf, checkString, hasMethods, kindOf} from '../../core/checks.ts';
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

/** The parameters of an HNSW graph as a collection records them. */
export type StoredGraph = {readonly [Name in keyof GraphOptions]-?: NonNullable<GraphOptions[Name]>};

const graphNames = ['m', 'efConstruction', 'seed', 'layout'] as const satisfies ReadonlyArray<keyof GraphOptions>;

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

/** The settings that are stored with an updatable collection of this machine. */
export interface LiveSettings extends Settings {
	/** The parameters of the HNSW graph; `null` if the collection has no vectors. Missing in collections of earlier builds. */
	readonly graph?: StoredGraph | null;
}

/** Checks the option `split` and adds the defaults. */
export function checkedSplitSetting(split: SplitOptions | false | undefined): SplitSetting {
	return split === false ? false : checkedSplit(split ?? {});
}

/** Checks the settings of vectors. Returns the parameters of their graph, with the defaults for those that are not given. */
export function checkedVectors(vectors: VectorSettings): StoredGraph {
	checkRequiredOptions('vectors', vectors, vectorNames);
	const {dim, similarity = 'dot'} = vectors;
	if (dim !== undefined) {
		checkCount('vectors: dim', dim, 1, 2 ** 20);
	}
	checkOneOf('vectors: similarity', similarity, ['dot', 'cosine', 'l2']);
	const {m, efConstruction, seed, layout} = vectors;
	const graph = checkedGraph({m, efConstruction, seed, layout}, 'vectors: ');
	return {m: graph.m, efConstruction: graph.efConstruction, seed: graph.seed, layout: graph.layout};
}

/** Accepts an encoder, or the name or folder of a model. */
export function checkEncoderOption(what: string, encoder: unknown): void {
	if (typeof encoder === 'string') {
		return;
	}
	if (!hasMethods(encoder, 'encode')) {
		throw new RetrievalError('ERR_ARGUMENT', `${what}: expected an encoder or the name of a model, got ${kindOf(encoder)}`);
	}
	const {dim, identity, normalized = false} = encoder as Encoder;
	checkCount(`${what}: dim`, dim, 1, 2 ** 20);
	if (identity !== undefined) {
		checkString(`${what}: identity`, identity);
	}
	checkBoolean(`${what}: normalized`, normalized);
}

/** Reads the settings from the metadata of a collection. */
export function readSettings(json: string): LiveSettings {
	const settings = JSON.parse(json) as LiveSettings | null;
	checkObject('settings', settings, 'the settings of a collection that Collection.open created');
	return settings as unknown as LiveSettings;
}

function splitText(split: SplitSetting | undefined): string {
	return split ? `{words: ${split.words}, overlap: ${split.overlap}, wrap: ${split.wrap}}` : String(split);
}

/** Fails with `ERR_ARGUMENT` if settings were given that are not those of the collection. */
export function checkSettings(
	{split, vectors}: {readonly split: SplitSetting | undefined; readonly vectors: VectorSettings},
	settings: LiveSettings,
): void {
	const [expected, got] = [settings.split, split].map(splitText);
	if (split !== undefined && got !== expected) {
		throw new RetrievalError('ERR_ARGUMENT', `split: expected ${expected}, with which the collection was created, got ${got}`);
	}
	checkVectorSetting('similarity', vectors.similarity, settings.similarity);
	if (settings.graph !== undefined) {
		for (const name of graphNames) {
			checkVectorSetting(name, vectors[name], settings.graph?.[name] ?? null);
		}
	}
}

/** Fails with `ERR_ARGUMENT` if a given setting of the vectors is not the stored one, which is `null` if the collection has no vectors. */
function checkVectorSetting(name: string, given: string | number | undefined, stored: string | number | null): void {
	if (given !== undefined && given !== stored) {
		const has =
			stored === null ? 'none, since the collection has no vectors' : `${JSON.stringify(stored)}, with which the collection was created`;
		throw new RetrievalError('ERR_ARGUMENT', `vectors: ${name}: expected ${has}, got ${JSON.stringify(given)}`);
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
