/**
Declares the names that examples in documentation comments use without defining them, because the reader's program would
define them. A name that is a searcher in one example and a run in another has the intersection of both types.
*/
import type {
	Bm25Index,
	CandidateLists,
	EmbedFunction,
	Explainers,
	ExtractiveReader,
	FlatIndex,
	FusedModel,
	Hit,
	LexicalEnrichment,
	ModelRun,
	OnnxEncoder,
	Passage,
	PassageStore,
	PhraseIndex,
	PhraseSearcher,
	Qrels,
	Question,
	Query,
	RankedPairs,
	ReadingCache,
	Readings,
	Run,
	Searcher,
	Vectors,
	VocabularyProjection,
} from '../../ts/index.ts';
import type {PhraseStudy, Study, VocabularyStudy} from '../../ts/studies/index.ts';

declare global {
	const writeFile: (path: string, text: string) => Promise<void>;
	const signal: AbortSignal;
	const question: string & Float32Array;
	const query: Float32Array & Query;
	const questions: Question[];
	const dev: Question[];
	const passage: Passage;
	const passages: Array<Passage & Hit> & Run & Searcher & Map<string, Passage>;
	const questionsWithPassages: Array<{id: string; question: string; passage: Passage}>;
	const passageIds: string[];
	const qrels: Qrels;
	const store: PassageStore;
	const embed: EmbedFunction;
	const encoder: OnnxEncoder;
	const projection: VocabularyProjection;
	const enriched: LexicalEnrichment;
	const explainers: Explainers;
	const vectors: Vectors;
	const reader: ExtractiveReader;
	const cache: ReadingCache;
	const readings: Readings;
	const index: Bm25Index & FlatIndex & PhraseIndex;
	const bm25: Bm25Index;
	const searcher: Searcher;
	const dense: Searcher & Run;
	const sparse: Searcher & Run;
	const titles: Searcher & Run;
	const hybrid: Searcher & Run;
	const before: Map<string, number>;
	const after: Map<string, number>;
	const sentences: PhraseSearcher & Run;
	const threes: Run;
	const fives: Run;
	const phrases: Run;
	const run: Run;
	const models: FusedModel[];
	const runs: Array<FusedModel & ModelRun>;
	const denseRun: Run;
	const sparseRun: Run;
	const bm25Run: Run;
	const hybridRun: Run;
	const devRun: Run;
	const candidates: CandidateLists;
	const pairs: RankedPairs;
	const study: Study & PhraseStudy & VocabularyStudy;
	function isGold(query: string, passage: string | undefined): boolean;
}
