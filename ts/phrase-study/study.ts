import {isObject, kindOf, shown} from '../check.ts';
import {RetrievalError} from '../errors.ts';
import type {Comparison} from '../report/comparisons.ts';
import type {Counted, Model} from '../report/inputs.ts';
import type {RelevanceSource} from '../study/relevance.ts';
import type {SplitBy} from '../study/split.ts';

export const phraseStudyFormat = 'passagekit phrase study 1';

/**
What the study of Yang et al. (2023), "Confidence-Calibrated Ensemble Dense Phrase Retrieval", found out on a data set: all
that its report shows, and nothing that differs between two runs of the same configuration. `results.json` is this object.
*/
export interface PhraseStudy {
	readonly format: typeof phraseStudyFormat;
	/** The data set's name, such as "SQuAD". */
	readonly dataset: string;
	readonly passagekit: string;
	/** `words`: mean length of a passage, by white space. */
	readonly corpus: Counted & {readonly words: number};
	readonly questions: QuestionFacts;
	readonly relevance: Relevance;
	readonly encoder: Model;
	/** Of questions, where it is another. */
	readonly questionEncoder?: Model;
	readonly settings: PhraseSettings;
	/** M1, M3, … and M0 last. */
	readonly models: readonly PhraseModelFacts[];
	/** Each question's gold passage among hard negatives and random passages. */
	readonly candidates: ProtocolStudy & {readonly size: number; readonly short: number};
	/** Among all passages of the corpus. */
	readonly retrieval: ProtocolStudy;
	/** The command that makes this study again, with names of files and no folders. */
	readonly command?: string;
}

export interface QuestionFacts {
	/** Questions that temperatures and models were chosen on, and those that all else was measured on. */
	readonly development: number;
	readonly test: number;
	/** Left out, since no relevant passage of theirs is known. */
	readonly without: number;
	/** Mean length, by white space. */
	readonly words: number;
	readonly files: readonly Counted[];
	readonly split: SplitBy;
}

/** How it is known which passages are relevant. */
export interface Relevance {
	readonly from: RelevanceSource;
	readonly file?: Counted;
	/** Known relevant passages of a question, in the mean. */
	readonly perQuestion: number;
	/** Whether there are grades above 1. */
	readonly graded: boolean;
}

export interface PhraseSettings {
	readonly seed: number;
	/** Hard negatives, and random passages, beside the gold one. */
	readonly negatives: number;
	readonly random: number;
	/** |A_k|: scores that confidence is of, at most. */
	readonly confidenceDepth: number;
	/** Models that are fused. */
	readonly fused: number;
	/** T₀ and step of the paper's descent. */
	readonly start: number;
	readonly stepSize: number;
	/** Bins of the calibration error. */
	readonly bins: number;
	/** Hits of a search of the whole corpus. */
	readonly depth: number;
	/** A difference counts with a corrected p below this. */
	readonly significance: number;
}

/** A model M_n, and its phrases. */
export interface PhraseModelFacts {
	/** `M3` of three sentences, `M75t` of 75 tokens, `M0` of whole passages. */
	readonly name: string;
	readonly length: {readonly sentences: number} | {readonly tokens: number} | 'passage';
	readonly phrases: number;
	/** Mean length of a phrase, by white space. */
	readonly words: number;
}

/** What was found by one way of asking. */
export interface ProtocolStudy {
	/** The first says of each question whether the first passage is right: accuracy. */
	readonly measures: readonly string[];
	readonly models: readonly CalibratedModel[];
	/** The models that are right most often on development questions, which MUF fuses; best first. */
	readonly selected: readonly string[];
	/** BM25, each model, then what fuses them; on test questions. */
	readonly rows: readonly PhraseConditionRow[];
	/** Test questions that MUF answered by each of its models. */
	readonly chosen: Readonly<Record<string, number>>;
	/** Figure 2: accuracy of MUF on test questions by T₀, with the paper's descent from there. */
	readonly curve: ReadonlyArray<{readonly start: number; readonly accuracy: number}>;
	readonly comparisons: readonly Comparison[];
}

export interface CalibratedModel {
	readonly name: string;
	/** Accuracy on development questions. */
	readonly development: number;
	/** The temperature that makes the calibration error of development questions least. */
	readonly temperature: number;
	/** The one that the paper's descent ends at. */
	readonly descended: number;
	/** On test questions: at T = 1, at `temperature`, at `descended`. */
	readonly before: Calibration;
	readonly after: Calibration;
	readonly afterDescent: Calibration;
}

/** How far confidence is from accuracy. */
export interface Calibration {
	/** Σ |B| / K · (conf(B) − acc(B))², the paper's. */
	readonly squared: number;
	/** Σ |B| / K · |conf(B) − acc(B)| (Guo et al., 2017). */
	readonly absolute: number;
	readonly maximum: number;
	readonly brier: number;
	/** Those with questions: how many, their mean confidence, and the share that is right. */
	readonly bins: ReadonlyArray<{readonly count: number; readonly confidence: number; readonly accuracy: number}>;
}

/**
- `bm25`; a model by its name;
- `muf`: model uncertainty fusion of the selected models, temperatures by search; `mufDescent`: by the paper's descent;
  `mufPlain`: at T = 1; `mufAll`: of all models, by search;
- `mean`: the mean of the selected models' scores; `rrf`: reciprocal rank fusion of their lists.
*/
export type PhraseCondition = 'bm25' | 'muf' | 'mufDescent' | 'mufPlain' | 'mufAll' | 'mean' | 'rrf' | `M${string}`;

export interface PhraseConditionRow {
	readonly condition: PhraseCondition;
	/** One for each of `measures`, 0 to 1. */
	readonly values: readonly number[];
}

/** Refuses what is no study, such as the JSON of something else. */
export function checkPhraseStudy(value: unknown): asserts value is PhraseStudy {
	const format = isObject(value) ? value['format'] : undefined;
	if (format !== phraseStudyFormat) {
		const came = format === undefined ? kindOf(value) : `format ${shown(format)}`;
		throw new RetrievalError('ERR_FORMAT', `study: expected an object of format "${phraseStudyFormat}", got ${came}`);
	}
	const {candidates, retrieval} = value as PhraseStudy;
	for (const {measures, rows} of [candidates, retrieval]) {
		for (const {condition, values} of rows) {
			if (values.length !== measures.length) {
				throw new RetrievalError(
					'ERR_FORMAT',
					`study: values of ${condition}: expected ${measures.length}, one for each measure, got ${values.length}`,
				);
			}
		}
	}
}
