/** The reader that `trainReader` trains, with its batches and validation examples. */
import {yieldIfOverBudget} from '../../core/event-loop.ts';
import {type Binding, callNative, callSync, native} from '../../core/native/native.ts';
import type {CallOptions} from '../../core/types.ts';
import {exactMatch, f1} from '../../evaluation/answers.ts';
import type {TrainingExample} from '../data/index.ts';
import type {TrainableModel} from '../run/trainable-model.ts';
import type {ReaderBatches} from './batches.ts';
import type {CheckedTrainReaderOptions} from './options.ts';
import {type QuestionPassages, chunks, questionColumns} from './questions.ts';
import type {ReaderValidation} from './result.ts';

/** How to open a `TrainableReader`. */
export interface TrainableReaderInputs {
	/** The folder of the model to start from. */
	readonly model: string;
	/** The output folder. */
	readonly folder: string;
	readonly settings: Binding.NativeReaderTrainingOptions;
	readonly batches: ReaderBatches;
	readonly dev: readonly TrainingExample[];
	readonly options: CheckedTrainReaderOptions;
}

export class TrainableReader implements TrainableModel<ReaderValidation> {
	readonly #trainer: Binding.NativeReaderTrainer;
	readonly #inputs: TrainableReaderInputs;

	private constructor(trainer: Binding.NativeReaderTrainer, inputs: TrainableReaderInputs) {
		this.#trainer = trainer;
		this.#inputs = inputs;
	}

	static async open(inputs: TrainableReaderInputs): Promise<TrainableReader> {
		const {model, settings, options} = inputs;
		const trainer = await callNative({signal: options.signal}, async () => native.openReaderTrainer(model, settings));
		return new TrainableReader(trainer, inputs);
	}

	get batchCount(): number {
		return this.#inputs.batches.batchCount;
	}

	get isBetweenSteps(): boolean {
		return true;
	}

	async step(epoch: number, number: number, call: CallOptions): Promise<Binding.NativeStepReport & {readonly questions: number}> {
		let questions = 0;
		for await (const chunk of this.#inputs.batches.batch(epoch, number)) {
			questions += chunk.length;
			callSync(() => this.#trainer.addQuestions(questionColumns(chunk)));
			await yieldIfOverBudget();
		}
		const report = await callNative(call, async control => this.#trainer.step(control));
		return {...report, questions};
	}

	/** Answers the validation questions from all passages of their examples. */
	async validate(call: CallOptions): Promise<ReaderValidation | undefined> {
		const {dev, options} = this.#inputs;
		if (dev.length === 0) {
			return undefined;
		}
		const question = ({question, answers, positives, hardNegatives, negatives}: TrainingExample): QuestionPassages => ({
			question,
			answers,
			passages: [...positives, ...hardNegatives, ...negatives],
		});
		let passages = 0;
		let [matches, f1Sum] = [0, 0];
		for (const chunk of chunks(dev, question)) {
			const columns = questionColumns(chunk);
			const found = await callNative(call, async control => this.#trainer.answer(columns, options.maxAnswerTokens, control));
			for (const [i, {answers, passages: read}] of chunk.entries()) {
				await yieldIfOverBudget();
				passages += read.length;
				matches += Number(exactMatch(found[i]!, answers));
				f1Sum += f1(found[i]!, answers);
			}
		}
		return {exactMatch: matches / dev.length, f1: f1Sum / dev.length, questions: dev.length, passages};
	}

	/** Compares exact match. If it is equal, as it often is for few questions, compares F1. */
	isBetter(validation: ReaderValidation, than: ReaderValidation): boolean {
		return validation.exactMatch > than.exactMatch || (validation.exactMatch === than.exactMatch && validation.f1 > than.f1);
	}

	async write(): Promise<void> {
		const {folder, options} = this.#inputs;
		await callNative({}, async () => this.#trainer.write(folder, options.precision));
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
