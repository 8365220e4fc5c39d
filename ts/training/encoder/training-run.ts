/** Runs the steps of a training run, and keeps the best encoder. */
import {readdir} from 'node:fs/promises';
import {join} from 'node:path';
import {type Binding, callNative} from '../../core/native/native.ts';
import type {TrainingExample} from '../data/index.ts';
import type {Batches} from './batches.ts';
import {CHECKPOINT_FILE, type TrainingState, checkFingerprint} from './checkpoint.ts';
import {folders} from './folders.ts';
import type {CheckedTrainEncoderOptions} from './options.ts';
import type {TrainingEpoch} from './result.ts';
import {Validator} from './validation.ts';

/** A training run: its steps, validations and checkpoints. */
export class TrainingRun {
	readonly #trainer: Binding.NativeEncoderTrainer;
	readonly #batches: Batches;
	readonly #options: CheckedTrainEncoderOptions;
	readonly #folder: string;
	readonly #fingerprint: string;
	#validator: Validator | undefined;
	/** The state after the last step. */
	#state: TrainingState;

	constructor(
		trainer: Binding.NativeEncoderTrainer,
		batches: Batches,
		options: CheckedTrainEncoderOptions,
		folder: string,
		fingerprint: string,
	) {
		this.#trainer = trainer;
		this.#batches = batches;
		this.#options = options;
		this.#folder = folder;
		this.#fingerprint = fingerprint;
		this.#state = {fingerprint, epoch: 1, batch: 0, lossSum: 0, epochs: [], bestEpoch: 0};
	}

	async validateWith(dev: readonly TrainingExample[]): Promise<void> {
		if (dev.length > 0) {
			this.#validator = new Validator(this.#trainer);
			await this.#validator.add(dev);
		}
	}

	/** Runs all epochs, from the checkpoint on if there is one. */
	async run(): Promise<TrainingState> {
		if (!(await this.#resume())) {
			await this.#finishEpoch(0, undefined);
		}
		const sums = {seconds: 0, steps: 0, questions: 0, tokens: 0};
		while (this.#state.epoch <= this.#options.epochs && !this.#isOutOfPatience) {
			const {epoch} = this.#state;
			while (this.#state.batch < this.#batches.count) {
				await this.#step(sums);
			}
			await this.#finishEpoch(epoch, this.#state.lossSum / this.#batches.count);
		}
		return this.#state;
	}

	/** Number of steps done. */
	get #done(): number {
		return (this.#state.epoch - 1) * this.#batches.count + this.#state.batch;
	}

	get #isOutOfPatience(): boolean {
		const {patience = Number.POSITIVE_INFINITY} = this.#options;
		const {epochs, bestEpoch} = this.#state;
		return (epochs.at(-1)?.epoch ?? 0) - bestEpoch >= patience;
	}

	async #step(sums: {seconds: number; steps: number; questions: number; tokens: number}): Promise<void> {
		const {signal, epochs, checkpointSteps, onProgress} = this.#options;
		const {epoch, batch: number} = this.#state;
		const batch = this.#batches.batch(epoch, number);
		const began = performance.now();
		const report = await callNative({signal}, async control => this.#trainer.step(batch, control));
		this.#state = {...this.#state, batch: number + 1, lossSum: this.#state.lossSum + report.loss};
		sums.seconds += (performance.now() - began) / 1000;
		sums.steps += 1;
		sums.questions += batch.questions.length;
		sums.tokens += report.tokens;
		const [done, total] = [this.#done, epochs * this.#batches.count];
		await onProgress?.({
			done,
			total,
			epoch,
			loss: report.loss,
			accuracy: report.correct / batch.questions.length,
			learningRate: report.learningRate,
			gradientNorm: report.gradientNorm,
			questionsPerSecond: sums.questions / sums.seconds,
			tokensPerSecond: sums.tokens / sums.seconds,
			secondsLeft: (sums.seconds / sums.steps) * (total - done),
		});
		if (done % checkpointSteps === 0 && this.#state.batch < this.#batches.count) {
			await this.#save();
		}
	}

	/** Validates, writes the encoder if it is the best so far, and writes a checkpoint. */
	async #finishEpoch(epoch: number, loss: number | undefined): Promise<void> {
		const {signal, onEpoch} = this.#options;
		const validation = await this.#validator?.validate({signal});
		// Without properties that are undefined, which a checkpoint could not store.
		const finished: TrainingEpoch = {
			epoch,
			steps: epoch * this.#batches.count,
			...(loss === undefined ? {} : {loss}),
			...(validation === undefined ? {} : {validation}),
		};
		const {epochs, bestEpoch} = this.#state;
		const best = epochs[bestEpoch]?.validation?.averageRank ?? Number.POSITIVE_INFINITY;
		const isBest = validation === undefined || validation.averageRank < best;
		if (isBest) {
			await this.#write();
		}
		this.#state = {
			...this.#state,
			epoch: epoch + 1,
			batch: 0,
			lossSum: 0,
			epochs: [...epochs, finished],
			bestEpoch: isBest ? epoch : bestEpoch,
		};
		await this.#save();
		await onEpoch?.(finished);
	}

	async #write(): Promise<void> {
		const {separatePassageEncoder, precision} = this.#options;
		const {folder, passageFolder} = folders(this.#folder, separatePassageEncoder);
		await callNative({}, async () => this.#trainer.write('question', folder, precision));
		if (separatePassageEncoder) {
			await callNative({}, async () => this.#trainer.write('passage', passageFolder, precision));
		}
	}

	async #save(): Promise<void> {
		await callNative({}, async () => this.#trainer.save(join(this.#folder, CHECKPOINT_FILE), JSON.stringify(this.#state)));
	}

	/** Resumes from the checkpoint. Returns false if there is none. */
	async #resume(): Promise<boolean> {
		const files = await readdir(this.#folder);
		if (!files.includes(CHECKPOINT_FILE)) {
			return false;
		}
		const progress = await callNative({}, async () => this.#trainer.load(join(this.#folder, CHECKPOINT_FILE)));
		const state = JSON.parse(progress) as TrainingState;
		checkFingerprint(state.fingerprint, this.#fingerprint, this.#folder);
		this.#state = state;
		return true;
	}
}
