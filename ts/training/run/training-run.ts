/** Runs the steps of a training run, and keeps the best model. */
import {readdir} from 'node:fs/promises';
import {join} from 'node:path';
import {onPath} from '../../core/file-system.ts';
import {CHECKPOINT_FILE, type TrainingState, checkFingerprint} from './checkpoint.ts';
import type {CheckedTrainingOptions} from './options.ts';
import type {TrainingEpoch} from './result.ts';
import type {TrainableModel} from './trainable-model.ts';

/** The options that a run itself needs. */
export type RunOptions<V> = Pick<
	CheckedTrainingOptions<V>,
	'signal' | 'epochs' | 'patience' | 'checkpointSteps' | 'resume' | 'onProgress' | 'onEpoch'
>;

/** The counters of an epoch before its first step. */
const START_OF_EPOCH = {batch: 0, lossSum: 0, texts: 0, truncated: 0} as const;

/** Where a run is, and what it depends on. */
export interface RunPlace {
	/** The output folder. */
	readonly folder: string;
	readonly fingerprint: string;
	/** Fails if another process has taken over the folder. */
	readonly checkHeld: () => Promise<void>;
}

/** A training run: its steps, validations and checkpoints. */
export class TrainingRun<V> {
	readonly #model: TrainableModel<V>;
	readonly #options: RunOptions<V>;
	readonly #place: RunPlace;
	/** The state after the last step. */
	#state: TrainingState<V>;
	/** Number of steps that the checkpoint has. */
	#savedSteps = 0;

	constructor(model: TrainableModel<V>, options: RunOptions<V>, place: RunPlace) {
		this.#model = model;
		this.#options = options;
		this.#place = place;
		this.#state = {fingerprint: place.fingerprint, epoch: 1, ...START_OF_EPOCH, epochs: [], bestEpoch: 0};
	}

	/** Runs all epochs, from the checkpoint on if there is one. */
	async run(): Promise<TrainingState<V>> {
		if (!(await this.#resume())) {
			await this.#finishEpoch(0, {});
		}
		try {
			await this.#epochs();
		} catch (error) {
			await this.#saveIfAborted();
			throw error;
		}
		return this.#state;
	}

	async #epochs(): Promise<void> {
		const sums = {seconds: 0, steps: 0, questions: 0, tokens: 0};
		while (this.#state.epoch <= this.#options.epochs && !this.#isOutOfPatience) {
			const {epoch} = this.#state;
			while (this.#state.batch < this.#model.batchCount) {
				await this.#step(sums);
			}
			const {lossSum, texts, truncated} = this.#state;
			await this.#finishEpoch(epoch, {loss: lossSum / this.#model.batchCount, truncated: truncated / texts});
		}
	}

	/** Number of steps done. */
	get #done(): number {
		return (this.#state.epoch - 1) * this.#model.batchCount + this.#state.batch;
	}

	get #isOutOfPatience(): boolean {
		const {patience = Number.POSITIVE_INFINITY} = this.#options;
		const {epochs, bestEpoch} = this.#state;
		return (epochs.at(-1)?.epoch ?? 0) - bestEpoch >= patience;
	}

	async #step(sums: {seconds: number; steps: number; questions: number; tokens: number}): Promise<void> {
		const {signal, epochs, checkpointSteps, onProgress} = this.#options;
		const {epoch, batch: number} = this.#state;
		const began = performance.now();
		const report = await this.#model.step(epoch, number, {signal});
		const {lossSum, texts, truncated} = this.#state;
		this.#state = {
			...this.#state,
			batch: number + 1,
			lossSum: lossSum + report.loss,
			texts: texts + report.texts,
			truncated: truncated + report.truncated,
		};
		sums.seconds += (performance.now() - began) / 1000;
		sums.steps += 1;
		sums.questions += report.questions;
		sums.tokens += report.tokens;
		const [done, total] = [this.#done, epochs * this.#model.batchCount];
		await onProgress?.({
			done,
			total,
			epoch,
			loss: report.loss,
			accuracy: report.correct / report.questions,
			learningRate: report.learningRate,
			gradientNorm: report.gradientNorm,
			questionsPerSecond: sums.questions / sums.seconds,
			tokensPerSecond: sums.tokens / sums.seconds,
			secondsLeft: (sums.seconds / sums.steps) * (total - done),
		});
		if (done % checkpointSteps === 0 && this.#state.batch < this.#model.batchCount) {
			await this.#save();
		}
	}

	/** Validates, writes the model if it is the best so far, and writes a checkpoint. */
	async #finishEpoch(epoch: number, steps: Pick<TrainingEpoch<V>, 'loss' | 'truncated'>): Promise<void> {
		const {signal, onEpoch} = this.#options;
		const validation = await this.#model.validate({signal});
		// Without properties that are undefined, which a checkpoint could not store.
		const finished: TrainingEpoch<V> = {
			epoch,
			steps: epoch * this.#model.batchCount,
			...steps,
			...(validation === undefined ? {} : {validation}),
		};
		const {epochs, bestEpoch} = this.#state;
		const best = epochs[bestEpoch]?.validation;
		const isBest = validation === undefined || best === undefined || this.#model.isBetter(validation, best);
		if (isBest) {
			await this.#place.checkHeld();
			await this.#model.write();
		}
		this.#state = {
			...this.#state,
			epoch: epoch + 1,
			...START_OF_EPOCH,
			epochs: [...epochs, finished],
			bestEpoch: isBest ? epoch : bestEpoch,
		};
		await this.#save();
		await onEpoch?.(finished);
	}

	async #save(): Promise<void> {
		await this.#place.checkHeld();
		await this.#model.save(join(this.#place.folder, CHECKPOINT_FILE), JSON.stringify(this.#state));
		this.#savedSteps = this.#done;
	}

	/** Saves the steps since the last checkpoint if the caller has aborted the run, so that they need not be repeated. */
	async #saveIfAborted(): Promise<void> {
		const isSaved = this.#savedSteps === this.#done;
		if (this.#options.signal?.aborted && !isSaved && this.#model.isBetweenSteps) {
			// If this fails, the last checkpoint remains, and the caller gets the reason of the abort.
			await this.#save().catch(() => {});
		}
	}

	/** Resumes from the checkpoint. Returns false if there is none. */
	async #resume(): Promise<boolean> {
		const {folder, fingerprint} = this.#place;
		const files = await onPath('list', folder, async () => readdir(folder));
		if (!files.includes(CHECKPOINT_FILE)) {
			return false;
		}
		const progress = await this.#model.load(join(folder, CHECKPOINT_FILE));
		const state = JSON.parse(progress) as TrainingState<V>;
		checkFingerprint(state.fingerprint, fingerprint, folder);
		// Checkpoints of earlier versions lack the counts of texts.
		this.#state = {...START_OF_EPOCH, ...state};
		this.#savedSteps = this.#done;
		return true;
	}
}
