import {isObject, kindOf, shown} from '../../core/checks.ts';
import {RetrievalError} from '../../core/errors.ts';
import type {FusionMethod} from '../../fusion/index.ts';
import type {AnswerMerge} from '../../reader/index.ts';
import type {Comparison} from '../statistics/comparison.ts';
import type {Counted, Model} from '../storage/inputs.ts';

export const studyFormat = 'passagekit replication 2';

/**
What a replication of Ma et al. (2021), "A Replication Study of Dense Passage Retriever", found out on a data set: all that
its report shows, and nothing that differs between two runs of the same configuration. `report.json` is this object.
*/
export interface Study {
	readonly format: typeof studyFormat;
	/** The data set's name, such as "SQuAD". */
	readonly dataset: string;
	readonly passagekit: string;
	readonly corpus: Counted;
	/** Questions that weights were tuned on, and those that all else was measured on. */
	readonly questions: {readonly development: Counted; readonly test: Counted};
	/** The encoder of passages, that of questions where it is another, and the reader, if there was one. */
	readonly models: {readonly encoder: Model; readonly questionEncoder?: Model; readonly reader: Model | null};
	readonly settings: Settings;
	readonly retrieval: RetrievalStudy;
	/** Table 2. */
	readonly overlap: ReadonlyArray<{readonly k: number; readonly jaccard: number; readonly questions: number}>;
	/** Whether each overlap of Table 2 is below 10 per cent. */
	readonly overlapComparisons: readonly Comparison[];
	/** Absent where nothing was read. */
	readonly reading?: ReadingStudy;
	/** The command that makes this study again, with names of files and no folders. */
	readonly command?: string;
}

export interface Settings {
	/** Hits taken from each list before fusing (k'); fewer where a list is shorter, as in a small corpus. */
	readonly depth: number;
	/** The same for `dprHybrid`; Karpukhin et al. have 2000. */
	readonly dprDepth: number;
	/** A difference counts with a corrected p below this. The paper has 0.01. */
	readonly significance: number;
	/** The measure that retrieval weights were tuned for: accuracy at this many passages. */
	readonly tunedFor: number;
	/** Maximum number of passages read per question. */
	readonly passagesRead: number;
	/** Maximum number of spans kept per passage (m). */
	readonly spansPerPassage: number;
	/** Maximum number of tokens of an answer. */
	readonly maxAnswerTokens: number;
	/** Which answers are equal. */
	readonly merge: AnswerMerge;
	/** Answers were regular expressions, as in CuratedTREC. */
	readonly answers?: 'pattern';
	/** The hybrid that was read: Hybrid-norm or Hybrid, the one with the higher accuracy on development questions. */
	readonly hybridRead?: FusionMethod;
	readonly bm25: {readonly k1: number; readonly b: number};
}

/** Table 1. */
export interface RetrievalStudy {
	/** Cut-offs of accuracy, such as 20 and 100. */
	readonly ks: readonly number[];
	/** In the paper's order: dense, BM25, then the hybrids. */
	readonly rows: readonly RetrievalRow[];
	/** Tests of the paper's table, corrected together. */
	readonly comparisons: readonly Comparison[];
	/** Tests of `dprHybrid`, which the paper copies and does not test; corrected apart. */
	readonly addedComparisons: readonly Comparison[];
	/** Accuracy against k, from 1 on, as in Figure 1 of Karpukhin et al. (2020); a line for each row, in their order. */
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
	/** How the weight was found, where it was tuned: accuracy on development questions, point by point. */
	readonly tuning?: ReadonlyArray<{readonly weight: number; readonly accuracy: number}>;
}

/** Table 3 and Figure 1. */
export interface ReadingStudy {
	readonly rows: readonly ReadingRow[];
	/** Tests of Table 3, corrected together. */
	readonly comparisons: readonly Comparison[];
	/** Tests of what §4.2 says beside Table 3: hybrid against dense passages, the best GAR* against the best repl; corrected together. */
	readonly textComparisons: readonly Comparison[];
	/** Tests of the curves that the paper's Figure 1 has, corrected together. */
	readonly curveTests: readonly CurveTest[];
	/** Passages read at each point of the curves. */
	readonly ks: readonly number[];
	readonly curves: ReadonlyArray<{readonly retriever: Retrieved; readonly scoring: Scoring; readonly exactMatch: readonly number[]}>;
}

/** Whether a curve of Figure 1 rises, and whether it falls again. */
export interface CurveTest {
	readonly retriever: Retrieved;
	readonly scoring: Scoring;
	/** The number of passages that development questions chose for this curve. */
	readonly chosen: number;
	/** For BM25, exact match with the most passages less that with the fewest; else, that with `chosen` less that with the fewest. */
	readonly rise: Comparison;
	/** Exact match with `chosen` passages less that with the most. */
	readonly fall: Comparison;
}

export type Retrieved = 'dense' | 'bm25' | 'hybrid';

/** The paper's names: `repl` the original span scoring, `GAR` the normalized one, `*` with the retriever's scores. */
export type Scoring = 'repl' | 'repl*' | 'GAR' | 'GAR*';

export interface ReadingRow {
	readonly retriever: Retrieved;
	readonly cells: readonly ReadingCell[];
}

export interface ReadingCell {
	readonly scoring: Scoring;
	/** On the test questions, 0 to 1. */
	readonly exactMatch: number;
	/** Absent where accepted answers are patterns, for which F1 is not defined. */
	readonly f1?: number;
	/** What development questions chose: passages read, β and γ, and the exact match there. */
	readonly passages: number;
	readonly beta: number;
	readonly gamma: number;
	readonly developmentExactMatch: number;
}

/** Throws if the value is not a study, such as the JSON of something else. */
export function checkStudy(value: unknown): asserts value is Study {
	const format = isObject(value) ? value['format'] : undefined;
	if (format !== studyFormat) {
		const came = format === undefined ? kindOf(value) : `format ${shown(format)}`;
		throw new RetrievalError('ERR_FORMAT', `study: expected an object of format "${studyFormat}", got ${came}`);
	}
	const {retrieval, reading} = value as Study;
	for (const {condition, accuracy} of retrieval.curves.lines) {
		checkLength(`study: curve of ${condition}`, accuracy, retrieval.curves.ks);
	}
	for (const {condition, accuracy} of retrieval.rows) {
		checkLength(`study: accuracy of ${condition}`, accuracy, retrieval.ks);
	}
	for (const {retriever, scoring, exactMatch} of reading?.curves ?? []) {
		checkLength(`study: curve of ${retriever} ${scoring}`, exactMatch, reading!.ks);
	}
}

function checkLength(what: string, values: readonly number[], ks: readonly number[]): void {
	if (values.length !== ks.length) {
		throw new RetrievalError('ERR_FORMAT', `${what}: expected ${ks.length} values, one for each cut-off, got ${values.length}`);
	}
}
