import {isObject, kindOf, shown} from '../../core/checks.ts';
import {RetrievalError} from '../../core/errors.ts';
import type {Comparison} from '../statistics/comparison.ts';
import type {Counted, Model} from '../storage/inputs.ts';
import type {RelevanceSource} from '../dataset/relevance.ts';
import type {SplitBy} from '../dataset/split.ts';
import type {TokenAmnesia, VocabularyAnalysis} from '../../vocabulary/index.ts';
import type {VocabularyExamples} from './examples/examples.ts';

export const vocabularyStudyFormat = 'passagekit vocabulary study 2';

/**
What the study of Ram et al. (2023), "What Are You Token About?", found out on a data set: all that its report shows, and
nothing that differs between two runs of the same configuration. `results.json` is this object.
*/
export interface VocabularyStudy {
	readonly format: typeof vocabularyStudyFormat;
	/** The data set's name, such as "SQuAD". */
	readonly dataset: string;
	readonly passagekit: string;
	/** `words`: mean length of a passage, by white space. */
	readonly corpus: Counted & {readonly words: number};
	readonly questions: VocabularyQuestions;
	readonly encoder: Model;
	/** Of questions, where it is another. */
	readonly questionEncoder?: Model;
	/** The masked-language-model head that vectors are projected by. */
	readonly head: Model & {readonly vocabulary: number};
	/** What the encoder is compared with: its initialisation, where the caller has it. */
	readonly baseline: Baseline;
	readonly settings: VocabularySettings;
	/** How the vectors of single tokens were computed; missing without enrichment. */
	readonly enrichment?: EnrichmentFacts;
	/** Of the encoder, the baseline, and the encoder with lexical enrichment, if development questions chose any. */
	readonly analyses: readonly EncoderAnalysis[];
	/** Tests of what the paper says about projections. */
	readonly tests: VocabularyTests;
	/** Table 1 and Figure 2. */
	readonly examples: VocabularyExamples;
	readonly retrieval: VocabularyRetrieval;
	/** The command that makes this study again, with names of files and no folders. */
	readonly command?: string;
}

export interface VocabularyQuestions {
	/** Questions that λ was chosen on, and those that all else was measured on. */
	readonly development: number;
	readonly test: number;
	/** Left out, since no relevant passage of theirs is known. */
	readonly without: number;
	readonly files: readonly Counted[];
	readonly split: SplitBy;
	/** How it is known which passages are relevant; the file of it, where it is one of its own. */
	readonly relevance: RelevanceSource;
	readonly qrels?: Counted;
}

export interface VocabularyTests {
	/** Paired t-tests over questions. */
	readonly claims: readonly Comparison[];
	/** Rank-sum tests of groups of questions; a difference is a probability less one half. */
	readonly amnesia: readonly Comparison[];
}

/** How the search for the vectors of single tokens ended. */
export interface EnrichmentFacts {
	/** Steps that every token took. */
	readonly steps: number;
	/** Tokens of the head. */
	readonly tokens: number;
	/** Tokens whose loss is below the threshold. */
	readonly reached: number;
	/** Tokens that provably have no such vector. */
	readonly proved: number;
	/** Whether enriched vectors are scaled to unit length. */
	readonly renormalized: boolean;
}

/** `static`: the mean of the head's own word embeddings, which is what is there without any encoder. */
export type Baseline = {readonly kind: 'static'} | ({readonly kind: 'encoder'} & Model);

export interface VocabularySettings {
	readonly seed: number;
	/** Hits of a search of the whole corpus. */
	readonly depth: number;
	/** Token amnesia is of questions that BM25 answers among its first so many. */
	readonly sparseDepth: number;
	/** Ranks at which groups of token amnesia end. */
	readonly bounds: readonly number[];
	/** Groups of token amnesia with fewer questions are not tested. */
	readonly minGroup: number;
	/** Adam's, for the vectors of single tokens. */
	readonly learningRate: number;
	/** Maximum number of steps for them. */
	readonly maxSteps: number;
	/** λ that are tried, as lengths of lexical vectors beside the encoder's; none without enrichment. */
	readonly lambdas: readonly number[];
	/** A difference counts with a corrected p below this. */
	readonly significance: number;
}

export type AnalyzedEncoder = 'encoder' | 'baseline' | 'enriched';

export interface EncoderAnalysis {
	readonly of: AnalyzedEncoder;
	readonly analysis: VocabularyAnalysis;
	readonly amnesia: TokenAmnesia;
}

/**
- `bm25`: of the analyzer `english`; `wordpiece`: of the model's word pieces;
- `dense`: the encoder as it is; `enriched`: with lexical enrichment;
- `noIdf`, `static`, `noWhitening`, `noNormalisation`: enrichment without one of its parts.
*/
export const conditions = ['bm25', 'wordpiece', 'dense', 'enriched', 'noIdf', 'static', 'noWhitening', 'noNormalisation'] as const;
export type VocabularyCondition = (typeof conditions)[number];

export interface VocabularyRetrieval {
	readonly measures: readonly string[];
	/** What λ is chosen by, on development questions. */
	readonly tunedFor: string;
	/** Of `measures` those that are tested. */
	readonly tested: readonly string[];
	/** On test questions. */
	readonly rows: readonly VocabularyRetrievalRow[];
	readonly comparisons: readonly Comparison[];
}

export interface VocabularyRetrievalRow {
	readonly condition: VocabularyCondition;
	/** One for each of `measures`, 0 to 1. */
	readonly values: readonly number[];
	/** The λ that development questions chose, and what each of them was worth there. */
	readonly tuning?: {readonly lambda: number; readonly values: readonly number[]};
}

/** Refuses what is no study, such as the JSON of something else. */
export function checkVocabularyStudy(value: unknown): asserts value is VocabularyStudy {
	const format = isObject(value) ? value['format'] : undefined;
	if (format !== vocabularyStudyFormat) {
		const came = format === undefined ? kindOf(value) : `format ${shown(format)}`;
		throw new RetrievalError('ERR_FORMAT', `study: expected an object of format "${vocabularyStudyFormat}", got ${came}`);
	}
	const {retrieval} = value as VocabularyStudy;
	for (const {condition, values} of retrieval.rows) {
		if (values.length !== retrieval.measures.length) {
			throw new RetrievalError(
				'ERR_FORMAT',
				`study: values of ${condition}: expected ${retrieval.measures.length}, one for each measure, got ${values.length}`,
			);
		}
	}
}
