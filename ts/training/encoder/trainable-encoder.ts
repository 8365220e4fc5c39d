/** The encoder that `trainEncoder` trains, with its batches and validation examples. */
import {type Binding, callNative, native} from '../../core/native/native.ts';
import type {CallOptions} from '../../core/types.ts';
import type {TrainingExample} from '../data/index.ts';
import type {TrainableModel} from '../run/trainable-model.ts';
import type {Batches} from './batches.ts';
import {folders} from './folders.ts';
import type {CheckedTrainEncoderOptions} from './options.ts';
import type {EncoderValidation} from './result.ts';
import {Validator, isBetter} from './validator.ts';

/** How to open a `TrainableEncoder`. */
export interface TrainableEncoderInputs {
	/** The folder of the model to start from. */
	readonly model: string;
	/** The output folder. */
	readonly folder: string;
	readonly settings: Binding.NativeEncoderTrainingOptions;
	readonly batches: Batches;
	readonly dev: readonly TrainingExample[];
	readonly options: CheckedTrainEncoderOptions;
}

export class TrainableEncoder implements TrainableModel<EncoderValidation> {
	readonly #trainer: Binding.NativeEncoderTrainer;
	readonly #inputs: TrainableEncoderInputs;
	readonly #validator: Validator | undefined;

	private constructor(trainer: Binding.NativeEncoderTrainer, inputs: TrainableEncoderInputs, validator: Validator | undefined) {
		this.#trainer = trainer;
		this.#inputs = inputs;
		this.#validator = validator;
	}

	static async open(inputs: TrainableEncoderInputs): Promise<TrainableEncoder> {
		const {model, settings, dev, options} = inputs;
		const {separatePassageEncoder, signal} = options;
		const trainer = await callNative({signal}, async () => native.openEncoderTrainer(model, separatePassageEncoder, settings));
		try {
			const validator = dev.length === 0 ? undefined : new Validator(trainer);
			await validator?.add(dev);
			return new TrainableEncoder(trainer, inputs, validator);
		} catch (error) {
			trainer.close();
			throw error;
		}
	}

	get batchCount(): number {
		return this.#inputs.batches.batchCount;
	}

	get isBetweenSteps(): boolean {
		return true;
	}

	async step(epoch: number, number: number, call: CallOptions): Promise<Binding.NativeStepReport & {readonly questions: number}> {
		const batch = await this.#inputs.batches.batch(epoch, number);
		const report = await callNative(call, async control => this.#trainer.step(batch, control));
		return {...report, questions: batch.questions.length};
	}

	async validate(call: CallOptions): Promise<EncoderValidation | undefined> {
		return this.#validator?.validate(call);
	}

	isBetter(validation: EncoderValidation, than: EncoderValidation): boolean {
		return isBetter(validation, than, this.#inputs.options.bestBy);
	}

	async write(): Promise<void> {
		const {separatePassageEncoder, precision} = this.#inputs.options;
		const {folder, passageFolder} = folders(this.#inputs.folder, separatePassageEncoder);
		await callNative({}, async () => this.#trainer.write('question', folder, precision));
		if (separatePassageEncoder) {
			await callNative({}, async () => this.#trainer.write('passage', passageFolder, precision));
		}
	}

	async save(path: string, state: string): Promise<void> {
		await callNative({}, async () => this.#trainer.save(path, state));
	}

	async load(path: string): Promise<string> {
		return callNative({}, async () => this.#trainer.load(path));
	}

	close(): void {
		this.#trainer.close();
	}
}
