/**
The results of a training study: `studyTraining` returns them, `results.json` stores them under the same names, and the
report shows them.

The paper (Karpukhin et al., 2020) trains the encoder of DPR in many ways and compares how well the trained encoders find
passages. A condition is one of these ways, or one of two baselines without training: BM25, and the model before
training. The reference condition has in-batch negatives, one BM25 negative per question, the dot product and the negative
log likelihood; it is the one that is varied in Figure 1 and Tables 5 and 6, and that is measured on other data sets. The conditions of all tables and figures are in one list, `rows`, because a condition may be in several of
them; `tables` names the conditions of each.
*/
import type {RelevanceSource} from '../dataset/relevance.ts';
import type {JudgedSettings} from '../engine/judged-study.ts';
import type {SplitBy} from '../dataset/split.ts';
import type {Comparison} from '../statistics/comparison.ts';
import type {StudyInput, StudyModel} from '../storage/inputs.ts';
import {checkStudyFormat, checkValueCount} from '../storage/study-format.ts';
import type {TrainingCondition} from './conditions.ts';

export const trainingStudyFormat = 'passagekit training study 1';

/**
The results of repeating the training experiments of Karpukhin et al. (2020), "Dense Passage Retrieval", on a data set.
On one machine, studies with the same configuration have equal results.
*/
export interface TrainingStudy {
	readonly format: typeof trainingStudyFormat;
	/** The data set's name, such as "SQuAD". */
	readonly dataset: string;
	/** The version of passagekit. */
	readonly passagekit: string;
	/** `words` is the mean length of a passage in words, which are separated by white space. */
	readonly corpus: StudyInput & {readonly words: number};
	readonly questions: QuestionCounts;
	readonly examples: ExampleCounts;
	/** The model that all conditions start from. */
	readonly encoder: StudyModel;
	/** The model that readers start from; only with the option `reader`. */
	readonly reader?: StudyModel;
	readonly settings: TrainingSettings;
	/** Names of the measures. */
	readonly measures: readonly string[];
	/** All conditions, in the order in which they were measured. */
	readonly rows: readonly TrainingRow[];
	/** The conditions of each table and figure. */
	readonly tables: TrainingTables;
	/** Paired t-tests over test questions. The p-values of each list are corrected together. */
	readonly tests: TrainingTests;
	/** The results on other data sets (Table 2); empty without the option `transfer`. */
	readonly transfer: readonly OtherDatasetResults[];
	/** Joint training of the question encoder and a reader (appendix D); only with the option `reader`. */
	readonly joint?: JointStudy;
	/** The command that repeats this study. It names files without their folders. */
	readonly command?: string;
}

/** The questions of a study: their numbers, files and relevant passages. */
export interface QuestionCounts {
	/** Number of questions from which training examples were mined. */
	readonly training: number;
	/** Number of questions on which the conditions are measured. */
	readonly test: number;
	/** Number of questions left out because the corpus has no passage that is known to be relevant for them. */
	readonly without: number;
	readonly files: readonly StudyInput[];
	/** How the questions were split into training and test questions. */
	readonly split: SplitBy;
	/** How relevant passages are determined. */
	readonly relevance: RelevanceSource;
	/**
	Which passages count as relevant in the measures. `answers`, unless there are judgments or a test question has no
	answers; then the same as `relevance`.
	*/
	readonly measuredBy: RelevanceSource;
	/** The file of relevance judgments, if there is one. */
	readonly qrels?: StudyInput;
	/** The file with the judgments of training questions, if it is not the same. */
	readonly trainingQrels?: StudyInput;
}

/** Numbers of training examples, and of negatives that were not found. */
export interface ExampleCounts {
	/** Number of training examples. */
	readonly count: number;
	/** Number of examples by how their positives were found: given ids, matched contexts, or distant supervision by answers. */
	readonly positives: {readonly ids: number; readonly contexts: number; readonly answers: number};
	/** Number of training questions without a positive. */
	readonly dropped: number;
	/** Number of negatives that were not found, because too few passages were left. */
	readonly missing: {readonly hardNegatives: number; readonly randomNegatives: number; readonly goldNegatives: number};
	/**
	Number of examples with a gold positive for which distant supervision also finds a positive, and number of these for
	which it finds a gold positive. Missing without Table 5.
	*/
	readonly supervision?: {readonly count: number; readonly same: number};
}

export interface TrainingSettings extends JudgedSettings {
	/** Seed of the split of questions, of negatives, of the subsets of Figure 1, and of training. */
	readonly seed: number;
	/** Number of passes over the training examples. */
	readonly epochs: number;
	/** Number of questions per step, except in Table 3. */
	readonly batchSize: number;
	readonly learningRate: number;
	/** Maximum number of tokens per input; `null` if the model's configuration determines it. */
	readonly maxTokens: number | null;
	/** Number of threads. */
	readonly threads: number;
	/** The numbers of examples of Figure 1 that were asked for. */
	readonly examples: readonly number[];
	/** Which tables and figures the study has. */
	readonly parts: {readonly schemes: boolean; readonly curve: boolean; readonly supervision: boolean; readonly similarities: boolean};
	/** Maximum number of training and of test questions; `null` for all. */
	readonly maxTrainingQuestions: number | null;
	readonly maxQuestions: number | null;
	/** How readers are trained; `null` without the option `reader`. */
	readonly joint: JointSettings | null;
	/** The property of JSON questions with the ids of gold positives; `null` if there is none. */
	readonly goldField: string | null;
	/** Names of the other data sets whose accepted answers are regular expressions, if there are any. */
	readonly transferPatterns?: readonly string[];
	/** Number of hits per question. */
	readonly depth: number;
}

/** How the readers of appendix D are trained. */
export interface JointSettings {
	/** Number of passages per question that readers get in a step, and that they read to answer a test question. */
	readonly passagesPerQuestion: number;
}

/** The comparison of joint training with training the encoder and the reader separately. */
export interface JointStudy {
	/** Separate training, then joint training. */
	readonly rows: readonly JointRow[];
}

export interface JointRow {
	readonly condition: string;
	/** One value for each of the study's `measures`, from 0 to 1: how well the encoder finds passages. */
	readonly values: readonly number[];
	/** The share of test questions that the reader answers with an accepted answer. */
	readonly exactMatch: number;
	/** Number of training questions with a retrieved passage that contains an answer. */
	readonly examples: number;
	/** Number of steps, and the mean losses of the first and of the last epoch. Joint losses are the sums of those of encoder and reader. */
	readonly training: Pick<TrainingSummary, 'steps' | 'losses'>;
}

/** A condition with its effectiveness on test questions. */
export interface TrainingRow {
	readonly condition: string;
	/** One value for each of the study's `measures`, from 0 to 1. */
	readonly values: readonly number[];
	/** How the encoder was trained. Missing for BM25 and for the model before training. */
	readonly training?: TrainingSummary;
}

/** How an encoder was trained, and how training ended. */
export interface TrainingSummary extends Omit<TrainingCondition, 'name'> {
	/** Number of steps. */
	readonly steps: number;
	/** The mean losses of the first and of the last epoch. */
	readonly losses: {readonly first: number; readonly last: number};
	/** Mean number of negatives per question, in addition to those of the batch, if some examples have fewer than `negatives.count`. */
	readonly meanNegatives?: number;
}

/** The names of the conditions of each table and figure. A part that the study does not have is empty. */
export interface TrainingTables {
	/** Table 3. */
	readonly schemes: readonly string[];
	/** The training schemes of Table 3 that were left out, because there are too few examples, or because negatives are missing (`passages`). */
	readonly schemesLeftOut: ReadonlyArray<{readonly condition: string; readonly because: 'examples' | 'passages'}>;
	/** Figure 1, by increasing number of examples. */
	readonly curve: ReadonlyArray<{readonly examples: number; readonly condition: string}>;
	/** Table 5: gold positives and distant supervision. */
	readonly supervision: readonly string[];
	/** Table 6. */
	readonly similarities: readonly string[];
}

export interface TrainingTests {
	readonly schemes: readonly Comparison[];
	readonly curve: readonly Comparison[];
	readonly supervision: readonly Comparison[];
	readonly similarities: readonly Comparison[];
	/** The names of measures end with the name of the data set. */
	readonly transfer: readonly Comparison[];
	/** Appendix D. */
	readonly joint: readonly Comparison[];
}

/** The results on another data set. */
export interface OtherDatasetResults {
	readonly dataset: string;
	readonly corpus: StudyInput;
	readonly files: readonly StudyInput[];
	/** The file of relevance judgments, if there is one. */
	readonly qrels?: StudyInput;
	/** The file with the judgments of training questions, if it is not the same. */
	readonly trainingQrels?: StudyInput;
	/** Number of training examples of this data set, if it has training questions. */
	readonly examples?: number;
	/** Number of test questions. */
	readonly test: number;
	readonly measuredBy: RelevanceSource;
	readonly rows: readonly TrainingRow[];
}

/** Returns the row of a condition; undefined if the study does not have it. */
export const rowOf = ({rows}: Pick<TrainingStudy, 'rows'>, wanted: string): TrainingRow | undefined =>
	rows.find(({condition}) => condition === wanted);

/** Fails with `ERR_FORMAT` if `value`, such as parsed JSON, is not the result of a training study. */
export function checkTrainingStudy(value: unknown): asserts value is TrainingStudy {
	checkStudyFormat(value, trainingStudyFormat);
	const {measures, rows, transfer, joint} = value as TrainingStudy;
	for (const {condition, values} of [...rows, ...transfer.flatMap(({rows}) => rows), ...(joint?.rows ?? [])]) {
		checkValueCount(`values of ${condition}`, values, measures, 'measure');
	}
}
