/** The results of a replication of Ma et al. (2021): everything that its report shows. */
import type {FusionMethod} from '../../fusion/index.ts';
import type {AnswerMerge} from '../../reader/index.ts';
import type {Comparison} from '../statistics/comparison.ts';
import type {StudyInput, StudyModel} from '../storage/inputs.ts';
import {checkStudyFormat, checkValueCount} from '../storage/study-format.ts';

export const studyFormat = 'passagekit replication 2';

/**
The results of Ma et al. (2021), "A Replication Study of Dense Passage Retriever", on a data set. They contain everything that the
report shows, and nothing that differs between two runs of the same configuration. `report.json` is this object.
*/
export interface Study {
	readonly format: typeof studyFormat;
	/** The data set's name, such as "SQuAD". */
	readonly dataset: string;
	readonly passagekit: string;
	readonly corpus: StudyInput;
	/** Questions for tuning weights, and questions for measuring everything else. */
	readonly questions: {readonly development: StudyInput; readonly test: StudyInput};
	/** The encoder of passages, the encoder of questions if it is another model, and the reader, if there was one. */
	readonly models: {readonly encoder: StudyModel; readonly questionEncoder?: StudyModel; readonly reader: StudyModel | null};
	readonly settings: Settings;
	readonly retrieval: RetrievalStudy;
	/** Table 2. */
	readonly overlap: ReadonlyArray<{readonly k: number; readonly jaccard: number; readonly questions: number}>;
	/** Whether each overlap of Table 2 is below 10 per cent. */
	readonly overlapComparisons: readonly Comparison[];
	/** Missing in a study without a reader. */
	readonly reading?: ReadingStudy;
	/** The command that repeats this study, with names of files and without folders. */
	readonly command?: string;
}

export interface Settings {
	/** Hits of each list that are fused (k'); fewer if a list is shorter, as in a small corpus. */
	readonly depth: number;
	/** The same for `dprHybrid`; Karpukhin et al. (2020) have 2000. */
	readonly dprDepth: number;
	/** A difference is significant if its corrected p is below this. The paper has 0.01. */
	readonly significance: number;
	/** The cut-off of the accuracy for which retrieval weights were tuned. */
	readonly tunedFor: number;
	/** Maximum number of passages read per question. */
	readonly passagesRead: number;
	/** Maximum number of spans per passage (m). */
	readonly spansPerPassage: number;
	/** Maximum number of tokens of an answer. */
	readonly maxAnswerTokens: number;
	/** Which answers are equal. */
	readonly merge: AnswerMerge;
	/** `pattern` if accepted answers are regular expressions, as in CuratedTREC. */
	readonly answers?: 'pattern';
	/** The hybrid whose passages were read: Hybrid-norm or Hybrid, whichever has the higher accuracy on development questions. */
	readonly hybridRead?: FusionMethod;
	readonly bm25: {readonly k1: number; readonly b: number};
}

/** Table 1. */
export interface RetrievalStudy {
	/** Cut-offs of accuracy, such as 20 and 100. */
	readonly ks: readonly number[];
	/** In the paper's order: dense, BM25, hybrids. */
	readonly rows: readonly RetrievalRow[];
	/** The paper's tests of the table, corrected together. */
	readonly comparisons: readonly Comparison[];
	/** Tests of `dprHybrid`, whose row the paper copies and does not test; corrected on their own. */
	readonly addedComparisons: readonly Comparison[];
	/** Accuracy by k, starting at 1, as in Figure 1 of Karpukhin et al. (2020); a line for each row, in the same order. */
	readonly curves: {
		readonly ks: readonly number[];
		readonly lines: ReadonlyArray<{readonly condition: RetrievalCondition; readonly accuracy: readonly number[]}>;
	};
}

export type RetrievalCondition = 'dense' | 'bm25' | 'dprHybrid' | 'hybridNorm' | 'hybrid';

export interface RetrievalRow {
	readonly condition: RetrievalCondition;
	/** λ of `dprHybrid`, α of the others. */
	readonly weight?: number;
	/** Accuracy at each of `ks`, 0 to 1. */
	readonly accuracy: readonly number[];
	/** If the weight was tuned: the accuracy of each weight on development questions. */
	readonly tuning?: ReadonlyArray<{readonly weight: number; readonly accuracy: number}>;
}

/** Table 3 and Figure 1. */
export interface ReadingStudy {
	readonly rows: readonly ReadingRow[];
	/** Tests of Table 3, corrected together. */
	readonly comparisons: readonly Comparison[];
	/** Tests of what §4.2 says in addition to Table 3, corrected together: hybrid against dense passages, the best GAR* against the best repl. */
	readonly textComparisons: readonly Comparison[];
	/** Tests of the curves in the paper's Figure 1, corrected together. */
	readonly curveTests: readonly CurveTest[];
	/** Numbers of passages read, one for each point of the curves. */
	readonly ks: readonly number[];
	readonly curves: ReadonlyArray<{readonly retriever: Retrieved; readonly scoring: Scoring; readonly exactMatch: readonly number[]}>;
}

/** Tests whether a curve of Figure 1 rises, and whether it falls again. */
export interface CurveTest {
	readonly retriever: Retrieved;
	readonly scoring: Scoring;
	/** The number of passages that development questions chose for this curve. */
	readonly chosen: number;
	/** Exact match with `chosen` passages minus exact match with the fewest. For BM25, the maximum number stands in place of `chosen`. */
	readonly rise: Comparison;
	/** Exact match with `chosen` passages minus exact match with the maximum number. */
	readonly fall: Comparison;
}

export type Retrieved = 'dense' | 'bm25' | 'hybrid';

/** The paper's names: `repl` is the original span scoring, `GAR` the normalized one, `*` adds the retriever's scores. */
export type Scoring = 'repl' | 'repl*' | 'GAR' | 'GAR*';

export interface ReadingRow {
	readonly retriever: Retrieved;
	readonly cells: readonly ReadingCell[];
}

export interface ReadingCell {
	readonly scoring: Scoring;
	/** On the test questions, 0 to 1. */
	readonly exactMatch: number;
	/** Missing if accepted answers are regular expressions, for which F1 is not defined. */
	readonly f1?: number;
	/** Chosen on development questions: passages read, β and γ, and their exact match there. */
	readonly passages: number;
	readonly beta: number;
	readonly gamma: number;
	readonly developmentExactMatch: number;
}

/** Fails with `ERR_FORMAT` if `value` is not a study of this kind, such as the JSON of something else. */
export function checkStudy(value: unknown): asserts value is Study {
	checkStudyFormat(value, studyFormat);
	const {retrieval, reading} = value as Study;
	for (const {condition, accuracy} of retrieval.curves.lines) {
		checkValueCount(`curve of ${condition}`, accuracy, retrieval.curves.ks, 'cut-off');
	}
	for (const {condition, accuracy} of retrieval.rows) {
		checkValueCount(`accuracy of ${condition}`, accuracy, retrieval.ks, 'cut-off');
	}
	for (const {retriever, scoring, exactMatch} of reading?.curves ?? []) {
		checkValueCount(`curve of ${retriever} ${scoring}`, exactMatch, reading!.ks, 'cut-off');
	}
}
