/** What `trainEncoder` returns. */
import type {TrainingEpoch} from '../run/result.ts';

/** How well the first positives of the validation examples are ranked among all their passages. */
export interface EncoderValidation {
	/** The mean rank of the first positives, from 1. Lower is better. */
	readonly averageRank: number;
	/** The share of questions whose first positive is among the best k passages, for k = 1, 5 and 20. */
	readonly topK: {readonly 1: number; readonly 5: number; readonly 20: number};
	/** Number of questions. */
	readonly questions: number;
	/** Number of passages that are ranked. */
	readonly passages: number;
}

/** The result of `trainEncoder`. */
export interface TrainedEncoder {
	/** The folder of the trained encoder, which `OnnxEncoder.load` opens. */
	readonly folder: string;
	/** The folder of the passage encoder. The same as `folder` unless it has parameters of its own. */
	readonly passageFolder: string;
	/**
	The epoch whose weights were kept, from 1; 0 if no epoch was better than the model before training. Without validation examples, the last
	epoch.
	*/
	readonly bestEpoch: number;
	/** All epochs, from the model before training on. */
	readonly epochs: ReadonlyArray<TrainingEpoch<EncoderValidation>>;
	/** Number of steps. */
	readonly steps: number;
	/** Number of examples. */
	readonly examples: number;
	/** Number of examples without a positive, which were not used. */
	readonly skipped: number;
}
