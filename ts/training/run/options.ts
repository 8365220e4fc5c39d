/** The options that all training runs share. */
import {checkBoolean, checkCount, checkInstance, checkNumber, checkOneOf, shown} from '../../core/checks.ts';
import {RetrievalError} from '../../core/errors.ts';
import {native} from '../../core/native/native.ts';
import {downloadNames} from '../../models/hub.ts';
import type {ModelOptions} from '../../models/index.ts';
import type {TrainingExample} from '../data/index.ts';
import type {TrainingEpoch, TrainingProgress} from './result.ts';

/** How a model is trained. `V` is what its validation measures, and `E` what it is validated with. */
export interface TrainingOptions<V, E = TrainingExample> extends Omit<ModelOptions, 'onProgress'> {
	/**
	Examples, or questions, to validate with after each epoch. The weights of the best epoch are kept. Without `dev`, the weights of the last epoch are kept.
	*/
	readonly dev?: Iterable<E> | AsyncIterable<E> | undefined;
	/**
	Number of passes over the examples. Each is shuffled, and an incomplete last batch is dropped, unless it is the only one. With 0, the model
	before training is validated and written. @default 3
	*/
	readonly epochs?: number | undefined;
	/** Training stops after this many epochs in a row without improvement. Needs `dev`. @default no limit */
	readonly patience?: number | undefined;
	/** The share of all steps in which the learning rate grows linearly. Afterwards, it decays linearly to 0. @default 0.1 */
	readonly warmUp?: number | undefined;
	/** The weight decay of AdamW (Loshchilov and Hutter, 2019). Biases and layer norms do not decay. @default 0.01 */
	readonly weightDecay?: number | undefined;
	/** The dropout probability. @default 0.1 */
	readonly dropout?: number | undefined;
	/** Gradients are clipped to this norm. 0 turns clipping off. @default 1 */
	readonly maxGradientNorm?: number | undefined;
	/**
	How the ONNX file stores weights. `int8` is for passagekit and for ONNX Runtime on CPUs with VNNI. `int8-reduced` has 7 bits and is
	for ONNX Runtime on other CPUs, where sums of 8-bit products would saturate. `model.safetensors` always has floats. @default 'int8'
	*/
	readonly precision?: 'float32' | 'int8' | 'int8-reduced' | undefined;
	/**
	Maximum memory for activations that are kept for the backward pass, in MiB. Others are recomputed (gradient caching; Gao et al., 2021).
	Each thread also needs memory for the activations of about 1,024 tokens. @default 2048
	*/
	readonly activationMemory?: number | undefined;
	/**
	Whether the products of linear layers are computed in bfloat16, with sums in 32 bits (mixed precision; after Kalamkar et al., 2019). Parameters stay
	in 32 bits. This is faster, and needs a CPU with AVX-512 BF16: AMD's since Zen 4, Intel's Xeon since Sapphire Rapids. @default false
	*/
	readonly bf16?: boolean | undefined;
	/** Number of steps between checkpoints. One is also written after each epoch. @default 100 */
	readonly checkpointSteps?: number | undefined;
	/**
	Whether an interrupted training run in the output folder is resumed, and the result of a finished one returned. Otherwise, training starts
	over. @default true
	*/
	readonly resume?: boolean | undefined;
	/** Seed of dropout, of the order of examples and of drawn negatives. @default 42 */
	readonly seed?: number | undefined;
	/** Number of threads. The same seed and number of threads give the same bits on one machine. @default one per core */
	readonly threads?: number | undefined;
	/** Called after each step. */
	readonly onProgress?: ((progress: TrainingProgress) => void) | undefined;
	/** Called after each epoch, and once before training. */
	readonly onEpoch?: ((epoch: TrainingEpoch<V>) => void) | undefined;
}

const {signal, onProgress, ...modelNames} = downloadNames;

/** The names of `TrainingOptions`, to be spread into the list of a call's options. */
export const trainingNames = {
	...modelNames,
	signal,
	onProgress,
	dev: true,
	epochs: true,
	patience: true,
	warmUp: true,
	weightDecay: true,
	dropout: true,
	maxGradientNorm: true,
	precision: true,
	activationMemory: true,
	bf16: true,
	checkpointSteps: true,
	resume: true,
	seed: true,
	threads: true,
	onEpoch: true,
} as const;

/** The defaults of `TrainingOptions`. */
export const trainingDefaults = {
	epochs: 3,
	warmUp: 0.1,
	weightDecay: 0.01,
	dropout: 0.1,
	maxGradientNorm: 1,
	precision: 'int8',
	activationMemory: 2048,
	bf16: false,
	checkpointSteps: 100,
	resume: true,
	seed: 42,
	threads: 0,
} as const satisfies TrainingOptions<unknown>;

type Defaults = {readonly [K in keyof typeof trainingDefaults]: NonNullable<TrainingOptions<unknown>[K]>};

/** `TrainingOptions` with the defaults, and the two whose defaults differ between encoders and readers. */
export interface CheckedTrainingOptions<V, E = TrainingExample> extends Omit<TrainingOptions<V, E>, keyof Defaults>, Defaults {
	readonly batchSize: number;
	readonly learningRate: number;
}

/** Checks the options, which have their defaults. */
export function checkTrainingOptions<V, E>(checked: CheckedTrainingOptions<V, E>): void {
	checkCount('epochs', checked.epochs, 0, 1_000_000);
	for (const name of ['activationMemory', 'checkpointSteps'] as const) {
		checkCount(name, checked[name], 1, 1_000_000);
	}
	checkCount('batchSize', checked.batchSize, 1, 16_384);
	checkCount('threads', checked.threads, 0, 10_000);
	checkCount('seed', checked.seed, 0);
	checkBoolean('resume', checked.resume);
	checkBf16(checked.bf16);
	checkOneOf('precision', checked.precision, ['float32', 'int8', 'int8-reduced']);
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
	for (const name of ['onEpoch', 'onProgress'] as const) {
		if (checked[name] !== undefined) {
			checkInstance(name, checked[name], Function);
		}
	}
}

/** Throws unless `value` is a boolean, and the CPU has what `true` needs. This is known before examples are read. */
function checkBf16(value: unknown): void {
	checkBoolean('bf16', value);
	const {level, hasBf16} = native.systemInfo();
	if (value && !hasBf16) {
		throw new RetrievalError('ERR_ARGUMENT', `bf16: expected a CPU with AVX-512 BF16, got ${level} kernels without it`);
	}
}

/** Throws unless `value` is a finite number that is valid. */
export function checkRange(what: string, value: number, isValid: (value: number) => boolean, expected: string): void {
	checkNumber(what, value);
	if (!Number.isFinite(value) || !isValid(value)) {
		throw new RetrievalError('ERR_ARGUMENT', `${what}: expected ${expected}, got ${shown(value)}`);
	}
}
