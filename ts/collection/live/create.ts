/** The options with which an updatable collection is created and opened. */
import {checkBoolean, checkCount} from '../../core/checks.ts';
import {type OpenOptions, checkedOpenOptions} from '../../core/open-options.ts';
import type {SplitOptions} from '../../core/passage-source.ts';
import type {Encoder} from '../../core/types.ts';
import type {OnnxEncoderOptions} from '../../encoders/index.ts';
import type {Analyzer} from '../../sparse/analyzer.ts';
import type {SplitSetting} from './documents.ts';
import {type GivenEncoders, givenEncoders} from './encoders.ts';
import {type StoredGraph, type VectorSettings, checkedSplitSetting, checkedVectors} from './settings.ts';

/** The options of `Collection.open` for an updatable collection. */
export interface LiveOptions extends OpenOptions {
	/** Creates the collection if there is none in the folder, which must then be missing or empty. @default false */
	readonly create?: boolean | undefined;
	/**
	The encoder of both passages and questions: an encoder, or the name of a model as for `OnnxEncoder.load`. `false` for a collection without an
	encoder, which is searched by words only or, with `vectors`, gets its vectors with the documents.
	@default 'minilm-encoder' for a new collection, else the model that the collection was created with
	*/
	readonly encoder?: Encoder | string | false | undefined;
	/** The passage encoder, if questions have a different one, as in DPR. @default `encoder` */
	readonly passageEncoder?: Encoder | string | undefined;
	/** The question encoder, if passages have a different one, as in DPR. @default `encoder` */
	readonly questionEncoder?: Encoder | string | undefined;
	/** The options with which models are loaded. */
	readonly encoderOptions?: OnnxEncoderOptions | undefined;
	/**
	Dimension, similarity and graph parameters of the vectors of a new collection. Those that are given for an existing collection must be
	those that it was created with. @default the dimension of the encoder, and the similarity 'dot'; without an encoder, the collection has
	no vectors
	*/
	readonly vectors?: VectorSettings | undefined;
	/** How texts are turned into terms for BM25. An existing collection must have the same analyzer. @default 'english' for a new collection */
	readonly analyzer?: Analyzer | undefined;
	/**
	How documents are split into passages; `false` keeps each as one passage. An existing collection must have the same setting.
	@default {words: 100} for a new collection
	*/
	readonly split?: SplitOptions | false | undefined;
	/** Commits after each change. @default false */
	readonly autoCommit?: boolean | undefined;
	/**
	Minimum time in milliseconds between two checks for a commit of another process. A search first makes the check if it is due, and then
	sees the last commit. @default no checks: only `refresh()` shows the commits of other processes
	*/
	readonly refreshMs?: number | undefined;
	/** BM25: saturation of term frequency. @default 0.9 */
	readonly k1?: number | undefined;
	/** BM25: normalization by passage length. @default 0.4 */
	readonly b?: number | undefined;
}

/** The option names of `LiveOptions`, which `Collection.open` spreads into its own option names. */
export const liveNames = {
	create: true,
	encoder: true,
	passageEncoder: true,
	questionEncoder: true,
	encoderOptions: true,
	vectors: true,
	analyzer: true,
	split: true,
	autoCommit: true,
	refreshMs: true,
	k1: true,
	b: true,
	inMemory: true,
	verify: true,
} as const;

/** The options after they were checked. */
export interface CreateSettings {
	readonly given: GivenEncoders;
	readonly vectors: VectorSettings;
	/** `undefined` if the option was not given. */
	readonly split: SplitSetting | undefined;
	/** `undefined` if the option was not given. */
	readonly analyzer: Analyzer | undefined;
	readonly files: {readonly inMemory: boolean; readonly verify: boolean};
	readonly autoCommit: boolean;
	readonly refreshMs: number | undefined;
	readonly k1?: number | undefined;
	readonly b?: number | undefined;
	/** The parameters of the graph of a new collection. */
	readonly graph: StoredGraph;
}

/** Checks the options. `isNew` says whether a collection will be created; only then is there a default encoder. */
export function checkedCreate(options: LiveOptions, isNew: boolean): CreateSettings {
	const {encoder, passageEncoder, vectors = {}, split, autoCommit = false, refreshMs} = options;
	const given = givenEncoders(options);
	checkBoolean('autoCommit', autoCommit);
	if (refreshMs !== undefined) {
		checkCount('refreshMs', refreshMs, 0);
	}
	const byDefault = isNew && encoder === undefined && passageEncoder === undefined ? 'minilm-encoder' : undefined;
	return {
		given: {...given, passages: given.passages ?? byDefault},
		vectors,
		split: split === undefined ? undefined : checkedSplitSetting(split),
		analyzer: options.analyzer,
		files: checkedOpenOptions(options),
		autoCommit,
		refreshMs,
		k1: options.k1,
		b: options.b,
		graph: checkedVectors(vectors),
	};
}
