/**
The results of a replication study: `replicate` returns them, `report.json` stores them, and the report shows them.

The paper (Ma et al., 2021) compares dense retrieval by DPR, BM25 and three hybrids of the two, and reads the passages
that they find. The hybrids fuse lists of k' hits. Hybrid-orig (`dprHybrid`) scores λ · dense + BM25; Hybrid (`hybrid`)
scores dense + α · BM25; Hybrid-norm (`hybridNorm`) has the same formula as Hybrid, but a passage that is missing from a
list gets the lowest score of this list instead of 0. Evidence fusion replaces the relevance that the reader gives a
passage with β · relevance + γ · retrieval score.
*/
import type {FusionMethod} from '../../fusion/index.ts';
import type {AnswerMerge} from '../../reader/index.ts';
import type {Comparison} from '../statistics/comparison.ts';
import type {StudyInput, StudyModel} from '../storage/inputs.ts';
import {checkStudyFormat, checkValueCount} from '../storage/study-format.ts';

export const studyFormat = 'passagekit replication 2';

/**
The results of repeating Ma et al. (2021), "A Replication Study of Dense Passage Retriever", on a data set. On one
machine, studies with the same configuration have equal results.
*/
export interface Study {
	readonly format: typeof studyFormat;
	/** The data set's name, such as "SQuAD". */
	readonly dataset: string;
	/** The version of passagekit. */
	readonly passagekit: string;
	readonly corpus: StudyInput;
	/** Development questions, on which weights are tuned, and test questions, on which everything else is measured. */
	readonly questions: {readonly development: StudyInput; readonly test: StudyInput};
	/** The passage encoder, the question encoder if it is a different model, and the reader if there was one. */
	readonly models: {readonly encoder: StudyModel; readonly questionEncoder?: StudyModel; readonly reader: StudyModel | null};
	readonly settings: Settings;
	readonly retrieval: RetrievalStudy;
	/**
	Table 2 of Ma et al. (2021): for each k, the Jaccard overlap of the first k dense and the first k BM25 hits, as the
	mean over `questions` questions.
	*/
	readonly overlap: ReadonlyArray<{readonly k: number; readonly jaccard: number; readonly questions: number}>;
	/** Tests whether each overlap of Table 2 is below 10 percent. */
	readonly overlapComparisons: readonly Comparison[];
	/** Missing in a study without a reader. */
	readonly reading?: ReadingStudy;
	/** The command that repeats this study. It names files without their folders. */
	readonly command?: string;
}

/** The settings of a replication study. */
export interface Settings {
	/** Number of hits that hybrids fuse from each list (k'). Lists may be shorter, for example in a small corpus. */
	readonly depth: number;
	/** The same for `dprHybrid`; at least `depth`. Karpukhin et al. (2020) fuse 2000 hits. */
	readonly dprDepth: number;
	/** A difference is significant if its corrected p-value is below this. The paper uses 0.01. */
	readonly significance: number;
	/** The weights of hybrids were tuned for top-k accuracy at this k: 20, as in the paper. */
	readonly tunedFor: number;
	/** Maximum number of passages read per question. */
	readonly passagesRead: number;
	/** Maximum number of spans kept per passage (m). */
	readonly spansPerPassage: number;
	/** Maximum number of tokens of an answer. */
	readonly maxAnswerTokens: number;
	/** Which spans are merged into one answer; GAR and GAR* add their scores. */
	readonly merge: AnswerMerge;
	/** `pattern` if accepted answers are regular expressions, as in CuratedTREC. */
	readonly answers?: 'pattern';
	/**
	The hybrid whose passages were read: Hybrid-norm or Hybrid, the one with the higher accuracy on development
	questions. Missing in the configuration file, which is written before the hybrids are tuned.
	*/
	readonly hybridRead?: FusionMethod;
	readonly bm25: {readonly k1: number; readonly b: number};
}

/** Table 1 of Ma et al. (2021), and accuracy by k. */
export interface RetrievalStudy {
	/** The cut-offs k of top-k accuracy, such as 20 and 100. */
	readonly ks: readonly number[];
	/** In the paper's order: dense, BM25, hybrids. */
	readonly rows: readonly RetrievalRow[];
	/** Tests of the differences between the rows other than `dprHybrid`, corrected together. */
	readonly comparisons: readonly Comparison[];
	/**
	Tests of `dprHybrid` against dense retrieval and BM25, corrected together. The paper copies this row from Karpukhin
	et al. (2020) and does not test it.
	*/
	readonly addedComparisons: readonly Comparison[];
	/**
	Accuracy by k, starting at 1, as in Figure 1 of Karpukhin et al. (2020). There is one line per row, in the same
	order.
	*/
	readonly curves: {
		readonly ks: readonly number[];
		readonly lines: ReadonlyArray<{readonly condition: RetrievalCondition; readonly accuracy: readonly number[]}>;
	};
}

/** What ranks the passages: dense retrieval, BM25 or one of the hybrids that are defined at the top of this file. */
export type RetrievalCondition = 'dense' | 'bm25' | 'dprHybrid' | 'hybridNorm' | 'hybrid';

/** A row of Table 1. */
export interface RetrievalRow {
	readonly condition: RetrievalCondition;
	/** λ of `dprHybrid`, α of the other hybrids. */
	readonly weight?: number;
	/** Accuracy at each of `ks`, from 0 to 1. */
	readonly accuracy: readonly number[];
	/** If the weight was tuned: the accuracy on development questions for each weight that was tried. */
	readonly tuning?: ReadonlyArray<{readonly weight: number; readonly accuracy: number}>;
}

/** Table 3 and Figure 1 of Ma et al. (2021). */
export interface ReadingStudy {
	readonly rows: readonly ReadingRow[];
	/** Tests of Table 3, corrected together. */
	readonly comparisons: readonly Comparison[];
	/**
	Tests of further claims in the text of §4.2, corrected together: answers from hybrid passages against answers from
	dense passages, and the best `GAR*` against the best `repl`.
	*/
	readonly textComparisons: readonly Comparison[];
	/** Tests of the curves of Figure 1, corrected together. */
	readonly curveTests: readonly CurveTest[];
	/** The numbers of passages read, one for each point of the curves. */
	readonly ks: readonly number[];
	readonly curves: ReadonlyArray<{readonly retriever: Retrieved; readonly scoring: Scoring; readonly exactMatch: readonly number[]}>;
}

/** Tests whether a curve of Figure 1 (exact match by number of passages read) rises, and whether it falls again. */
export interface CurveTest {
	readonly retriever: Retrieved;
	readonly scoring: Scoring;
	/** The number of passages that is best on development questions for this curve. */
	readonly chosen: number;
	/**
	Exact match with `chosen` passages minus exact match with the smallest number. For BM25, the largest number replaces
	`chosen`.
	*/
	readonly rise: Comparison;
	/** Exact match with `chosen` passages minus exact match with the largest number. */
	readonly fall: Comparison;
}

/** The retriever whose passages are read. */
export type Retrieved = 'dense' | 'bm25' | 'hybrid';

/**
How answer spans are scored, by the paper's names: `repl` is DPR's scoring, `GAR` the normalized scoring of Mao et al.
(2020); `*` adds the retriever's scores.
*/
export type Scoring = 'repl' | 'repl*' | 'GAR' | 'GAR*';

/** A row of Table 3. */
export interface ReadingRow {
	readonly retriever: Retrieved;
	readonly cells: readonly ReadingCell[];
}

/** A value of Table 3, and the choices behind it. */
export interface ReadingCell {
	readonly scoring: Scoring;
	/** Exact match on test questions, from 0 to 1. */
	readonly exactMatch: number;
	/** F1 on test questions. Missing if accepted answers are regular expressions, for which F1 is not defined. */
	readonly f1?: number;
	/** Number of passages read, chosen on development questions. */
	readonly passages: number;
	/** Weight β of the reader's relevance, chosen on development questions. */
	readonly beta: number;
	/** Weight γ of the retriever's score, chosen on development questions. */
	readonly gamma: number;
	/** Exact match on development questions with these choices. */
	readonly developmentExactMatch: number;
}

/** Fails with `ERR_FORMAT` if `value`, such as parsed JSON, is not the result of a replication study. */
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
