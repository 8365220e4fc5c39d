/** What `trainQuestionEncoder` returns. */
import type {TrainingEpoch} from '../run/result.ts';

/** How well the positives of the validation questions are found in the index, and the questions are answered. */
export interface QuestionEncoderValidation {
	/** MRR@100: the mean over all questions of 1 / rank of the first positive, or 0 if none is among the best 100 passages. Higher is better. */
	readonly meanReciprocalRank: number;
	/** The share of questions with a positive among the best k passages, for k = 1, 5, 20 and 100. */
	readonly topK: {readonly 1: number; readonly 5: number; readonly 20: number; readonly 100: number};
	/** Number of questions. */
	readonly questions: number;
	/**
	With a reader: the share of questions whose best answer, among the best `passagesPerQuestion` passages, is an accepted answer, as decided
	by the function `exactMatch`.
	*/
	readonly exactMatch?: number;
	/** With a reader: the mean of the function `f1` over the questions. */
	readonly f1?: number;
}

/** The result of `trainQuestionEncoder`. */
export interface TrainedQuestionEncoder {
	/** The folder of the trained question encoder, which `OnnxEncoder.load` opens. */
	readonly folder: string;
	/** With a reader: the folder of the trained reader, which `ExtractiveReader.load` opens. */
	readonly readerFolder?: string;
	/**
	The epoch whose weights were kept, from 1; 0 if no epoch was better than the models before training. Without validation questions, the last
	epoch.
	*/
	readonly bestEpoch: number;
	/** All epochs, from the models before training on. */
	readonly epochs: ReadonlyArray<TrainingEpoch<QuestionEncoderValidation>>;
	/** Number of steps. */
	readonly steps: number;
	/** Number of questions that were used. */
	readonly questions: number;
	/** Number of questions that were not used, because no positive was found. */
	readonly skipped: number;
}
