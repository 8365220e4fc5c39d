// What this benchmark measures, and the types of its files, requests and results.
import type {Binding} from '../../ts/core/native/native.ts';
import type {Figure} from '../qps/statistics/statistics.ts';

/** What is measured. */
export interface Definition {
	/** Number of questions per batch. */
	readonly batchSize: number;
	/** Number of hard negatives per question. */
	readonly hardNegatives: number;
	/** Number of steps whose losses are compared. */
	readonly comparedSteps: number;
	/** Number of rounds; in each, both systems train. */
	readonly rounds: number;
	/** Number of steps of each system in a round. */
	readonly stepsPerRound: number;
	/** Numbers of threads. */
	readonly threads: readonly number[];
	/** The batch with which only passagekit's memory is measured. */
	readonly large: {readonly batchSize: number; readonly hardNegatives: number; readonly steps: number};
	/** Whether both systems compute in bfloat16. */
	readonly bf16: boolean;
	/** The numbers of batches that are trained on, and of batches from which held-out questions come, with `--accuracy`. */
	readonly accuracy: {readonly steps: number; readonly heldOutBatches: number};
}

export const definition: Omit<Definition, 'bf16'> = {
	batchSize: 32,
	hardNegatives: 1,
	comparedSteps: 20,
	rounds: 5,
	stepsPerRound: 2,
	threads: [1, 2],
	large: {batchSize: 128, hardNegatives: 2, steps: 2},
	accuracy: {steps: 60, heldOutBatches: 12},
};

/** A few small steps, to check that everything works. */
export const smoke: Omit<Definition, 'bf16'> = {
	batchSize: 8,
	hardNegatives: 1,
	comparedSteps: 3,
	rounds: 2,
	stepsPerRound: 1,
	threads: [1, 2],
	large: {batchSize: 16, hardNegatives: 2, steps: 1},
	accuracy: {steps: 3, heldOutBatches: 2},
};

/** The options of both systems in all measurements. */
export const commonSettings = {
	pooling: 'mean',
	normalize: true,
	maxTokens: 256,
	passageForm: 'joined',
	tokenTypes: 'zeros',
	similarity: 'cosine',
	temperature: 0.05,
	learningRate: 2e-5,
	weightDecay: 0.01,
	maxGradientNorm: 1,
	seed: 42,
	activationMemory: 2048,
} as const;

/** The options of a training; see `trainEncoder`. */
export type Settings = Omit<Binding.NativeEncoderTrainingOptions, 'step'> & Binding.NativeStepOptions;

/** A batch as texts, which passagekit reads, and as token ids, which PyTorch reads. */
export interface BatchFile {
	readonly questions: readonly string[];
	readonly titles: readonly string[];
	readonly texts: readonly string[];
	/** The positive passage of each question. */
	readonly positives: readonly number[];
	/** Pairs of a question and a passage that are not compared, one after another. */
	readonly excluded: readonly number[];
	readonly questionIds: ReadonlyArray<readonly number[]>;
	readonly passageIds: ReadonlyArray<readonly number[]>;
}

/** The reply to `open`. */
export interface Opened {
	/** Number of batches in the file. */
	readonly batches: number;
}

/** The reply to `train`. */
export interface Trained {
	/** Loss of each step. */
	readonly losses: readonly number[];
	/** Norm of the gradients of each step, before clipping. */
	readonly gradientNorms: readonly number[];
	/** Number of tokens of each step, without padding. */
	readonly tokens: readonly number[];
	readonly wallNanos: number;
	readonly cpuNanos: number;
}

/** The reply to `rank`. */
export interface Ranked {
	/** The rank of the positive of each question, from 1. */
	readonly ranks: readonly number[];
}

/** The two data sets. */
export type DataName = 'passages' | 'sentences';

/** The greatest differences between the systems. */
export interface Agreement {
	readonly steps: number;
	readonly passagekit: Pick<Trained, 'losses' | 'gradientNorms'>;
	readonly pytorch: Pick<Trained, 'losses' | 'gradientNorms'>;
	readonly maxLossDifference: number;
	readonly maxGradientNormDifference: number;
	/** The greatest difference of two norms, divided by PyTorch's norm. */
	readonly maxRelativeGradientNormDifference: number;
}

/** Speed and memory of a system. */
export interface SystemSpeed {
	/** Tokens per second of wall time. Padding does not count. */
	readonly tokensPerSecond: Figure;
	readonly tokensPerCpuSecond: Figure;
	/** Peak resident memory of the process. */
	readonly peakBytes: number | undefined;
	/** The greatest sample of the part of it that is not mapped from files, such as the code of libraries. */
	readonly anonBytes: number | undefined;
}

/** The speed of both systems with a number of threads. */
export interface Speed {
	readonly threads: number;
	readonly passagekit: SystemSpeed;
	readonly pytorch: SystemSpeed;
	/** PyTorch with the default settings of glibc's memory allocator. Not measured in turns with the others. */
	readonly pytorchDefaultMalloc: SystemSpeed;
	/** passagekit's tokens per second divided by PyTorch's, of each round. */
	readonly wallRatio: Figure;
	readonly cpuRatio: Figure;
	/** The lower one of PyTorch's two peaks of resident memory, divided by passagekit's peak. */
	readonly memoryRatio: number | undefined;
	/** Mean number of cores that were busy with other work during the measurement; absent if the operating system does not report CPU times. */
	readonly otherBusyCores: number | undefined;
}

/** The results with a data set. */
export interface DataResult {
	/** Mean number of tokens per step of the rounds. */
	readonly tokensPerStep: number;
	/** Mean number of tokens per step with the padding that PyTorch needs. */
	readonly paddedTokensPerStep: number;
	readonly agreement: Agreement;
	readonly speeds: readonly Speed[];
}

/** The results. */
export interface Results {
	readonly versions: {readonly passagekit: string; readonly pytorch: string};
	readonly data: Readonly<Record<DataName, DataResult>>;
	/** passagekit's memory with large batches. */
	readonly large: {readonly tokensPerStep: number; readonly tokensPerSecond: number; readonly peakBytes: number | undefined};
}

/** How well an encoder ranks the positives of questions that it was not trained on, among all passages of these questions. */
export interface Accuracy {
	readonly meanReciprocalRank: number;
	readonly top1: number;
	readonly top5: number;
}

/** The accuracy of both systems after the same steps, with dropout. */
export interface AccuracyResults {
	readonly versions: Results['versions'];
	readonly questions: number;
	readonly passages: number;
	readonly steps: number;
	/** Before training, which is the same for both. */
	readonly before: Accuracy;
	readonly passagekit: Accuracy;
	readonly pytorch: Accuracy;
	/** passagekit's mean reciprocal rank minus PyTorch's, with a paired t-test over the questions and the 95 % confidence interval. */
	readonly difference: {readonly meanReciprocalRank: number; readonly from: number; readonly to: number; readonly p: number};
	/** The maximum difference of the reciprocal ranks of a question before training. */
	readonly maxDifferenceBefore: number;
}
