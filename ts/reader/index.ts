export {
	ExtractiveReader,
	type Answer,
	type ExtractiveReaderOptions,
	type ReaderForm,
	type ReadOptions,
	type RetrievedPassage,
	type SpanScoring,
} from './extractive-reader.ts';
