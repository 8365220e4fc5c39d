/** The options of `trainEncoder`. */
import {checkBoolean, checkCount, checkInstance, checkNumber, checkObject, checkOneOf, shown} from '../../core/checks.ts';
import {RetrievalError} from '../../core/errors.ts';
import {type OptionNames, checkOptions, optionNames} from '../../core/options.ts';
import {downloadNames} from '../../models/hub.ts';
import type {ModelOptions} from '../../models/index.ts';
import type {TrainingExample} from '../data/index.ts';
import type {TrainingEpoch, TrainingProgress} from './result.ts';

/** How an encoder is trained. */
export interface TrainEncoderOptions extends Omit<ModelOptions, 'onProgress'> {
	/**
	Examples to validate with after each epoch. The weights of the epoch with the lowest average rank of first positives are kept.
	Without them, those of the last epoch are kept.
	*/
	readonly dev?: Iterable<TrainingExample> | AsyncIterable<TrainingExample> | undefined;
	/** Number of passes over the examples. Each is shuffled, and an incomplete last batch is dropped. @default 3 */
	readonly epochs?: number | undefined;
	/** Number of epochs without a better average rank after which training stops. Needs `dev`. @default no limit */
	readonly patience?: number | undefined;
	/** Number of questions per step. @default 32 */
	readonly batchSize?: number | undefined;
	/** Maximum number of hard negatives per question and step, drawn at random from those of the example. @default 1 */
	readonly hardNegatives?: number | undefined;
	/** Maximum number of other negatives per question and step, drawn at random from those of the example. @default 0 */
	readonly negatives?: number | undefined;
	/**
	Whether the passages of all questions in the batch are negatives for each other (Karpukhin et al., 2020, §3.2). Otherwise, a question
	is compared only with the passages of its own example. @default true
	*/
	readonly inBatch?: boolean | undefined;
	/**
	The loss: `nll` is the negative log likelihood of the positive (Karpukhin et al., 2020, equation 2), `triplet` the triplet loss
	(appendix B). @default 'nll'
	*/
	readonly loss?: 'nll' | 'triplet' | undefined;
	/** The margin of the triplet loss. @default 1 */
	readonly margin?: number | undefined;
	/**
	How vectors are compared: by inner product, by cosine (vectors are scaled to unit length, also when the trained encoder is used), or by
	negative Euclidean distance (Karpukhin et al., 2020, appendix B), which ranks as the squared distance of indexes with `l2`.
	@default 'cosine' for models that are configured to scale vectors to unit length, else 'dot'
	*/
	readonly similarity?: 'dot' | 'cosine' | 'l2' | undefined;
	/** Similarities are divided by this number in the loss. @default 0.05 for 'cosine', else 1 */
	readonly temperature?: number | undefined;
	/** Whether passages have a model of their own, as in DPR. Both start from the same weights. @default false */
	readonly separatePassageEncoder?: boolean | undefined;
	/** The highest learning rate. @default 2e-5 */
	readonly learningRate?: number | undefined;
	/** The share of all steps in which the learning rate grows linearly. Afterwards, it decays linearly to 0. @default 0.1 */
	readonly warmUp?: number | undefined;
	/** The weight decay of AdamW (Loshchilov and Hutter, 2019). Biases and layer norms do not decay. @default 0.01 */
	readonly weightDecay?: number | undefined;
	/** The dropout probability. @default 0.1 */
	readonly dropout?: number | undefined;
	/** Gradients are clipped to this norm. 0 turns clipping off. @default 1 */
	readonly maxGradientNorm?: number | undefined;
	/** How often the examples of each data set are used per epoch, by the names of data sets; 1 for others. @default {} */
	readonly repeat?: Readonly<Record<string, number>> | undefined;
	/** How the token vectors become one vector. @default as configured, else 'cls' */
	readonly pooling?: 'cls' | 'mean' | undefined;
	/** Maximum number of tokens per input, special tokens included. @default as configured, else 256 */
	readonly maxTokens?: number | undefined;
	/** The form of a passage with a title; see `OnnxEncoder`. @default as configured */
	readonly passageForm?: 'pair' | 'joined' | undefined;
	/** The token types of a passage with a title; see `OnnxEncoder`. @default as configured */
	readonly tokenTypes?: 'segments' | 'zeros' | undefined;
	/**
	How the ONNX file stores weights. `int8` is for passagekit and for ONNX Runtime on CPUs with VNNI. `int8-reduced` has 7 bits and is
	for ONNX Runtime on other CPUs, where sums of 8-bit products would saturate. `model.safetensors` always has floats. @default 'int8'
	*/
	readonly precision?: 'float32' | 'int8' | 'int8-reduced' | undefined;
	/**
	Maximum memory for activations that are kept for the backward pass, in MiB. Others are recomputed (gradient caching; Gao et al., 2021).
	Each thread also needs memory for those of about 1,024 tokens. @default 2048
	*/
	readonly activationMemory?: number | undefined;
	/** Number of steps between checkpoints. One is also written after each epoch. @default 100 */
	readonly checkpointSteps?: number | undefined;
	/**
	Whether an interrupted training run in the output folder is resumed, and the result of a finished one returned. Otherwise, training starts
	anew. @default true
	*/
	readonly resume?: boolean | undefined;
	/** Seed of dropout, of the order of examples and of drawn negatives. @default 42 */
	readonly seed?: number | undefined;
	/** Number of threads. The same seed and number of threads give the same bits on one machine. @default one per core */
	readonly threads?: number | undefined;
	/** Called after each step. */
	readonly onProgress?: ((progress: TrainingProgress) => void) | undefined;
	/** Called after each epoch. */
	readonly onEpoch?: ((epoch: TrainingEpoch) => void) | undefined;
}

const {signal, onProgress, ...modelNames} = downloadNames;

const trainEncoderNames: OptionNames = optionNames<TrainEncoderOptions>({
	...modelNames,
	signal,
	onProgress,
	dev: true,
	epochs: true,
	patience: true,
	batchSize: true,
	hardNegatives: true,
	negatives: true,
	inBatch: true,
	loss: true,
	margin: true,
	similarity: true,
	temperature: true,
	separatePassageEncoder: true,
	learningRate: true,
	warmUp: true,
	weightDecay: true,
	dropout: true,
	maxGradientNorm: true,
	repeat: true,
	pooling: true,
	maxTokens: true,
	passageForm: true,
	tokenTypes: true,
	precision: true,
	activationMemory: true,
	checkpointSteps: true,
	resume: true,
	seed: true,
	threads: true,
	onEpoch: true,
});

/** The options that are the same in every training, with their defaults. */
const defaults = {
	epochs: 3,
	batchSize: 32,
	hardNegatives: 1,
	negatives: 0,
	inBatch: true,
	loss: 'nll',
	margin: 1,
	separatePassageEncoder: false,
	learningRate: 2e-5,
	warmUp: 0.1,
	weightDecay: 0.01,
	dropout: 0.1,
	maxGradientNorm: 1,
	repeat: {},
	precision: 'int8',
	activationMemory: 2048,
	checkpointSteps: 100,
	resume: true,
	seed: 42,
	threads: 0,
} as const satisfies TrainEncoderOptions;

type Defaults = {readonly [K in keyof typeof defaults]: NonNullable<TrainEncoderOptions[K]>};

/** The options, with the defaults of those that do not depend on the model. */
export interface CheckedTrainEncoderOptions extends Omit<TrainEncoderOptions, keyof Defaults>, Defaults {}

/** Checks the options and adds the defaults. */
export function checkedTrainEncoderOptions(options: TrainEncoderOptions): CheckedTrainEncoderOptions {
	checkOptions('trainEncoder', options, trainEncoderNames);
	const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
	const checked = {...defaults, ...given} as CheckedTrainEncoderOptions;
	for (const name of ['epochs', 'activationMemory', 'checkpointSteps'] as const) {
		checkCount(name, checked[name], 1, 1_000_000);
	}
	checkCount('batchSize', checked.batchSize, 1, 16_384);
	for (const name of ['hardNegatives', 'negatives', 'threads'] as const) {
		checkCount(name, checked[name], 0, 10_000);
	}
	checkCount('seed', checked.seed, 0);
	for (const name of ['inBatch', 'separatePassageEncoder', 'resume'] as const) {
		checkBoolean(name, checked[name]);
	}
	checkOneOf('loss', checked.loss, ['nll', 'triplet']);
	checkOneOf('precision', checked.precision, ['float32', 'int8', 'int8-reduced']);
	if (checked.similarity !== undefined) {
		checkOneOf('similarity', checked.similarity, ['dot', 'cosine', 'l2']);
	}
	if (checked.pooling !== undefined) {
		checkOneOf('pooling', checked.pooling, ['cls', 'mean']);
	}
	if (checked.patience !== undefined) {
		checkCount('patience', checked.patience, 1);
		if (checked.dev === undefined) {
			throw new RetrievalError('ERR_ARGUMENT', 'patience: expected examples in dev to validate with, got none');
		}
	}
	checkRange('learningRate', checked.learningRate, value => value > 0, 'a number above 0');
	checkRange('warmUp', checked.warmUp, value => value >= 0 && value <= 1, 'a number from 0 to 1');
	checkRange('weightDecay', checked.weightDecay, value => value >= 0, 'a number of at least 0');
	checkRange('dropout', checked.dropout, value => value >= 0 && value < 1, 'at least 0 and less than 1');
	checkRange('maxGradientNorm', checked.maxGradientNorm, value => value >= 0, 'a number of at least 0');
	checkRange('margin', checked.margin, value => value >= 0 && value <= 1e6, 'a number from 0 to 1,000,000');
	if (options.margin !== undefined && checked.loss !== 'triplet') {
		throw new RetrievalError('ERR_ARGUMENT', `margin: expected the loss triplet, got ${checked.loss}`);
	}
	if (checked.temperature !== undefined) {
		checkRange('temperature', checked.temperature, value => value > 0, 'a number above 0');
	}
	checkObject('repeat', checked.repeat, 'numbers by the names of data sets');
	for (const [name, times] of Object.entries(checked.repeat)) {
		checkCount(`repeat: ${name}`, times, 0, 10_000);
	}
	for (const name of ['onEpoch', 'onProgress'] as const) {
		if (checked[name] !== undefined) {
			checkInstance(name, checked[name], Function);
		}
	}
	if (!checked.inBatch && checked.hardNegatives + checked.negatives === 0) {
		throw new RetrievalError('ERR_ARGUMENT', 'inBatch: expected true, or hardNegatives or negatives above 0, got no negatives at all');
	}
	return checked;
}

function checkRange(what: string, value: number, isValid: (value: number) => boolean, expected: string): void {
	checkNumber(what, value);
	if (!Number.isFinite(value) || !isValid(value)) {
		throw new RetrievalError('ERR_ARGUMENT', `${what}: expected ${expected}, got ${shown(value)}`);
	}
}
