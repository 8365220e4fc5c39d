/** What `trainReader` returns. */
import type {TrainingEpoch} from '../run/result.ts';

/** How well a reader answers the validation questions from the passages of their examples, positives and negatives. */
export interface ReaderValidation {
	/** The share of questions whose best answer is an accepted answer, as decided by the function `exactMatch`. Higher is better. */
	readonly exactMatch: number;
	/** The mean of the function `f1` over the questions. */
	readonly f1: number;
	/** Number of questions. */
	readonly questions: number;
	/** Number of passages that are read. */
	readonly passages: number;
}

/** The result of `trainReader`. */
export interface TrainedReader {
	/** The folder of the trained reader, which `ExtractiveReader.load` opens. */
	readonly folder: string;
	/**
	The epoch whose weights were kept, from 1; 0 if no epoch was better than the model before training. Without validation examples, the last
	epoch.
	*/
	readonly bestEpoch: number;
	/** All epochs, from the model before training on. */
	readonly epochs: ReadonlyArray<TrainingEpoch<ReaderValidation>>;
	/** Number of steps. */
	readonly steps: number;
	/** Number of examples. */
	readonly examples: number;
	/** Number of examples without a positive that contains an answer, which were not used. */
	readonly skipped: number;
}
