/**
The results of a phrase study: `studyPhrases` returns them, `results.json` stores them under the same names, and the
report shows them.

In the paper (Yang et al., 2023), a model is an index of all phrases of one length: M1 of single sentences, M3 of three
sentences, M0 of whole passages. A model's confidence in its first passage is a softmax probability, computed at a
temperature T from the model's k highest scores for the question (A_k in the paper). MUF (model uncertainty fusion)
gives each question the hits of the model with the highest confidence. T is fitted by gradient descent from an initial
temperature T₀.
*/
import type {RelevanceSource} from '../dataset/relevance.ts';
import type {JudgedSettings} from '../engine/judged-study.ts';
import type {SplitBy} from '../dataset/split.ts';
import type {Comparison} from '../statistics/comparison.ts';
import type {StudyInput, StudyModel} from '../storage/inputs.ts';
import {checkStudyFormat, checkValueCount} from '../storage/study-format.ts';

export const phraseStudyFormat = 'passagekit phrase study 2';

/**
The results of repeating Yang et al. (2023), "Confidence-Calibrated Ensemble Dense Phrase Retrieval", on a data set. Two
runs of the same configuration have equal results.
*/
export interface PhraseStudy {
	readonly format: typeof phraseStudyFormat;
	/** The data set's name, such as "SQuAD". */
	readonly dataset: string;
	/** The version of passagekit. */
	readonly passagekit: string;
	/** Mean length of a passage: `words` are separated by white space, `tokens` are the encoder's word pieces. */
	readonly corpus: StudyInput & {readonly words: number; readonly tokens: number};
	readonly questions: PhraseQuestions;
	readonly relevance: Relevance;
	readonly encoder: StudyModel;
	/** The question encoder, if it is not the passage encoder. */
	readonly questionEncoder?: StudyModel;
	readonly settings: PhraseSettings;
	/** One for each phrase length, such as M1 and M3; M0 is the last one. */
	readonly models: readonly PhraseModelStatistics[];
	/**
	Results of ranking each question's candidates: its gold passage, hard negatives and random passages. `size` is the
	intended number of candidates per question, and `short` the number of questions with fewer.
	*/
	readonly candidates: ProtocolStudy & {readonly size: number; readonly short: number};
	/** Results of ranking all passages of the corpus. */
	readonly retrieval: ProtocolStudy;
	/** The command that repeats this study. It names files without their folders. */
	readonly command?: string;
}

/** The questions of a phrase study. */
export interface PhraseQuestions {
	/** Number of questions on which temperatures and models are chosen. */
	readonly development: number;
	/** Number of questions on which everything else is measured. */
	readonly test: number;
	/** Number of questions left out because the corpus has no passage that is known to be relevant for them. */
	readonly without: number;
	/** Mean length of a question in words, separated by white space. */
	readonly words: number;
	/** Mean length of a question in tokens, the encoder's word pieces. */
	readonly tokens: number;
	readonly files: readonly StudyInput[];
	/** How the questions were split into development and test questions. */
	readonly split: SplitBy;
}

/** How relevant passages are determined. */
export interface Relevance {
	readonly from: RelevanceSource;
	/** The file of relevance judgments, if there is one. */
	readonly file?: StudyInput;
	/** Mean number of relevant passages per question. */
	readonly perQuestion: number;
	/** Whether there are grades above 1. */
	readonly graded: boolean;
}

/** The settings of a phrase study. */
export interface PhraseSettings extends JudgedSettings {
	/**
	Number of hard negatives among a question's candidates. Hard negatives are BM25's best passages that are not
	relevant.
	*/
	readonly negatives: number;
	/** Number of random passages among a question's candidates. */
	readonly random: number;
	/** Whether confidences are computed from the scores of phrases, as in the paper, or of passages. */
	readonly confidenceOf: 'phrases' | 'passages';
	/** The k of A_k: the maximum number of scores from which a confidence is computed. */
	readonly confidenceDepth: number;
	/** Number of models that MUF fuses. */
	readonly fused: number;
	/** Initial temperature T₀ of the paper's gradient descent: 0.1. */
	readonly start: number;
	/** Step size of the descent. */
	readonly stepSize: number;
	/** Number of bins of the calibration error. */
	readonly bins: number;
	/** Number of hits per question when the whole corpus is searched. */
	readonly depth: number;
}

/** A model: an index of all phrases of one length. */
export interface PhraseModelStatistics {
	/** `M3` has phrases of three sentences, `M75t` of 75 tokens, `M0` has whole passages. */
	readonly name: string;
	readonly length: {readonly sentences: number} | {readonly tokens: number} | 'passage';
	/** Number of phrases in the index. */
	readonly phrases: number;
	/** Mean length of a phrase in words, separated by white space. */
	readonly words: number;
	/**
	Whether the encoder's vectors have norm 1. If not, there are two indexes: one of phrase vectors scaled to norm 1,
	which ranks passages, and one of the original vectors, whose inner products are the scores in A_k.
	*/
	readonly unitLength: boolean;
}

/**
The results of the paper's protocol, in which models rank passages and are then selected, calibrated, fused and tested.
A study applies it twice: to rankings of each question's candidates, and to rankings of all passages.
*/
export interface ProtocolStudy {
	/**
	Names of the measures. The first one is accuracy: 1 if the first passage found for a question is right, else 0.
	*/
	readonly measures: readonly string[];
	readonly models: readonly CalibratedModel[];
	/** The models that MUF fuses: those with the highest accuracy on development questions, best first. */
	readonly selected: readonly string[];
	/** Temperatures that models share, fitted on development questions in three ways. */
	readonly temperatures: FusionTemperatures;
	/** Calibration of MUF on test questions. `searched` is that of the condition `mufSearch`. */
	readonly fused: CalibratedFusion & {readonly searched: Calibration};
	/** Effectiveness on test questions: BM25, each model, then their fusions. */
	readonly rows: readonly PhraseConditionRow[];
	/** Number of test questions for which MUF chose each of its models. */
	readonly chosen: Readonly<Record<string, number>>;
	/**
	Figure 2 of the paper: for each initial temperature `start`, the temperature at which the descent ends and MUF's
	accuracy on test questions.
	*/
	readonly curve: ReadonlyArray<{readonly start: number; readonly temperature: number; readonly accuracy: number}>;
	/** The paper's comparisons: MUF with models and BM25, and models with each other. */
	readonly comparisons: readonly Comparison[];
	/** Tests of MUF against other fusions, which the paper does not have. */
	readonly extensions: readonly Comparison[];
	/** Tests of MUF with T₀ = `settings.start` against MUF with other initial temperatures. */
	readonly startTests: readonly Comparison[];
	/**
	Tests of the Brier scores at T = 1 against those at the fitted common temperature, for each model and for MUF.
	*/
	readonly calibrationTests: readonly Comparison[];
}

/** Temperatures that models share. */
export interface FusionTemperatures {
	/** Found by the paper's descent for the selected models; the condition `muf` uses it. */
	readonly descent: number;
	/** The temperature with the smallest calibration error, found by search; the condition `mufSearch` uses it. */
	readonly search: number;
	/** Found by the paper's descent for all models; the condition `mufAll` uses it. */
	readonly all: number;
}

/** The accuracy and the calibration of a model. */
export interface CalibratedModel {
	readonly name: string;
	/** Accuracy on development questions. */
	readonly development: number;
	/** A temperature for this model alone, found by search: an extension of the paper's method. */
	readonly temperature: number;
	/** Calibration on test questions at T = 1. */
	readonly before: Calibration;
	/** Calibration on test questions at the common temperature found by the paper's descent. */
	readonly after: Calibration;
	/** Calibration on test questions at the model's own temperature. */
	readonly own: Calibration;
}

/**
Calibration of fused predictions on test questions: `before` is that of `mufPlain`, `after` of `muf`, and `own` of
`mufOwn`.
*/
export type CalibratedFusion = Pick<CalibratedModel, 'before' | 'after' | 'own'>;

/**
Calibration errors and the Brier score of K predictions. Bins divide the predictions by confidence; |B| is the number of
predictions in bin B, conf(B) their mean confidence, and acc(B) the share of them that are right.
*/
export interface Calibration {
	/** The paper's calibration error: Σ |B| / K · (conf(B) − acc(B))². */
	readonly squared: number;
	/** Expected calibration error: Σ |B| / K · |conf(B) − acc(B)| (Guo et al., 2017). */
	readonly absolute: number;
	/** Maximum calibration error: the largest |conf(B) − acc(B)|. */
	readonly maximum: number;
	/** Mean squared difference between confidence and outcome, which is 1 or 0. */
	readonly brier: number;
	/** For each bin that is not empty: number of questions, mean confidence, share of right predictions. */
	readonly bins: ReadonlyArray<{readonly count: number; readonly confidence: number; readonly accuracy: number}>;
}

/**
What ranks the passages:

- `bm25`, or a model by its name;
- `muf`: the paper's model uncertainty fusion of the selected models, at the common temperature found by descent from
  `settings.start`;
- `mufSearch`: the same with the common temperature found by search; `mufOwn`: with a temperature for each model, found
  by search; `mufPlain`: with T = 1; `mufAll`: as `muf`, but with all models;
- `mean`: the mean of the selected models' scores; `rrf`: reciprocal rank fusion of their lists.
*/
export type PhraseCondition = 'bm25' | 'muf' | 'mufSearch' | 'mufOwn' | 'mufPlain' | 'mufAll' | 'mean' | 'rrf' | `M${string}`;

/** The effectiveness of a condition. */
export interface PhraseConditionRow {
	readonly condition: PhraseCondition;
	/** One value for each of `measures`, from 0 to 1. */
	readonly values: readonly number[];
}

/** Fails with `ERR_FORMAT` if `value`, such as parsed JSON, is not the result of a phrase study. */
export function checkPhraseStudy(value: unknown): asserts value is PhraseStudy {
	checkStudyFormat(value, phraseStudyFormat);
	const {candidates, retrieval} = value as PhraseStudy;
	for (const {measures, rows} of [candidates, retrieval]) {
		for (const {condition, values} of rows) {
			checkValueCount(`values of ${condition}`, values, measures, 'measure');
		}
	}
}
