export {
	Bm25Index,
	type Analyzer,
	type Bm25BuildOptions,
	type Bm25Options,
	type Bm25SearchManyOptions,
	type Bm25SearchOptions,
	type Explanation,
	type TermExplanation,
	type WeightedTerm,
} from './bm25-index.ts';
export {Bm25Writer, type AddOptions, type Bm25CreateOptions, type Bm25WriterOptions} from './bm25-writer.ts';
export type {FileOptions, PassageSource} from '../source.ts';
