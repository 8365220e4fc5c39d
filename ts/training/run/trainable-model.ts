/** What differs between the training of encoders and that of readers. */
import type {Binding} from '../../core/native/native.ts';
import type {CallOptions} from '../../core/types.ts';

/** A model that is trained, with its data. `V` is what its validation measures. */
export interface TrainableModel<V> {
	/** Number of batches per epoch. */
	readonly batchCount: number;
	/**
	Whether all models have made the same number of steps, so that a checkpoint is consistent. False if a step failed after one of two models was
	updated.
	*/
	readonly isBetweenSteps: boolean;
	/** Makes a step with a batch of an epoch. Also returns the number of questions in the batch. */
	step(epoch: number, batch: number, call: CallOptions): Promise<Binding.NativeStepReport & {readonly questions: number}>;
	/** Validates the current parameters. Returns `undefined` without validation examples. */
	validate(call: CallOptions): Promise<V | undefined>;
	/** Whether a validation is better than an earlier one. */
	isBetter(validation: V, than: V): boolean;
	/** Writes the model to the output folder. */
	write(): Promise<void>;
	/** Writes a checkpoint with the state of the run. */
	save(path: string, state: string): Promise<void>;
	/** Restores a checkpoint, and returns the state of its run. */
	load(path: string): Promise<string>;
	/** Releases the memory. */
	close(): void;
}
