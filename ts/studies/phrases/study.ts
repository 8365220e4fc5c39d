import {isObject, kindOf, shown} from '../../core/checks.ts';
import {RetrievalError} from '../../core/errors.ts';
import type {Comparison} from '../statistics/comparison.ts';
import type {Counted, Model} from '../storage/inputs.ts';
import type {RelevanceSource} from '../dataset/relevance.ts';
import type {SplitBy} from '../dataset/split.ts';

export const phraseStudyFormat = 'passagekit phrase study 2';

/**
What the study of Yang et al. (2023), "Confidence-Calibrated Ensemble Dense Phrase Retrieval", found out on a data set: all
that its report shows, and nothing that differs between two runs of the same configuration. `results.json` is this object.
*/
export interface PhraseStudy {
	readonly format: typeof phraseStudyFormat;
	/** The data set's name, such as "SQuAD". */
	readonly dataset: string;
	readonly passagekit: string;
	/** `words` and `tokens`: mean length of a passage, by white space and in the encoder's word pieces. */
	readonly corpus: Counted & {readonly words: number; readonly tokens: number};
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
	/** Mean length, by white space and in the encoder's word pieces. */
	readonly words: number;
	readonly tokens: number;
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
	/** Whether A_k holds scores of phrases, as in the paper, or of passages. */
	readonly confidenceOf: 'phrases' | 'passages';
	/** The k of A_k: maximum number of scores that a confidence is computed from. */
	readonly confidenceDepth: number;
	/** Number of models that are fused. */
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
	/** Whether the encoder's vectors have length 1. If not, undivided scores of phrases come from an index of their own. */
	readonly unitLength: boolean;
}

/** The results among candidates, or among all passages. */
export interface ProtocolStudy {
	/** The first one is 1 or 0 per question, whether the first passage is right: accuracy. */
	readonly measures: readonly string[];
	readonly models: readonly CalibratedModel[];
	/** The models with the highest accuracy on development questions, which MUF fuses; best first. */
	readonly selected: readonly string[];
	/** The one temperature of all models, fitted on development questions. */
	readonly temperatures: FusionTemperatures;
	/** MUF's predictions on test questions; `searched` at the one temperature by search: `mufSearch`. */
	readonly fused: CalibratedFusion & {readonly searched: Calibration};
	/** BM25, each model, then their fusions; on test questions. */
	readonly rows: readonly PhraseConditionRow[];
	/** Number of test questions that MUF answered with each of its models. */
	readonly chosen: Readonly<Record<string, number>>;
	/** Figure 2: accuracy of MUF on test questions by T₀, and the temperature at which the paper's descent from T₀ ends. */
	readonly curve: ReadonlyArray<{readonly start: number; readonly temperature: number; readonly accuracy: number}>;
	/** Tests of what the paper compares: MUF with models and BM25, and models with each other. */
	readonly comparisons: readonly Comparison[];
	/** Tests of MUF against other ways to fuse, which the paper does not have. */
	readonly extensions: readonly Comparison[];
	/** Tests of MUF with T₀ = 0.1 against MUF with other T₀. */
	readonly startTests: readonly Comparison[];
	/** Tests of Brier scores at T = 1 against those at the one fitted temperature, for each model and MUF. */
	readonly calibrationTests: readonly Comparison[];
}

export interface FusionTemperatures {
	/** By the paper's descent: that of `muf`. */
	readonly descent: number;
	/** With the smallest calibration error: that of `mufSearch`. */
	readonly search: number;
	/** By the paper's descent for all models: that of `mufAll`. */
	readonly all: number;
}

export interface CalibratedModel {
	readonly name: string;
	/** Accuracy on development questions. */
	readonly development: number;
	/** The model's own temperature, by search: an extension of the paper's method. */
	readonly temperature: number;
	/** On test questions: at T = 1, at the one temperature of the paper's descent, at the model's own. */
	readonly before: Calibration;
	readonly after: Calibration;
	readonly own: Calibration;
}

/** Fused predictions on test questions: `mufPlain`, `muf` and `mufOwn`. */
export type CalibratedFusion = Pick<CalibratedModel, 'before' | 'after' | 'own'>;

/** Errors of confidences. */
export interface Calibration {
	/** Σ |B| / K · (conf(B) − acc(B))², the paper's. */
	readonly squared: number;
	/** Σ |B| / K · |conf(B) − acc(B)| (Guo et al., 2017). */
	readonly absolute: number;
	readonly maximum: number;
	readonly brier: number;
	/** Bins with questions: their number, mean confidence, and share of right predictions. */
	readonly bins: ReadonlyArray<{readonly count: number; readonly confidence: number; readonly accuracy: number}>;
}

/**
- `bm25`; a model by its name;
- `muf`: the paper's model uncertainty fusion of the selected models, with one temperature by its descent from T₀ = 0.1;
- `mufSearch`: one temperature by search; `mufOwn`: a temperature for each model, by search; `mufPlain`: T = 1; `mufAll`: as
  `muf`, with all models;
- `mean`: the mean of the selected models' scores; `rrf`: reciprocal rank fusion of their lists.
*/
export type PhraseCondition = 'bm25' | 'muf' | 'mufSearch' | 'mufOwn' | 'mufPlain' | 'mufAll' | 'mean' | 'rrf' | `M${string}`;

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
