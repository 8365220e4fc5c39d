/** Collections: documents, or the passages of a corpus, with their indexes in one folder. */
export {Collection} from './collection.ts';
export type {
	AskOptions,
	AskResult,
	AttachOptions,
	CollectionBuildOptions,
	CollectionOptions,
	FoundAnswer,
	ListOptions,
	NeighborOptions,
	OptimizeOptions,
	SearcherOptions,
} from './options.ts';
export {defaultEvidence} from './evidence.ts';
export type {LiveOptions} from './live/create.ts';
export type {Document, DocumentContent, DocumentFields, DocumentPassage, Documents, SplitSetting} from './live/documents.ts';
export type {GraphOptions, StoredEncoder, VectorSettings} from './live/settings.ts';
export type {VectorInput} from './live/vector-rows.ts';
export type {
	CollectionHandle,
	CollectionHit,
	CollectionSearchOptions,
	CollectionStats,
	CountOptions,
	FacetOptions,
	FoundPassage,
	Highlight,
	HitParts,
	Include,
	Retriever,
	SearchResult,
	StoredPassage,
	ValueCount,
} from './live/types.ts';
export {type BuildOptions, type BuildProgress, type BuildStage, type DenseIndexes, type StageReport, buildCollection} from './build.ts';
export {type EncoderRecord, type FilePart, type Manifest} from './manifest.ts';
