/** BM25 indexes, their writers, analyzers and filters. */
export {
	snowballLanguages,
	type Analyzer,
	type AnalyzerDescription,
	type AnalyzerName,
	type AnalyzerOptions,
	type EnglishAnalyzer,
	type SimpleAnalyzer,
	type SnowballAnalyzer,
	type SnowballLanguage,
	type WhitespaceAnalyzer,
	type WordPieceAnalyzer,
} from './analyzer.ts';
export {
	Bm25Index,
	type Bm25BuildOptions,
	type Bm25OpenOptions,
	type Bm25Options,
	type Bm25Repair,
	type Bm25SearchManyOptions,
	type Bm25SearchOptions,
	type Explanation,
	type TermExplanation,
	type WeightedTerm,
} from './bm25-index.ts';
export {
	Bm25Writer,
	type AddOptions,
	type Bm25CreateOptions,
	type Bm25WriterOpenOptions,
	type Bm25WriterOptions,
} from './bm25-writer.ts';
export type {FileOptions, PassageSource} from '../core/passage-source.ts';
export type {
	Bounds,
	EqualityOperators,
	FieldCondition,
	Filter,
	FilterValue,
	PrefixOperator,
	Range,
	Scalar,
} from '../core/filters/filter.ts';
