/** The options of `trainReader`. */
import {checkCount} from '../../core/checks.ts';
import {type OptionNames, checkOptions, optionNames} from '../../core/options.ts';
import {type CheckedTrainingOptions, type TrainingOptions, checkTrainingOptions, trainingDefaults, trainingNames} from '../run/options.ts';
import type {ReaderValidation} from './result.ts';

/** How a reader is trained. The best epoch is the one with the most exact matches, and of these the one with the highest F1. */
export interface TrainReaderOptions extends TrainingOptions<ReaderValidation> {
	/** Number of questions per step. @default 16 */
	readonly batchSize?: number | undefined;
	/**
	Maximum number of passages per question and step: one positive and negatives. Each step draws them at random from those of the example,
	other negatives only if there are too few hard ones. @default 24
	*/
	readonly passagesPerQuestion?: number | undefined;
	/** The highest learning rate. @default 2e-5 */
	readonly learningRate?: number | undefined;
	/** Maximum number of tokens per input, special tokens included. @default as configured, else 256 */
	readonly maxTokens?: number | undefined;
	/** Maximum number of tokens of the question. Longer questions are truncated at the end. @default as configured, else 40 */
	readonly maxQuestionTokens?: number | undefined;
	/** Maximum number of tokens per answer in validations. Training uses answers of any length. @default 10 */
	readonly maxAnswerTokens?: number | undefined;
}

const trainReaderNames: OptionNames = optionNames<TrainReaderOptions>({
	...trainingNames,
	batchSize: true,
	passagesPerQuestion: true,
	learningRate: true,
	maxTokens: true,
	maxQuestionTokens: true,
	maxAnswerTokens: true,
});

/** The defaults of options that do not depend on the model. */
const defaults = {
	...trainingDefaults,
	batchSize: 16,
	passagesPerQuestion: 24,
	learningRate: 2e-5,
	maxAnswerTokens: 10,
} as const satisfies TrainReaderOptions;

type Defaults = {readonly [K in keyof typeof defaults]: NonNullable<TrainReaderOptions[K]>};

/** The options, with the defaults of those that do not depend on the model. */
export interface CheckedTrainReaderOptions
	extends Omit<TrainReaderOptions, keyof Defaults>,
		Defaults,
		CheckedTrainingOptions<ReaderValidation> {}

/** Checks the options and adds the defaults. */
export function checkedTrainReaderOptions(options: TrainReaderOptions): CheckedTrainReaderOptions {
	checkOptions('trainReader', options, trainReaderNames);
	const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
	const checked = {...defaults, ...given} as CheckedTrainReaderOptions;
	checkTrainingOptions(checked);
	checkCount('passagesPerQuestion', checked.passagesPerQuestion, 2, 1000);
	checkCount('maxAnswerTokens', checked.maxAnswerTokens, 1, 10_000);
	if (checked.maxTokens !== undefined) {
		checkCount('maxTokens', checked.maxTokens, 8, 1_000_000);
	}
	if (checked.maxQuestionTokens !== undefined) {
		checkCount('maxQuestionTokens', checked.maxQuestionTokens, 1, 1_000_000);
	}
	return checked;
}
