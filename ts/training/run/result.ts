/** What training runs report while they run. */

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
	/** The share of the batch's questions whose positive had a higher score than all other passages. */
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

/** An epoch of a training run. `V` is what its validation measures. */
export interface TrainingEpoch<V> {
	/** Number of the epoch, from 1. 0 is the model before training. */
	readonly epoch: number;
	/** Number of steps done by the end of the epoch. */
	readonly steps: number;
	/** The mean loss of the epoch's batches. Missing for epoch 0. */
	readonly loss?: number;
	/**
	The share of truncated texts: for encoders, of the questions and the distinct passages of all steps; for readers, and in the training of a
	question encoder, of the questions only. Missing for epoch 0.
	*/
	readonly truncated?: number;
	/** The validation after the epoch, if there are validation examples. */
	readonly validation?: V;
}
