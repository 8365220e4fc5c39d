/** What `trainEncoder` reports while it runs, and what it returns. */

/** The progress of a training run, after a step. */
export interface TrainingProgress {
	/** Number of steps done. */
	readonly done: number;
	/** Number of all steps. */
	readonly total: number;
	/** Number of the epoch, from 1. */
	readonly epoch: number;
	/** The loss of the batch before the step. */
	readonly loss: number;
	/** The share of the batch's questions whose positive was more similar than all other candidates. */
	readonly accuracy: number;
	/** The learning rate of the step. */
	readonly learningRate: number;
	/** The norm of all gradients, before clipping. */
	readonly gradientNorm: number;
	/** Number of questions per second, in this call. */
	readonly questionsPerSecond: number;
	/** Number of tokens per second, in this call. */
	readonly tokensPerSecond: number;
	/** Estimated seconds of all remaining steps, without validations. */
	readonly secondsLeft: number;
}

/** How well the first positives of the validation examples are ranked among all their passages. */
export interface Validation {
	/** The mean rank of the first positives, from 1. Lower is better. */
	readonly averageRank: number;
	/** The share of questions whose first positive is among the best k passages, for k = 1, 5 and 20. */
	readonly topK: {readonly 1: number; readonly 5: number; readonly 20: number};
	/** Number of questions. */
	readonly questions: number;
	/** Number of passages that are ranked. */
	readonly passages: number;
}

/** An epoch of a training run. */
export interface TrainingEpoch {
	/** Number of the epoch, from 1. 0 is the model before training. */
	readonly epoch: number;
	/** Number of steps done by the end of the epoch. */
	readonly steps: number;
	/** The mean loss of the epoch's batches. Missing for the epoch 0. */
	readonly loss?: number;
	/** The validation after the epoch, if there are validation examples. */
	readonly validation?: Validation;
}

/** The result of `trainEncoder`. */
export interface TrainedEncoder {
	/** The folder of the trained encoder, which `OnnxEncoder.load` opens. */
	readonly folder: string;
	/** The folder of the encoder of passages. The same as `folder` unless it has parameters of its own. */
	readonly passageFolder: string;
	/** The epoch whose weights were kept, from 1; 0 if no epoch was better than the model before training. */
	readonly bestEpoch: number;
	/** All epochs, from the model before training on. */
	readonly epochs: readonly TrainingEpoch[];
	/** Number of steps. */
	readonly steps: number;
	/** Number of examples. */
	readonly examples: number;
	/** Number of examples without a positive, which were not used. */
	readonly skipped: number;
}
