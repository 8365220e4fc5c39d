export {
	type Asked,
	Collection,
	type AskOptions,
	type CollectionOptions,
	type Retriever,
	type SearcherOptions,
	defaultEvidence,
	type CollectionBuildOptions,
} from './collection.ts';
export {type BuildOptions, type BuildProgress, type BuildStage, type DenseIndexes, type StageReport, buildCollection} from './build.ts';
export {type EncoderRecord, type Manifest} from './manifest.ts';
