/** The options of `trainEncoder`. */
import {checkBoolean, checkCount, checkObject, checkOneOf} from '../../core/checks.ts';
import {RetrievalError} from '../../core/errors.ts';
import {type OptionNames, checkOptions, optionNames} from '../../core/options.ts';
import {
	type CheckedTrainingOptions,
	type TrainingOptions,
	checkRange,
	checkTrainingOptions,
	trainingDefaults,
	trainingNames,
} from '../run/options.ts';
import type {EncoderValidation} from './result.ts';

/** The measures of a validation by which the best epoch can be chosen. */
export const bestByChoices = ['averageRank', 'top1', 'top5', 'top20'] as const;

/** How an encoder is trained. */
export interface TrainEncoderOptions extends TrainingOptions<EncoderValidation> {
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
	/**
	The measure of the validation by which the best epoch is chosen, and to which `patience` applies: the average rank of first positives
	(Karpukhin et al., 2020), or top-k accuracy. If two epochs have the same accuracy, the average rank decides. @default 'averageRank'
	*/
	readonly bestBy?: (typeof bestByChoices)[number] | undefined;
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
}

const trainEncoderNames: OptionNames = optionNames<TrainEncoderOptions>({
	...trainingNames,
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
	bestBy: true,
	repeat: true,
	pooling: true,
	maxTokens: true,
	passageForm: true,
	tokenTypes: true,
});

/** The defaults of options that do not depend on the model. */
const defaults = {
	...trainingDefaults,
	batchSize: 32,
	hardNegatives: 1,
	negatives: 0,
	inBatch: true,
	loss: 'nll',
	margin: 1,
	separatePassageEncoder: false,
	learningRate: 2e-5,
	bestBy: 'averageRank',
	repeat: {},
} as const satisfies TrainEncoderOptions;

type Defaults = {readonly [K in keyof typeof defaults]: NonNullable<TrainEncoderOptions[K]>};

/** The options, with the defaults of those that do not depend on the model. */
export interface CheckedTrainEncoderOptions
	extends Omit<TrainEncoderOptions, keyof Defaults>,
		Defaults,
		CheckedTrainingOptions<EncoderValidation> {}

/** Checks the options and adds the defaults. */
export function checkedTrainEncoderOptions(options: TrainEncoderOptions): CheckedTrainEncoderOptions {
	checkOptions('trainEncoder', options, trainEncoderNames);
	const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
	const checked = {...defaults, ...given} as CheckedTrainEncoderOptions;
	checkTrainingOptions(checked);
	for (const name of ['hardNegatives', 'negatives'] as const) {
		checkCount(name, checked[name], 0, 10_000);
	}
	for (const name of ['inBatch', 'separatePassageEncoder'] as const) {
		checkBoolean(name, checked[name]);
	}
	checkOneOf('loss', checked.loss, ['nll', 'triplet']);
	checkOneOf('bestBy', checked.bestBy, bestByChoices);
	if (options.bestBy !== undefined && checked.dev === undefined) {
		throw new RetrievalError('ERR_ARGUMENT', 'bestBy: expected examples in dev to validate with, got none');
	}
	if (checked.similarity !== undefined) {
		checkOneOf('similarity', checked.similarity, ['dot', 'cosine', 'l2']);
	}
	if (checked.pooling !== undefined) {
		checkOneOf('pooling', checked.pooling, ['cls', 'mean']);
	}
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
	if (!checked.inBatch && checked.hardNegatives + checked.negatives === 0) {
		throw new RetrievalError('ERR_ARGUMENT', 'inBatch: expected true, or hardNegatives or negatives above 0, got no negatives at all');
	}
	return checked;
}
