/** Trains the encoder of a dense retriever. */
import {mkdir, readdir, realpath, rm, stat} from 'node:fs/promises';
import {join, resolve} from 'node:path';
import {checkIterable, checkString} from '../../core/checks.ts';
import {RetrievalError} from '../../core/errors.ts';
import {yieldIfOverBudget} from '../../core/event-loop.ts';
import {onPath} from '../../core/file-system.ts';
import {type Binding, callNative, native} from '../../core/native/native.ts';
import {configured} from '../../encoders/onnx-encoder.ts';
import {modelOptions, resolveModel} from '../../models/resolve.ts';
import {fingerprint} from '../../onnx/model-files.ts';
import {checkExample, type TrainingExample} from '../data/training-example.ts';
import {Batches} from './batches.ts';
import {CHECKPOINT_FILE, trainingFingerprint} from './checkpoint.ts';
import {folders} from './folders.ts';
import {type CheckedTrainEncoderOptions, type TrainEncoderOptions, checkedTrainEncoderOptions} from './options.ts';
import {REPORT_FILE, TrainingReport} from './report.ts';
import type {TrainedEncoder, TrainingEpoch} from './result.ts';
import {TrainingRun} from './training-run.ts';

/** Maximum number of steps. */
const MAX_STEPS = 2 ** 32 - 1;

/**
Trains an encoder with the architecture of BERT on questions and passages, as Dense Passage Retriever is trained (Karpukhin et al., 2020,
§3.2): each question's positive should be more similar to it than the passages of the other questions in the batch and than its hard
negatives.

`init` is the model to start from, as for `OnnxEncoder.load`: a folder with `model.safetensors` and `config.json` of Hugging Face's library
(BERT, RoBERTa, XLM-RoBERTa or DistilBERT), or with `model.onnx`, and with `tokenizer.json`. The trained encoder is written to the folder `output`, for
`OnnxEncoder.load` (`model.onnx`) and for Hugging Face's library (`model.safetensors`). With `separatePassageEncoder`, there are two, in the
folders `question` and `passage`.

While it runs, the folder also has a checkpoint. A later call with the same arguments resumes from there, and its result is bit-identical to
that of an uninterrupted run. If the run had already finished, the call returns its result.

Fails with `ERR_ARGUMENT` if there are too few examples or if the folder is that of another training run, with `ERR_MODEL` if the model has
another architecture, and with `ERR_TRAINING` if the loss, the norm of the gradients or a vector is not finite. After `ERR_TRAINING`, the folder holds
the best encoder so far, or with no validation examples that of the last finished epoch.

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
	const train = await collected('examples', examples, checked);
	const dev = await collected('dev', checked.dev ?? [], {signal});
	const batches = new Batches(train.examples, checked);
	if (checked.dev !== undefined && dev.examples.length === 0) {
		throw new RetrievalError('ERR_ARGUMENT', 'dev: expected at least 1 example with a positive, got 0');
	}
	const steps = checked.epochs * batches.count;
	if (steps > MAX_STEPS) {
		throw new RetrievalError('ERR_ARGUMENT', `epochs: expected at most ${MAX_STEPS} steps, got ${steps}`);
	}
	const settings = await nativeOptions(model, checked, steps);
	const {epochs, patience, batchSize, hardNegatives, negatives, inBatch, repeat, separatePassageEncoder, precision} = checked;
	const identity = {
		...settings,
		// These change no result, or only its last bits.
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
	const identifier = await trainingFingerprint(identity, train.examples, dev.examples);
	const report = new TrainingReport(folder, identifier, identity);
	if (!checked.resume) {
		await rm(join(folder, CHECKPOINT_FILE), {force: true});
	}
	const stored = checked.resume ? await report.stored() : undefined;
	const result = (epochsDone: readonly TrainingEpoch[], bestEpoch: number): TrainedEncoder => ({
		...folders(folder, separatePassageEncoder),
		bestEpoch,
		epochs: epochsDone,
		steps: epochsDone.at(-1)?.steps ?? 0,
		examples: train.examples.length,
		skipped: train.skipped,
	});
	if (stored !== undefined) {
		return result(stored.epochs, stored.bestEpoch);
	}
	const trainer = await callNative({signal}, async () => native.openEncoderTrainer(model, separatePassageEncoder, settings));
	try {
		await report.begin();
		const run = new TrainingRun(trainer, batches, checked, folder, identifier);
		await run.validateWith(dev.examples);
		const finished = await run.run();
		await report.finish(finished);
		await rm(join(folder, CHECKPOINT_FILE), {force: true});
		return result(finished.epochs, finished.bestEpoch);
	} finally {
		trainer.close();
	}
}

/** Refuses a folder with files that training would overwrite, unless they are those of an earlier training run. */
async function checkOutput(folder: string, model: string): Promise<void> {
	const real = async (path: string): Promise<string> => realpath(path).catch(() => resolve(path));
	const written = await Promise.all([folder, join(folder, 'question'), join(folder, 'passage')].map(real));
	if (written.includes(await real(model))) {
		throw new RetrievalError('ERR_ARGUMENT', `output: expected another folder than that of the model to start from, got ${folder}`);
	}
	await onPath('create', folder, async () => mkdir(folder, {recursive: true}));
	const files = await onPath('list', folder, async () => readdir(folder));
	if (files.length > 0 && !files.includes(REPORT_FILE)) {
		throw new RetrievalError(
			'ERR_ARGUMENT',
			`output: expected an empty folder, or that of an earlier training run, got ${folder} with ${files.length} files`,
		);
	}
}

/** Reads all examples. Those without a positive are skipped and counted. Negatives that are not used are dropped, to save memory. */
async function collected(
	what: string,
	from: Iterable<TrainingExample> | AsyncIterable<TrainingExample>,
	{signal, hardNegatives, negatives}: Partial<Pick<CheckedTrainEncoderOptions, 'signal' | 'hardNegatives' | 'negatives'>>,
): Promise<{readonly examples: readonly TrainingExample[]; readonly skipped: number}> {
	const examples: TrainingExample[] = [];
	let skipped = 0;
	for await (const example of from) {
		signal?.throwIfAborted();
		await yieldIfOverBudget();
		checkExample(`${what}[${examples.length + skipped}]`, example);
		if (example.positives.length === 0) {
			skipped += 1;
			continue;
		}
		examples.push({
			...example,
			answers: [],
			hardNegatives: hardNegatives === 0 ? [] : example.hardNegatives,
			negatives: negatives === 0 ? [] : example.negatives,
		});
	}
	return {examples, skipped};
}

/** The files that the weights and the tokens depend on. */
async function modelParts(model: string): Promise<string[]> {
	for (const name of ['model.safetensors', 'model.onnx', 'onnx/model.onnx']) {
		if ((await stat(join(model, name)).catch(() => undefined))?.isFile()) {
			return [join(model, name), join(model, 'tokenizer.json')];
		}
	}
	throw new RetrievalError('ERR_MODEL', `model ${model}: expected a folder with model.safetensors or model.onnx, got none there`);
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
