/** The reader that `trainReader` trains, with its batches and validation examples. */
import {yieldIfOverBudget} from '../../core/event-loop.ts';
import {type Binding, callNative, native} from '../../core/native/native.ts';
import type {CallOptions} from '../../core/types.ts';
import {exactMatch, f1} from '../../evaluation/answers.ts';
import type {TrainingExample} from '../data/index.ts';
import type {Trainee} from '../run/trainee.ts';
import type {ReaderBatches} from './batches.ts';
import type {CheckedTrainReaderOptions} from './options.ts';
import {parts, questionColumns} from './questions.ts';
import type {ReaderValidation} from './result.ts';

/** How to open a `ReaderTrainee`. */
export interface ReaderTraineeInputs {
	/** The folder of the model to start from. */
	readonly model: string;
	/** The output folder. */
	readonly folder: string;
	readonly settings: Binding.NativeReaderTrainingOptions;
	readonly batches: ReaderBatches;
	readonly dev: readonly TrainingExample[];
	readonly options: CheckedTrainReaderOptions;
}

export class ReaderTrainee implements Trainee<ReaderValidation> {
	readonly #trainer: Binding.NativeReaderTrainer;
	readonly #inputs: ReaderTraineeInputs;

	private constructor(trainer: Binding.NativeReaderTrainer, inputs: ReaderTraineeInputs) {
		this.#trainer = trainer;
		this.#inputs = inputs;
	}

	static async open(inputs: ReaderTraineeInputs): Promise<ReaderTrainee> {
		const {model, settings, options} = inputs;
		const trainer = await callNative({signal: options.signal}, async () => native.openReaderTrainer(model, settings));
		return new ReaderTrainee(trainer, inputs);
	}

	get batches(): number {
		return this.#inputs.batches.count;
	}

	async step(epoch: number, number: number, call: CallOptions): Promise<Binding.NativeStepReport & {readonly questions: number}> {
		const batch = questionColumns(this.#inputs.batches.batch(epoch, number));
		const report = await callNative(call, async control => this.#trainer.step(batch, control));
		return {...report, questions: batch.questions.length};
	}

	/** Answers the validation questions from all passages of their examples. */
	async validate(call: CallOptions): Promise<ReaderValidation | undefined> {
		const {dev, options} = this.#inputs;
		if (dev.length === 0) {
			return undefined;
		}
		const list = dev.map(({question, answers, positives, hardNegatives, negatives}) => ({
			question,
			answers,
			passages: [...positives, ...hardNegatives, ...negatives],
		}));
		let [right, overlap] = [0, 0];
		for (const part of parts(list)) {
			const columns = questionColumns(part);
			const found = await callNative(call, async control => this.#trainer.answer(columns, options.maxAnswerTokens, control));
			for (const [i, {answers}] of part.entries()) {
				await yieldIfOverBudget();
				right += Number(exactMatch(found[i]!, answers));
				overlap += f1(found[i]!, answers);
			}
		}
		return {
			exactMatch: right / list.length,
			f1: overlap / list.length,
			questions: list.length,
			passages: list.reduce((sum, {passages}) => sum + passages.length, 0),
		};
	}

	cost({exactMatch: share}: ReaderValidation): number {
		return -share;
	}

	async write(): Promise<void> {
		const {folder, options} = this.#inputs;
		await callNative({}, async () => this.#trainer.write(folder, options.precision));
	}

	async save(path: string, progress: string): Promise<void> {
		await callNative({}, async () => this.#trainer.save(path, progress));
	}

	async load(path: string): Promise<string> {
		return callNative({}, async () => this.#trainer.load(path));
	}

	close(): void {
		this.#trainer.close();
	}
}
