/** The results of a phrase study: everything that its report shows. */
import type {RelevanceSource} from '../dataset/relevance.ts';
import type {SplitBy} from '../dataset/split.ts';
import type {Comparison} from '../statistics/comparison.ts';
import type {StudyInput, StudyModel} from '../storage/inputs.ts';
import {checkStudyFormat, checkValueCount} from '../storage/study-format.ts';

export const phraseStudyFormat = 'passagekit phrase study 2';

/**
The results of Yang et al. (2023), "Confidence-Calibrated Ensemble Dense Phrase Retrieval", on a data set. They contain everything that
the report shows, and nothing that differs between two runs of the same configuration. `results.json` is this object.
*/
export interface PhraseStudy {
	readonly format: typeof phraseStudyFormat;
	/** The data set's name, such as "SQuAD". */
	readonly dataset: string;
	readonly passagekit: string;
	/** `words` and `tokens`: mean length of a passage, in words separated by white space and in the encoder's word pieces. */
	readonly corpus: StudyInput & {readonly words: number; readonly tokens: number};
	readonly questions: PhraseQuestions;
	readonly relevance: Relevance;
	readonly encoder: StudyModel;
	/** The encoder of questions, if it is another model. */
	readonly questionEncoder?: StudyModel;
	readonly settings: PhraseSettings;
	/** Such as M1 and M3; M0 is the last one. */
	readonly models: readonly PhraseModelStatistics[];
	/** Results among candidates: each question's gold passage, hard negatives and random passages. */
	readonly candidates: ProtocolStudy & {readonly size: number; readonly short: number};
	/** Results among all passages of the corpus. */
	readonly retrieval: ProtocolStudy;
	/** The command that repeats this study, with names of files and without folders. */
	readonly command?: string;
}

export interface PhraseQuestions {
	/** Number of questions for choosing temperatures and models, and of questions for measuring everything else. */
	readonly development: number;
	readonly test: number;
	/** Number of questions that were left out, because no relevant passage is known for them. */
	readonly without: number;
	/** Mean length of a question, in words separated by white space and in the encoder's word pieces. */
	readonly words: number;
	readonly tokens: number;
	readonly files: readonly StudyInput[];
	readonly split: SplitBy;
}

/** How relevant passages are determined. */
export interface Relevance {
	readonly from: RelevanceSource;
	readonly file?: StudyInput;
	/** Mean number of relevant passages per question. */
	readonly perQuestion: number;
	/** Whether there are grades above 1. */
	readonly graded: boolean;
}

export interface PhraseSettings {
	readonly seed: number;
	/** Number of hard negatives and of random passages among the candidates. */
	readonly negatives: number;
	readonly random: number;
	/** Whether A_k consists of scores of phrases, as in the paper, or of passages. */
	readonly confidenceOf: 'phrases' | 'passages';
	/** The k of A_k: maximum number of scores that a confidence is computed from. */
	readonly confidenceDepth: number;
	/** Number of models that MUF fuses. */
	readonly fused: number;
	/** Initial temperature T₀ and step size of the paper's descent. */
	readonly start: number;
	readonly stepSize: number;
	/** Number of bins of the calibration error. */
	readonly bins: number;
	/** Number of hits of a search of the whole corpus. */
	readonly depth: number;
	/** A difference is significant if its corrected p is below this. */
	readonly significance: number;
}

/** A model, which is an index of phrases of one length. */
export interface PhraseModelStatistics {
	/** `M3` has phrases of three sentences, `M75t` of 75 tokens, `M0` has whole passages. */
	readonly name: string;
	readonly length: {readonly sentences: number} | {readonly tokens: number} | 'passage';
	readonly phrases: number;
	/** Mean length of a phrase in words, separated by white space. */
	readonly words: number;
	/** Whether the encoder's vectors have length 1. If not, the undivided scores of phrases come from a second index. */
	readonly unitLength: boolean;
}

/** Results among candidates, or among all passages. */
export interface ProtocolStudy {
	/** The first one is accuracy: 1 if the first passage of a question is right, else 0. */
	readonly measures: readonly string[];
	readonly models: readonly CalibratedModel[];
	/** The models that MUF fuses: those with the highest accuracy on development questions, best first. */
	readonly selected: readonly string[];
	/** The temperature that all models share, fitted on development questions in three ways. */
	readonly temperatures: FusionTemperatures;
	/** Calibration of MUF on test questions. `searched` has the temperature of `mufSearch`. */
	readonly fused: CalibratedFusion & {readonly searched: Calibration};
	/** Effectiveness on test questions: BM25, each model, then their fusions. */
	readonly rows: readonly PhraseConditionRow[];
	/** Number of test questions for which MUF chose each of its models. */
	readonly chosen: Readonly<Record<string, number>>;
	/** Figure 2: accuracy of MUF on test questions by T₀, and the temperature at which the paper's descent from T₀ ends. */
	readonly curve: ReadonlyArray<{readonly start: number; readonly temperature: number; readonly accuracy: number}>;
	/** The paper's comparisons: MUF with models and BM25, and models with each other. */
	readonly comparisons: readonly Comparison[];
	/** Tests of MUF against other ways to fuse, which the paper does not have. */
	readonly extensions: readonly Comparison[];
	/** Tests of MUF with T₀ = 0.1 against MUF with other T₀. */
	readonly startTests: readonly Comparison[];
	/** Tests of Brier scores at T = 1 against those at the one fitted temperature, for each model and MUF. */
	readonly calibrationTests: readonly Comparison[];
}

export interface FusionTemperatures {
	/** Found by the paper's descent; the temperature of `muf`. */
	readonly descent: number;
	/** The temperature with the smallest calibration error; that of `mufSearch`. */
	readonly search: number;
	/** Found by the paper's descent for all models; the temperature of `mufAll`. */
	readonly all: number;
}

export interface CalibratedModel {
	readonly name: string;
	/** Accuracy on development questions. */
	readonly development: number;
	/** A temperature for this model alone, found by search: an extension of the paper's method. */
	readonly temperature: number;
	/** On test questions: at T = 1, at the common temperature found by the paper's descent, and at the model's own temperature. */
	readonly before: Calibration;
	readonly after: Calibration;
	readonly own: Calibration;
}

/** Fused predictions on test questions: `mufPlain`, `muf` and `mufOwn`. */
export type CalibratedFusion = Pick<CalibratedModel, 'before' | 'after' | 'own'>;

/** Calibration errors and the Brier score. */
export interface Calibration {
	/** Σ |B| / K · (conf(B) − acc(B))², the paper's. */
	readonly squared: number;
	/** Σ |B| / K · |conf(B) − acc(B)| (Guo et al., 2017). */
	readonly absolute: number;
	readonly maximum: number;
	readonly brier: number;
	/** Each bin with questions: number of questions, mean confidence, share of right predictions. */
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

/** Fails with `ERR_FORMAT` if `value` is not a study of this kind, such as the JSON of something else. */
export function checkPhraseStudy(value: unknown): asserts value is PhraseStudy {
	checkStudyFormat(value, phraseStudyFormat);
	const {candidates, retrieval} = value as PhraseStudy;
	for (const {measures, rows} of [candidates, retrieval]) {
		for (const {condition, values} of rows) {
			checkValueCount(`values of ${condition}`, values, measures, 'measure');
		}
	}
}
