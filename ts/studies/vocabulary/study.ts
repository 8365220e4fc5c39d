/**
The results of a vocabulary study: `studyVocabulary` returns them, `results.json` stores them under the same names, and
the report shows them.

The paper (Ram et al., 2023) projects vectors onto a vocabulary: a masked-language-model head turns the vector of a
question into a distribution Q over tokens, and the vector of a passage into a distribution P. Shared tokens are those
that question and passage have in common. Token amnesia means that P ranks a shared token low, so that dense retrieval
may miss the passage. Lexical enrichment adds λ times a lexical vector to the vector of a text. The lexical vector is a
weighted mean of the vectors of the text's tokens, scaled to unit length. The token vectors are found by a search with
Adam.
*/
import type {AmnesiaGroup, VocabularyAnalysis} from '../../vocabulary/index.ts';
import type {RelevanceSource} from '../dataset/relevance.ts';
import type {JudgedSettings} from '../engine/judged-study.ts';
import type {SplitBy} from '../dataset/split.ts';
import type {Comparison} from '../statistics/comparison.ts';
import type {StudyInput, StudyModel} from '../storage/inputs.ts';
import {checkStudyFormat, checkValueCount} from '../storage/study-format.ts';
import type {VocabularyExamples} from './examples/projected-example.ts';

export const vocabularyStudyFormat = 'passagekit vocabulary study 2';

/**
The results of repeating Ram et al. (2023), "What Are You Token About?", on a data set. On one machine, studies with the
same configuration have equal results.
*/
export interface VocabularyStudy {
	readonly format: typeof vocabularyStudyFormat;
	/** The data set's name, such as "SQuAD". */
	readonly dataset: string;
	/** The version of passagekit. */
	readonly passagekit: string;
	/** `words` is the mean length of a passage in words, which are separated by white space. */
	readonly corpus: StudyInput & {readonly words: number};
	readonly questions: VocabularyQuestions;
	readonly encoder: StudyModel;
	/** The question encoder, if it is not the passage encoder. */
	readonly questionEncoder?: StudyModel;
	/**
	The masked-language-model head that projects vectors onto its vocabulary, and the number of tokens in this
	vocabulary.
	*/
	readonly head: StudyModel & {readonly vocabulary: number};
	/**
	What the encoder is compared with: the model that it was initialized from, if the caller has named that model, or
	else the head's word embeddings.
	*/
	readonly baseline: Baseline;
	readonly settings: VocabularySettings;
	/** The outcome of the search for the vectors of single tokens. Missing if the study was run without enrichment. */
	readonly enrichment?: EnrichmentOutcome;
	/**
	Analyses of the encoder, of the baseline and, if a λ above 0 was chosen on development questions, of the enriched
	encoder.
	*/
	readonly analyses: readonly EncoderAnalysis[];
	/** Tests of the paper's claims about projections. */
	readonly tests: VocabularyTests;
	/** Examples for Table 1 and Figure 2 of the report. */
	readonly examples: VocabularyExamples;
	readonly retrieval: VocabularyRetrieval;
	/** The command that repeats this study. It names files without their folders. */
	readonly command?: string;
}

export interface VocabularyQuestions {
	/** Number of questions on which λ is chosen. */
	readonly development: number;
	/** Number of questions on which everything else is measured. */
	readonly test: number;
	/** Number of questions left out because the corpus has no passage that is known to be relevant for them. */
	readonly without: number;
	readonly files: readonly StudyInput[];
	/** How the questions were split into development and test questions. */
	readonly split: SplitBy;
	/** How relevant passages are determined. */
	readonly relevance: RelevanceSource;
	/** The file of relevance judgments, if there is one. */
	readonly qrels?: StudyInput;
}

export interface VocabularyTests {
	/** Paired t-tests over questions. */
	readonly claims: readonly Comparison[];
	/**
	Rank-sum tests between groups of questions. A difference is a probability minus one half: see `amnesiaTests`.
	*/
	readonly amnesia: readonly Comparison[];
}

/** The outcome of the search for the vectors of single tokens. */
export interface EnrichmentOutcome {
	/** Number of steps that the search took for each token. */
	readonly steps: number;
	/** Number of tokens in the head's vocabulary. */
	readonly tokens: number;
	/** Number of tokens whose vector has a loss below 0.1 nats, the paper's threshold. */
	readonly reached: number;
	/**
	Number of tokens for which such a vector provably does not exist, because the lower bound on the loss is at least 0.1.
	*/
	readonly proved: number;
	/** Whether enriched vectors are scaled to unit length. */
	readonly renormalized: boolean;
}

/**
`static`: the vector of a text is the mean of the head's word embeddings of its tokens. `encoder`: another encoder,
named by the caller.
*/
export type Baseline = {readonly kind: 'static'} | ({readonly kind: 'encoder'} & StudyModel);

export interface VocabularySettings extends JudgedSettings {
	/** Seed for drawing development questions and examples. */
	readonly seed: number;
	/** Number of hits per question when the whole corpus is searched. */
	readonly depth: number;
	/** Token amnesia is measured on the questions with a relevant passage among this number of first hits of BM25. */
	readonly sparseDepth: number;
	/**
	Token amnesia is measured in groups of questions, by the rank that dense retrieval gives to the passage. Each bound
	is the last rank of a group; one more group has all later ranks.
	*/
	readonly bounds: readonly number[];
	/** Groups with fewer questions than this are not tested. */
	readonly minGroup: number;
	/** Learning rate of Adam in the search for the vectors of single tokens. */
	readonly learningRate: number;
	/** Maximum number of steps of that search for each token. */
	readonly maxSteps: number;
	/**
	The values of λ that were tried, in relative units: at 1, λ times the lexical vectors are on average as long as the
	encoder's vectors. Empty if the study was run without enrichment.
	*/
	readonly lambdas: readonly number[];
}

/** What is analyzed: the encoder, the baseline, or the encoder with lexical enrichment. */
export type AnalyzedEncoder = 'encoder' | 'baseline' | 'enriched';

export interface EncoderAnalysis {
	/** Which encoder was analyzed. */
	readonly of: AnalyzedEncoder;
	/** How the encoder's projections rank the tokens of questions and passages. */
	readonly analysis: VocabularyAnalysis;
	/**
	The result of `tokenAmnesia`: the ranks of shared tokens, by the rank that dense retrieval gives to the passage.
	`without` is the `withoutSharedCount` of that result: the number of questions without a shared content token.
	*/
	readonly amnesia: {readonly groups: readonly AmnesiaGroup[]; readonly without: number};
}

/**
A way to rank passages:

- `bm25`: BM25 on words, with the analyzer `english`; `wordpiece`: BM25 on the head's word pieces;
- `dense`: the encoder; `enriched`: the encoder with lexical enrichment;
- `noIdf`, `static`, `noWhitening`, `noNormalisation`: ablations, that is, enrichment without IDF weights, without the
  vectors found by search (with the head's word embeddings instead), without whitening, or without normalization, that
  is, without scaling lexical vectors to unit length.
*/
export type VocabularyCondition = 'bm25' | 'wordpiece' | 'dense' | 'enriched' | 'noIdf' | 'static' | 'noWhitening' | 'noNormalisation';

/** All conditions, in the order of reports. */
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
	/** Names of the measures. */
	readonly measures: readonly string[];
	/** Name of the measure that the chosen λ maximizes on development questions. */
	readonly tunedFor: string;
	/** Names of the measures by which significance tests compare conditions. */
	readonly tested: readonly string[];
	/** Effectiveness on test questions. */
	readonly rows: readonly VocabularyRetrievalRow[];
	/** Tests of enrichment against all other conditions. Empty if there is no enrichment or if the chosen λ is 0. */
	readonly comparisons: readonly Comparison[];
}

export interface VocabularyRetrievalRow {
	readonly condition: VocabularyCondition;
	/** One value for each of `measures`, from 0 to 1. */
	readonly values: readonly number[];
	/**
	For conditions with enrichment: the λ chosen on development questions, in absolute units, and the value of the
	measure `tunedFor` on these questions for each of the settings' `lambdas`.
	*/
	readonly tuning?: {readonly lambda: number; readonly values: readonly number[]};
}

/** Returns the row of a condition; undefined if the study does not have it. */
export const rowOf = ({retrieval}: VocabularyStudy, wanted: VocabularyCondition): VocabularyRetrievalRow | undefined =>
	retrieval.rows.find(({condition}) => condition === wanted);

/** Fails with `ERR_FORMAT` if `value`, such as parsed JSON, is not the result of a vocabulary study. */
export function checkVocabularyStudy(value: unknown): asserts value is VocabularyStudy {
	checkStudyFormat(value, vocabularyStudyFormat);
	const {measures, rows} = (value as VocabularyStudy).retrieval;
	for (const {condition, values} of rows) {
		checkValueCount(`values of ${condition}`, values, measures, 'measure');
	}
}
