/** Trains the encoder of a dense retriever. */
import {mkdir, readdir, rm} from 'node:fs/promises';
import {join, resolve} from 'node:path';
import {checkIterable, checkString} from '../../core/checks.ts';
import {RetrievalError} from '../../core/errors.ts';
import {yieldIfOverBudget} from '../../core/event-loop.ts';
import {replaceFile} from '../../core/files/replace-file.ts';
import {onPath} from '../../core/file-system.ts';
import {type Binding, callNative, native} from '../../core/native/native.ts';
import {configured} from '../../encoders/onnx-encoder.ts';
import {modelOptions, resolveModel} from '../../models/resolve.ts';
import {fingerprint} from '../../onnx/model-files.ts';
import {checkExample, type TrainingExample} from '../data/training-example.ts';
import {Batches} from './batches.ts';
import {CHECKPOINT_FILE, type TrainingState, parseState, trainingFingerprint} from './checkpoint.ts';
import {type CheckedTrainEncoderOptions, type TrainEncoderOptions, checkedTrainEncoderOptions} from './options.ts';
import type {TrainedEncoder, TrainingEpoch} from './result.ts';
import {Validator} from './validation.ts';

/** The file with the options and epochs of a training. */
const REPORT_FILE = 'training.json';

/**
Trains an encoder with the architecture of BERT on questions and passages, as Dense Passage Retriever is trained (Karpukhin et al., 2020,
§3.2): each question's positive should be more similar to it than the passages of the other questions in the batch and than its hard
negatives.

`init` is the model to start from, as for `OnnxEncoder.load`: a folder with `model.safetensors` and `config.json` of Hugging Face's library
(BERT, RoBERTa or DistilBERT), or with `model.onnx`, and with `tokenizer.json`. The trained encoder is written to the folder `output`, for
`OnnxEncoder.load` (`model.onnx`) and for Hugging Face's library (`model.safetensors`). With `separatePassageEncoder`, there are two, in the
folders `question` and `passage`.

While it runs, the folder also has a checkpoint. A later call with the same arguments goes on from there, and gives the same result as if
the training had not been interrupted.

Fails with `ERR_ARGUMENT` if there are too few examples or if the checkpoint is that of another training, with `ERR_MODEL` if the model has
another architecture, and with `ERR_TRAINING` if the loss is no longer a finite number. Then the folder has the best encoder so far.

@example
```
const {bestEpoch, epochs} = await trainEncoder(readTrainingExamples('./train.dpr.json'), 'minilm-encoder', './my-encoder', {
	dev: readTrainingExamples('./dev.dpr.json'),
});
console.log(`average rank ${epochs[0]?.validation?.averageRank} → ${epochs[bestEpoch]?.validation?.averageRank}`);
const encoder = await OnnxEncoder.load('./my-encoder');
```
*/
export async function trainEncoder(
	examples: Iterable<TrainingExample> | AsyncIterable<TrainingExample>,
	init: string,
	output: string,
	options: TrainEncoderOptions = {},
): Promise<TrainedEncoder> {
	checkIterable('examples', examples, '{question, answers, positives, hardNegatives, negatives}');
	checkString('init', init);
	checkString('output', output);
	const checked = checkedTrainEncoderOptions(options);
	const {signal} = checked;
	if (checked.dev !== undefined) {
		checkIterable('dev', checked.dev, '{question, answers, positives, hardNegatives, negatives}');
	}
	signal?.throwIfAborted();
	const model = await resolveModel(init, modelOptions({...checked, onProgress: undefined}));
	const folder = resolve(output);
	await checkOutput(folder, model);
	const train = await collected('examples', examples, signal);
	const dev = await collected('dev', checked.dev ?? [], signal);
	const batches = new Batches(train.examples, checked);
	if (checked.dev !== undefined && dev.examples.length === 0) {
		throw new RetrievalError('ERR_ARGUMENT', 'dev: expected at least 1 example with a positive, got 0');
	}
	const steps = checked.epochs * batches.count;
	const settings = await nativeOptions(model, checked, steps);
	const trainer = await callNative({signal}, async () =>
		native.openEncoderTrainer(model, checked.separatePassageEncoder ? model : undefined, settings),
	);
	try {
		const {epochs, patience, batchSize, hardNegatives, negatives, inBatch, repeat, separatePassageEncoder, precision} = checked;
		const identity = {
			...settings,
			threads: undefined,
			activationMemory: undefined,
			epochs,
			patience,
			batchSize,
			hardNegatives,
			negatives,
			inBatch,
			repeat,
			separatePassageEncoder,
			precision,
			model: await fingerprint(await modelParts(model)),
		};
		const run = new Training(trainer, batches, checked, folder, await trainingFingerprint(identity, train.examples, dev.examples));
		await run.validateWith(dev.examples);
		const {epochs: finished, bestEpoch} = await run.run();
		await replaceFile(join(folder, REPORT_FILE), `${JSON.stringify({options: identity, bestEpoch, epochs: finished}, undefined, '\t')}\n`);
		await rm(join(folder, CHECKPOINT_FILE), {force: true});
		return {
			...folders(folder, separatePassageEncoder),
			bestEpoch,
			epochs: finished,
			steps: finished.at(-1)?.steps ?? 0,
			examples: train.examples.length,
			skipped: train.skipped,
		};
	} finally {
		trainer.close();
	}
}

/** The folders of the encoders of questions and passages. */
function folders(folder: string, areSeparate: boolean): Pick<TrainedEncoder, 'folder' | 'passageFolder'> {
	return areSeparate ? {folder: join(folder, 'question'), passageFolder: join(folder, 'passage')} : {folder, passageFolder: folder};
}

/** Refuses a folder whose files the training would overwrite, unless they are those of a training. */
async function checkOutput(folder: string, model: string): Promise<void> {
	if (folder === resolve(model)) {
		throw new RetrievalError('ERR_ARGUMENT', `output: expected another folder than that of the model to start from, got ${folder}`);
	}
	await onPath('create', folder, async () => mkdir(folder, {recursive: true}));
	const files = await onPath('list', folder, async () => readdir(folder));
	if (files.length > 0 && !files.includes(CHECKPOINT_FILE) && !files.includes(REPORT_FILE)) {
		throw new RetrievalError(
			'ERR_ARGUMENT',
			`output: expected an empty folder, or that of a training, got ${folder} with ${files.length} files`,
		);
	}
}

/** Reads all examples. Those without a positive are skipped and counted. */
async function collected(
	what: string,
	from: Iterable<TrainingExample> | AsyncIterable<TrainingExample>,
	signal: AbortSignal | undefined,
): Promise<{readonly examples: readonly TrainingExample[]; readonly skipped: number}> {
	const examples: TrainingExample[] = [];
	let skipped = 0;
	for await (const example of from) {
		signal?.throwIfAborted();
		await yieldIfOverBudget();
		checkExample(`${what}[${examples.length + skipped}]`, example);
		if (example.positives.length === 0) {
			skipped += 1;
		} else {
			examples.push(example);
		}
	}
	return {examples, skipped};
}

/** The files that the weights and the tokens depend on. */
async function modelParts(model: string): Promise<string[]> {
	const files = await readdir(model);
	const weights = files.includes('model.safetensors') ? 'model.safetensors' : 'model.onnx';
	return [weights, 'tokenizer.json'].map(name => join(model, name));
}

async function nativeOptions(model: string, options: CheckedTrainEncoderOptions, steps: number): Promise<Binding.NativeTrainingOptions> {
	const {pooling, maxTokens, passageForm, tokenTypes} = options;
	const config = await configured(model, {pooling, maxTokens, passageForm, tokenTypes});
	const similarity = options.similarity ?? (config.normalize ? 'cosine' : 'dot');
	return {
		pooling: config.pooling,
		maxTokens: config.maxTokens,
		passageForm: config.passageForm,
		tokenTypes: config.tokenTypes,
		normalize: similarity === 'cosine',
		similarity,
		temperature: options.temperature ?? (similarity === 'cosine' ? 0.05 : 1),
		...(options.loss === 'triplet' ? {margin: options.margin} : {}),
		learningRate: options.learningRate,
		warmUpSteps: Math.floor(options.warmUp * steps),
		steps,
		weightDecay: options.weightDecay,
		dropout: options.dropout,
		maxGradientNorm: options.maxGradientNorm,
		seed: options.seed,
		threads: options.threads,
		activationMemory: options.activationMemory,
	};
}

/** A training that runs. */
class Training {
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
		const start = {time: performance.now(), done: this.#done, questions: 0, tokens: 0};
		while (this.#state.epoch <= this.#options.epochs && !this.#isOutOfPatience) {
			const {epoch} = this.#state;
			while (this.#state.batch < this.#batches.count) {
				await this.#step(start);
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

	async #step(start: {readonly time: number; readonly done: number; questions: number; tokens: number}): Promise<void> {
		const {signal, epochs, checkpointSteps, onProgress} = this.#options;
		const {epoch, batch: number} = this.#state;
		const batch = this.#batches.batch(epoch, number);
		const report = await callNative({signal}, async control => this.#trainer.step(batch, control));
		this.#state = {...this.#state, batch: number + 1, lossSum: this.#state.lossSum + report.loss};
		start.questions += batch.questions.length;
		start.tokens += report.tokens;
		const seconds = (performance.now() - start.time) / 1000;
		const [done, total] = [this.#done, epochs * this.#batches.count];
		await onProgress?.({
			done,
			total,
			epoch,
			loss: report.loss,
			accuracy: report.correct / batch.questions.length,
			learningRate: report.learningRate,
			gradientNorm: report.gradientNorm,
			questionsPerSecond: start.questions / seconds,
			tokensPerSecond: start.tokens / seconds,
			secondsLeft: (seconds / (done - start.done)) * (total - done),
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

	/** Goes on from the checkpoint. Returns false if there is none. */
	async #resume(): Promise<boolean> {
		const files = await readdir(this.#folder);
		if (!this.#options.resume || !files.includes(CHECKPOINT_FILE)) {
			return false;
		}
		const progress = await callNative({}, async () => this.#trainer.load(join(this.#folder, CHECKPOINT_FILE)));
		this.#state = parseState(progress, this.#fingerprint, this.#folder);
		return true;
	}
}
