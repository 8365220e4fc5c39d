import {isObject, kindOf, shown} from '../check.ts';
import {RetrievalError} from '../errors.ts';
import type {FusionMethod} from '../fusion/index.ts';
import type {Comparison} from '../report/comparisons.ts';
import type {Counted, Model} from '../report/inputs.ts';

export const studyFormat = 'passagekit replication 1';

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
	readonly overlap: ReadonlyArray<{readonly k: number; readonly jaccard: number; readonly questions: number}>;
	/** Absent where nothing was read. */
	readonly reading?: ReadingStudy;
	/** The command that makes this study again, with names of files and no folders. */
	readonly command?: string;
}

export interface Settings {
	/** Hits taken from each list before fusing (k'). */
	readonly depth: number;
	/** A difference counts with a corrected p below this. The paper has 0.01. */
	readonly significance: number;
	/** The measure that retrieval weights were tuned for: accuracy at this many passages. */
	readonly tunedFor: number;
	/** Passages that the reader read at most. */
	readonly passagesRead: number;
	/** Spans kept of a passage (m), and tokens of an answer at most. */
	readonly spansPerPassage: number;
	readonly maxAnswerTokens: number;
	/** Answers were regular expressions, as in CuratedTREC. */
	readonly answers?: 'pattern';
	/** The hybrid that was read: of the tuned ones that with the higher accuracy on development questions. */
	readonly hybridRead?: FusionMethod;
	readonly bm25?: {readonly k1: number; readonly b: number};
}

/** Table 1. */
export interface RetrievalStudy {
	/** Cut-offs of accuracy, such as 20 and 100. */
	readonly ks: readonly number[];
	/** In the paper's order: dense, BM25, then the hybrids. */
	readonly rows: readonly RetrievalRow[];
	readonly comparisons: readonly Comparison[];
}

export type RetrievalCondition = 'dense' | 'bm25' | 'dprHybrid' | 'hybridNorm' | 'hybrid';

export interface RetrievalRow {
	readonly condition: RetrievalCondition;
	/** λ of `dprHybrid`, α of the others. */
	readonly weight?: number;
	/** Accuracy at each of `ks`, 0 to 1. */
	readonly accuracy: readonly number[];
	/** How the weight was found: accuracy on development questions, point by point. */
	readonly tuning?: ReadonlyArray<{readonly weight: number; readonly accuracy: number}>;
}

/** Table 3 and Figure 1. */
export interface ReadingStudy {
	readonly rows: readonly ReadingRow[];
	readonly comparisons: readonly Comparison[];
	/** Passages read at each point of the curves. */
	readonly ks: readonly number[];
	readonly curves: ReadonlyArray<{readonly retriever: Retrieved; readonly scoring: Scoring; readonly exactMatch: readonly number[]}>;
}

export type Retrieved = 'dense' | 'bm25' | 'hybrid';

/** The paper's names: `repl` the original span scoring, `GAR` the normalised one, `*` with the retriever's scores. */
export type Scoring = 'repl' | 'repl*' | 'GAR' | 'GAR*';

export interface ReadingRow {
	readonly retriever: Retrieved;
	readonly cells: readonly ReadingCell[];
}

export interface ReadingCell {
	readonly scoring: Scoring;
	/** On the test questions, 0 to 1. */
	readonly exactMatch: number;
	readonly f1: number;
	/** What development questions chose: passages read, β and γ, and the exact match there. */
	readonly passages: number;
	readonly beta: number;
	readonly gamma: number;
	readonly developmentExactMatch: number;
}

/** Refuses what is no study, such as the JSON of something else. */
export function checkStudy(value: unknown): asserts value is Study {
	const format = isObject(value) ? value['format'] : undefined;
	if (format !== studyFormat) {
		const came = format === undefined ? kindOf(value) : `format ${shown(format)}`;
		throw new RetrievalError('ERR_FORMAT', `study: expected an object of format "${studyFormat}", got ${came}`);
	}
	const {retrieval, reading} = value as Study;
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
