/** The extractive reader, stored readings of whole runs, and the tuning of evidence fusion. */
export {
	ExtractiveReader,
	type Answer,
	type AnswerMerge,
	type ExtractiveReaderOptions,
	type ReaderForm,
	type ReadOptions,
	type RetrievedPassage,
	type SpanScoring,
} from './extractive-reader.ts';
export {ReadingCache, type SpanLimits} from './reading-cache.ts';
export {
	readRun,
	Readings,
	type AnswersOptions,
	type ExactMatchOptions,
	type PassageSourceById,
	type ReadRunOptions,
	type ScoringOptions,
} from './readings.ts';
export {tuneEvidence, type EvidenceTrial, type SearchRange, type TunedEvidence, type TuneEvidenceOptions} from './tune-evidence.ts';
