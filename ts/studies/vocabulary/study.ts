/** The results of a vocabulary study: everything that its report shows. */
import type {TokenAmnesia, VocabularyAnalysis} from '../../vocabulary/index.ts';
import type {RelevanceSource} from '../dataset/relevance.ts';
import type {SplitBy} from '../dataset/split.ts';
import type {Comparison} from '../statistics/comparison.ts';
import type {StudyInput, StudyModel} from '../storage/inputs.ts';
import {checkStudyFormat, checkValueCount} from '../storage/study-format.ts';
import type {VocabularyExamples} from './examples/projected-example.ts';

export const vocabularyStudyFormat = 'passagekit vocabulary study 2';

/**
The results of Ram et al. (2023), "What Are You Token About?", on a data set. They contain everything that the report shows, and nothing
that differs between two runs of the same configuration. `results.json` is this object.
*/
export interface VocabularyStudy {
	readonly format: typeof vocabularyStudyFormat;
	/** The data set's name, such as "SQuAD". */
	readonly dataset: string;
	readonly passagekit: string;
	/** `words`: mean length of a passage in words, separated by white space. */
	readonly corpus: StudyInput & {readonly words: number};
	readonly questions: VocabularyQuestions;
	readonly encoder: StudyModel;
	/** The encoder of questions, if it is another model. */
	readonly questionEncoder?: StudyModel;
	/** The masked-language-model head that projects vectors onto its vocabulary. */
	readonly head: StudyModel & {readonly vocabulary: number};
	/** What the encoder is compared with: its initialization, if the caller has named it. */
	readonly baseline: Baseline;
	readonly settings: VocabularySettings;
	/** The outcome of the search for the vectors of single tokens; missing without enrichment. */
	readonly enrichment?: EnrichmentOutcome;
	/** Analyses of the encoder, the baseline and, if development questions chose λ > 0, the encoder with lexical enrichment. */
	readonly analyses: readonly EncoderAnalysis[];
	/** Tests of the paper's claims about projections. */
	readonly tests: VocabularyTests;
	/** Table 1 and Figure 2. */
	readonly examples: VocabularyExamples;
	readonly retrieval: VocabularyRetrieval;
	/** The command that repeats this study, with names of files and without folders. */
	readonly command?: string;
}

export interface VocabularyQuestions {
	/** Number of questions for choosing λ, and of questions for measuring everything else. */
	readonly development: number;
	readonly test: number;
	/** Number of questions that were left out, because no relevant passage is known for them. */
	readonly without: number;
	readonly files: readonly StudyInput[];
	readonly split: SplitBy;
	/** How relevant passages are determined, and the file of judgments, if there is one. */
	readonly relevance: RelevanceSource;
	readonly qrels?: StudyInput;
}

export interface VocabularyTests {
	/** Paired t-tests over questions. */
	readonly claims: readonly Comparison[];
	/** Rank-sum tests of groups of questions; a difference is a probability minus one half. */
	readonly amnesia: readonly Comparison[];
}

/** The outcome of the search for the vectors of single tokens. */
export interface EnrichmentOutcome {
	/** Number of steps of every token. */
	readonly steps: number;
	/** Number of tokens in the head's vocabulary. */
	readonly tokens: number;
	/** Number of tokens whose loss is below the threshold. */
	readonly reached: number;
	/** Number of tokens that provably have no such vector. */
	readonly proved: number;
	/** Whether enriched vectors are scaled to unit length. */
	readonly renormalized: boolean;
}

/** `static`: the mean of the head's word embeddings over a text's tokens, which needs no encoder. */
export type Baseline = {readonly kind: 'static'} | ({readonly kind: 'encoder'} & StudyModel);

export interface VocabularySettings {
	readonly seed: number;
	/** Number of hits of a search of the whole corpus. */
	readonly depth: number;
	/** Token amnesia is measured on questions for which BM25 finds a relevant passage among this number of hits. */
	readonly sparseDepth: number;
	/** The last ranks of the groups of token amnesia, except for the last group. */
	readonly bounds: readonly number[];
	/** Groups of token amnesia with fewer questions are not tested. */
	readonly minGroup: number;
	/** Adam's learning rate in the search for the vectors of single tokens. */
	readonly learningRate: number;
	/** Maximum number of steps of that search. */
	readonly maxSteps: number;
	/** Values of λ that were tried, as lengths of lexical vectors relative to the encoder's; empty without enrichment. */
	readonly lambdas: readonly number[];
	/** A difference is significant if its corrected p is below this. */
	readonly significance: number;
}

export type AnalyzedEncoder = 'encoder' | 'baseline' | 'enriched';

export interface EncoderAnalysis {
	readonly of: AnalyzedEncoder;
	readonly analysis: VocabularyAnalysis;
	readonly amnesia: TokenAmnesia;
}

/**
- `bm25`: BM25 of words, with the analyzer `english`; `wordpiece`: BM25 of the head's word pieces;
- `dense`: the encoder; `enriched`: the encoder with lexical enrichment;
- `noIdf`, `static`, `noWhitening`, `noNormalisation`: enrichment without one of its parts.
*/
export type VocabularyCondition = 'bm25' | 'wordpiece' | 'dense' | 'enriched' | 'noIdf' | 'static' | 'noWhitening' | 'noNormalisation';

export const conditions = [
	'bm25',
	'wordpiece',
	'dense',
	'enriched',
	'noIdf',
	'static',
	'noWhitening',
	'noNormalisation',
] as const satisfies readonly VocabularyCondition[];

export interface VocabularyRetrieval {
	readonly measures: readonly string[];
	/** The measure for which λ is chosen on development questions. */
	readonly tunedFor: string;
	/** The measures that are tested. */
	readonly tested: readonly string[];
	/** Effectiveness on test questions. */
	readonly rows: readonly VocabularyRetrievalRow[];
	readonly comparisons: readonly Comparison[];
}

export interface VocabularyRetrievalRow {
	readonly condition: VocabularyCondition;
	/** One for each of `measures`, 0 to 1. */
	readonly values: readonly number[];
	/** The λ that development questions chose, and the value of `tunedFor` there for each λ that was tried. */
	readonly tuning?: {readonly lambda: number; readonly values: readonly number[]};
}

/** The row of a condition; undefined if the study does not have it. */
export const rowOf = ({retrieval}: VocabularyStudy, wanted: VocabularyCondition): VocabularyRetrievalRow | undefined =>
	retrieval.rows.find(({condition}) => condition === wanted);

/** Fails with `ERR_FORMAT` if `value` is not a study of this kind, such as the JSON of something else. */
export function checkVocabularyStudy(value: unknown): asserts value is VocabularyStudy {
	checkStudyFormat(value, vocabularyStudyFormat);
	const {measures, rows} = (value as VocabularyStudy).retrieval;
	for (const {condition, values} of rows) {
		checkValueCount(`values of ${condition}`, values, measures, 'measure');
	}
}
