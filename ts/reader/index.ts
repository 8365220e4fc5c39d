export {
	ExtractiveReader,
	type Answer,
	type ExtractiveReaderOptions,
	type ReadOptions,
	type RetrievedPassage,
	type SpanScoring,
} from './extractive-reader.ts';
