/** The encoder that `trainQuestionEncoder` trains, with its questions, its index and, if there is one, its reader. */
import {readdir, rm} from 'node:fs/promises';
import {basename, dirname, join} from 'node:path';
import {type Binding, callNative, native} from '../../core/native/native.ts';
import type {CallOptions} from '../../core/types.ts';
import {queryBatch} from '../../dense/batches.ts';
import type {NativeVectorIndex} from '../../dense/native-vector-index.ts';
import type {TrainingQuestion} from '../data/mining-options.ts';
import {type EpochOrder, seededRandom} from '../run/random-order.ts';
import type {TrainableModel} from '../run/trainable-model.ts';
import {candidatesOf} from './candidates.ts';
import {JointReader, type JointReaderInputs} from './joint-reader.ts';
import type {CheckedTrainQuestionEncoderOptions} from './options.ts';
import {encodeQuestions} from './prepare.ts';
import type {QuestionWithPositive} from './questions.ts';
import type {QuestionEncoderValidation, TrainedQuestionEncoder} from './result.ts';
import {QUESTIONS_PER_CALL, type Retrieval} from './retrieval.ts';

/** Number of passages among which validations look for positives; more if the reader gets more. */
const VALIDATION_DEPTH = 100;

/** How to open a `TrainableQuestionEncoder`. */
export interface TrainableQuestionEncoderInputs {
	/** The folder of the model to start from. */
	readonly model: string;
	/** The folders that models are written to. */
	readonly folders: Pick<TrainedQuestionEncoder, 'folder' | 'readerFolder'>;
	readonly settings: Binding.NativeEncoderTrainingOptions;
	readonly reader: JointReaderInputs | undefined;
	readonly index: NativeVectorIndex;
	readonly retrieval: Retrieval;
	readonly questions: readonly QuestionWithPositive[];
	readonly dev: readonly TrainingQuestion[];
	readonly order: EpochOrder;
	readonly options: CheckedTrainQuestionEncoderOptions;
}

export class TrainableQuestionEncoder implements TrainableModel<QuestionEncoderValidation> {
	readonly #trainer: Binding.NativeEncoderTrainer;
	readonly #reader: JointReader | undefined;
	readonly #inputs: TrainableQuestionEncoderInputs;
	#isBetweenSteps = true;

	private constructor(trainer: Binding.NativeEncoderTrainer, reader: JointReader | undefined, inputs: TrainableQuestionEncoderInputs) {
		this.#trainer = trainer;
		this.#reader = reader;
		this.#inputs = inputs;
	}

	static async open(inputs: TrainableQuestionEncoderInputs): Promise<TrainableQuestionEncoder> {
		const {model, settings, reader, options} = inputs;
		const {signal} = options;
		const trainer = await callNative({signal}, async () => native.openEncoderTrainer(model, false, settings));
		try {
			const joint = reader === undefined ? undefined : await JointReader.open(reader, {signal});
			return new TrainableQuestionEncoder(trainer, joint, inputs);
		} catch (error) {
			trainer.close();
			throw error;
		}
	}

	get batchCount(): number {
		return this.#inputs.order.batchCount;
	}

	/** False if the encoder made a step, but the reader did not. */
	get isBetweenSteps(): boolean {
		return this.#isBetweenSteps;
	}

	/**
	Retrieves passages with the current encoder; makes a step of the encoder, with all passages of the batch, and a step of the reader. The loss
	is the sum of their losses.
	*/
	async step(epoch: number, number: number, call: CallOptions): Promise<Binding.NativeStepReport & {readonly questions: number}> {
		const {index, retrieval, order, options} = this.#inputs;
		const questions = (await order.positions(epoch, number)).map(i => this.#inputs.questions[i]!);
		const {texts, retrieved} = await this.#retrieve(questions, options.depth, call, retrieval);
		const {ids, positiveEnds, positives} = await candidatesOf(questions, retrieved);
		const passages = await queryBatch('passages', await index.vectors(ids), index.dim, call.signal);
		const report = await callNative(call, async control => this.#trainer.stepQuestions(texts, passages, positiveEnds, positives, control));
		const all = {...report, questions: questions.length};
		if (this.#reader === undefined) {
			return all;
		}
		const random = seededRandom(options.seed, epoch, number + 1);
		this.#isBetweenSteps = false;
		const {loss, tokens, texts: read, truncated} = await this.#reader.step(questions, retrieved, random, call);
		this.#isBetweenSteps = true;
		return {
			...all,
			loss: report.loss + loss,
			tokens: report.tokens + tokens,
			texts: report.texts + read,
			truncated: report.truncated + truncated,
		};
	}

	async validate(call: CallOptions): Promise<QuestionEncoderValidation | undefined> {
		const {dev, retrieval, options} = this.#inputs;
		if (dev.length === 0) {
			return undefined;
		}
		const ranks: number[] = [];
		let [matches, f1] = [0, 0];
		for (let from = 0; from < dev.length; from += QUESTIONS_PER_CALL) {
			const slice = dev.slice(from, from + QUESTIONS_PER_CALL);
			const {retrieved} = await this.#retrieve(slice, Math.max(VALIDATION_DEPTH, options.passagesPerQuestion), call, retrieval);
			ranks.push(...retrieved.map(({isPositive}) => isPositive.slice(0, VALIDATION_DEPTH).indexOf(true) + 1));
			const answers = await this.#reader?.answer(slice, retrieved, call);
			matches += answers?.matches ?? 0;
			f1 += answers?.f1 ?? 0;
		}
		const share = (k: number): number => ranks.filter(rank => rank > 0 && rank <= k).length / dev.length;
		return {
			meanReciprocalRank: ranks.reduce((sum, rank) => sum + (rank === 0 ? 0 : 1 / rank), 0) / dev.length,
			topK: {1: share(1), 5: share(5), 20: share(20), 100: share(100)},
			questions: dev.length,
			...(this.#reader && {exactMatch: matches / dev.length, f1: f1 / dev.length}),
		};
	}

	/** Compares exact match if there is a reader. If it is equal, or without a reader, compares the mean reciprocal rank. */
	isBetter(validation: QuestionEncoderValidation, than: QuestionEncoderValidation): boolean {
		const difference = (validation.exactMatch ?? 0) - (than.exactMatch ?? 0);
		return difference > 0 || (difference === 0 && validation.meanReciprocalRank > than.meanReciprocalRank);
	}

	async write(): Promise<void> {
		const {folders, options} = this.#inputs;
		await callNative({}, async () => this.#trainer.write('question', folders.folder, options.precision));
		await this.#reader?.write(folders.readerFolder!);
	}

	/**
	Writes the reader's checkpoint under a new name, then the encoder's, which stores that name: replacing the encoder's file switches both at
	once.
	*/
	async save(path: string, state: string): Promise<void> {
		const name = `${basename(path)}-reader-${Date.now()}-${process.pid}`;
		try {
			await this.#reader?.save(join(dirname(path), name));
			await callNative({}, async () => this.#trainer.save(path, JSON.stringify({state, reader: this.#reader && name})));
		} catch (error) {
			await rm(join(dirname(path), name), {force: true}).catch(() => {});
			throw error;
		}
		await removeOthers(path, this.#reader && name);
	}

	async load(path: string): Promise<string> {
		const progress = await callNative({}, async () => this.#trainer.load(path));
		const {state, reader} = JSON.parse(progress) as {readonly state: string; readonly reader?: string};
		if (reader !== undefined) {
			await this.#reader?.load(join(dirname(path), reader));
		}
		await removeOthers(path, reader);
		return state;
	}

	close(): void {
		this.#trainer.close();
		this.#reader?.close();
	}

	async #retrieve(questions: readonly TrainingQuestion[], k: number, call: CallOptions, retrieval: Retrieval) {
		const vectors = await encodeQuestions(this.#trainer, questions, call);
		return {texts: questions.map(({text}) => text), retrieved: await retrieval.retrieve(questions, vectors, k, call)};
	}
}

/** Removes earlier checkpoints of the reader. */
async function removeOthers(path: string, current: string | undefined): Promise<void> {
	const prefix = `${basename(path)}-`;
	const names = (await readdir(dirname(path))).filter(name => name.startsWith(prefix) && name !== current);
	await Promise.all(names.map(async name => rm(join(dirname(path), name), {force: true})));
}
