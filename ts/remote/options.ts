/** The options of the methods of `OpenSearchCollection`, and their checks. */
import {checkCount, checkOneOf, checkString, kindOf} from '../core/checks.ts';
import {RetrievalError} from '../core/errors.ts';
import {type OptionNames, callNames, checkOptions, checkRequiredOptions, optionNames} from '../core/options.ts';
import {type FileOptions, type SplitOptions, fileNames} from '../core/passage-source.ts';
import type {CallOptions, Encoder} from '../core/types.ts';
import type {SearcherOptions} from '../collection/options.ts';
import {type GivenEncoders, givenEncoders} from '../collection/live/encoders.ts';
import {checkedSplitSetting, checkedVectors, type VectorSettings} from '../collection/live/settings.ts';
import type {SplitSetting} from '../collection/live/documents.ts';
import type {StoredEncoder} from '../collection/live/settings.ts';
import type {OnnxEncoderOptions} from '../encoders/index.ts';
import {encoderOptions as encoderNames} from '../encoders/onnx-encoder.ts';
import {checkParameters} from '../sparse/bm25-index.ts';
import type {Analyzer} from '../sparse/index.ts';
import {nativeAnalyzer} from '../sparse/native-analyzer.ts';
import {type RemoteOptions, remoteNames} from './connection/options.ts';
import {type RemoteStorage, remoteStorages} from './index/schema.ts';
import type {PushOptions} from './write/push.ts';

/** The options of `OpenSearchCollection.open`. */
export interface OpenSearchOpenOptions extends RemoteOptions {
	/** The encoder of both passages and questions: an encoder, or the name of a model. @default the model that the index was created with */
	readonly encoder?: Encoder | string | undefined;
	/** The passage encoder, if questions have a different one. @default `encoder` */
	readonly passageEncoder?: Encoder | string | undefined;
	/** The question encoder, if passages have a different one. @default `encoder` */
	readonly questionEncoder?: Encoder | string | undefined;
	/** The options with which models are loaded. */
	readonly encoderOptions?: OnnxEncoderOptions | undefined;
	/** The model of the reader for `ask`, as for `ExtractiveReader.load`. @default 'minilm-reader' */
	readonly reader?: string | undefined;
	/**
	Which document frequencies and lengths BM25 uses: those of the whole index, which cost a request to all shards before each search, or
	those of each shard. With those of each shard, scores depend on which shard has a passage. @default 'global'
	*/
	readonly statistics?: 'global' | 'shard' | undefined;
	/** Cancels the opening. */
	readonly signal?: AbortSignal | undefined;
}

/** The vectors of a remote index. */
export interface RemoteVectorSettings extends Pick<VectorSettings, 'dim' | 'similarity' | 'm' | 'efConstruction'> {
	/**
	How vectors are stored for graph searches. Scores are those of the full vectors in any case.
	@default 'f32', or that of an existing index that is opened
	*/
	readonly storage?: RemoteStorage | undefined;
}

/** The options of `OpenSearchCollection.create`. */
export interface OpenSearchCreateOptions extends Omit<OpenSearchOpenOptions, 'encoder'> {
	/**
	The encoder of both passages and questions: an encoder, or the name of a model as for `OnnxEncoder.load`. `false` for an index without an
	encoder, which is searched by words only or, with `vectors`, gets its vectors with the documents. @default 'minilm-encoder'
	*/
	readonly encoder?: Encoder | string | false | undefined;
	/** Dimension, similarity, graph parameters and storage of the vectors. @default those of the encoder, 'dot' and 'f32' */
	readonly vectors?: RemoteVectorSettings | undefined;
	/** How texts are turned into terms for BM25; not `wordpiece`. @default 'english' */
	readonly analyzer?: Analyzer | undefined;
	/** How documents are split into passages; `false` keeps each as one passage. @default {words: 100} */
	readonly split?: SplitOptions | false | undefined;
	/** BM25: saturation of term frequency. @default 0.9 */
	readonly k1?: number | undefined;
	/** BM25: normalization by passage length. @default 0.4 */
	readonly b?: number | undefined;
	/** What to do if there is an index with this name: fail, or open it if it was created with the same settings. @default 'fail' */
	readonly ifExists?: 'fail' | 'open' | undefined;
	/** Number of shards, which cannot be changed later. @default 1 */
	readonly shards?: number | undefined;
	/** Number of copies of each shard besides the first. With 1, the index survives the loss of a node. @default 1 */
	readonly replicas?: number | undefined;
}

/** The options of `OpenSearchCollection.searcher`. */
export interface OpenSearchSearcherOptions extends SearcherOptions {
	/** Number of candidates that a search of the graph expands in each shard; at least the number of hits. @default 128 */
	readonly efSearch?: number | undefined;
}

/** The options of `OpenSearchCollection.useAlias`. */
export interface UseAliasOptions extends Pick<CallOptions, 'signal'> {
	/** Deletes the indexes that had the alias before. @default false */
	readonly deleteOld?: boolean | undefined;
}

/** The counts and settings of a remote index. */
export interface OpenSearchStats {
	/** The name of the index; differs from the name that was opened if that is an alias. */
	readonly index: string;
	/** The version of the cluster. */
	readonly version: string;
	/** Number of documents. Counts the changes up to the last refresh. */
	readonly documents: number;
	readonly passages: number;
	/** Number of deleted passages that are still in the index, and still count in the statistics of BM25. */
	readonly deletedPassages: number;
	readonly shards: number;
	readonly replicas: number;
	/** Whether all copies of all shards are in use ('green'), all shards ('yellow'), or not all ('red'). */
	readonly health: 'green' | 'yellow' | 'red';
	/** Size on disk, in bytes, with all copies. */
	readonly bytes: number;
	/** Dimension of the vectors; `undefined` without vectors. */
	readonly dim: number | undefined;
	/** Whether the vectors have length 1. */
	readonly hasUnitVectors: boolean;
	/** How vectors are stored for graph searches; `undefined` without vectors. */
	readonly storage: RemoteStorage | undefined;
	readonly split: SplitSetting;
	readonly encoder: StoredEncoder | undefined;
	readonly questionEncoder: StoredEncoder | undefined;
}

const vectorNames: OptionNames = optionNames<RemoteVectorSettings>({
	dim: true,
	similarity: true,
	m: true,
	efConstruction: true,
	storage: true,
});
const openNames = {
	...remoteNames,
	encoder: true,
	passageEncoder: true,
	questionEncoder: true,
	encoderOptions: true,
	reader: true,
	statistics: true,
	signal: true,
} as const;
export const openOptions: OptionNames = optionNames<OpenSearchOpenOptions>(openNames);
export const createOptions: OptionNames = optionNames<OpenSearchCreateOptions>({
	...openNames,
	vectors: true,
	analyzer: true,
	split: true,
	k1: true,
	b: true,
	ifExists: true,
	shards: true,
	replicas: true,
});
export const searcherOptions: OptionNames = optionNames<OpenSearchSearcherOptions>({
	vectorIndex: true,
	fusion: true,
	depth: true,
	efSearch: true,
});
export const pushOptions: OptionNames = optionNames<PushOptions & FileOptions>({...callNames, ...fileNames, workers: true, total: true});
export const aliasOptions: OptionNames = optionNames<UseAliasOptions>({signal: true, deleteOld: true});

/** Checks the options that `open` and `create` share, and returns the encoders that the caller gave. */
export function checkedEncoders(options: OpenSearchOpenOptions | OpenSearchCreateOptions): GivenEncoders {
	const {encoderOptions, reader, statistics = 'global'} = options;
	const given = givenEncoders(options);
	checkOptions('encoderOptions', encoderOptions, encoderNames);
	if (reader !== undefined) {
		checkString('reader', reader);
	}
	checkOneOf('statistics', statistics, ['global', 'shard']);
	return given;
}

/** Checks the options of `create` that are stored with the index, and adds the defaults. */
export function checkedIndexSettings(options: OpenSearchCreateOptions) {
	const {vectors = {}, analyzer = 'english', split, k1 = 0.9, b = 0.4, shards = 1, replicas = 1} = options;
	checkRequiredOptions('vectors', vectors, vectorNames);
	const {storage = 'f32', ...settings} = vectors;
	checkedVectors(settings);
	checkOneOf('vectors: storage', storage, remoteStorages);
	nativeAnalyzer(analyzer);
	if (typeof analyzer === 'object' && analyzer.type === 'wordpiece') {
		throw new RetrievalError(
			'ERR_ARGUMENT',
			`analyzer: expected one other than wordpiece, whose tokenizer a remote index cannot store, got ${kindOf(analyzer)} of type wordpiece`,
		);
	}
	checkParameters({k1, b});
	checkCount('shards', shards, 1, 1024);
	checkCount('replicas', replicas, 0, 1024);
	checkOneOf('ifExists', options.ifExists ?? 'fail', ['fail', 'open']);
	const {m = 24, efConstruction = 200} = vectors;
	return {vectors: settings, analyzer, split: checkedSplitSetting(split), k1, b, shards, replicas, m, efConstruction, storage};
}
