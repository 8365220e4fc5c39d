/** The options of `trainQuestionEncoder`. */
import {checkBoolean, checkCount, checkInstance, checkOneOf, checkString} from '../../core/checks.ts';
import {RetrievalError} from '../../core/errors.ts';
import {type OptionNames, checkOptions, optionNames} from '../../core/options.ts';
import type {AnswerKind, Progress} from '../../core/types.ts';
import {type EfSearchOption, checkedEf} from '../../dense/vector-index.ts';
import type {TrainingQuestion} from '../data/mining-options.ts';
import {
	type CheckedTrainingOptions,
	type TrainingOptions,
	checkRange,
	checkTrainingOptions,
	trainingDefaults,
	trainingNames,
} from '../run/options.ts';
import type {QuestionEncoderValidation} from './result.ts';

/**
How a question encoder is trained, alone or together with a reader. The best epoch is the one with the highest mean reciprocal rank; with a
reader, the one with the most exact matches.
*/
export interface TrainQuestionEncoderOptions extends TrainingOptions<QuestionEncoderValidation, TrainingQuestion>, EfSearchOption {
	/** Number of questions per step. @default 16 */
	readonly batchSize?: number | undefined;
	/** Number of passages that are retrieved per question (k). @default 100 */
	readonly depth?: number | undefined;
	/** The highest learning rate of the encoder. @default 2e-5 */
	readonly learningRate?: number | undefined;
	/** Similarities are divided by this number in the loss. @default 0.05 for vectors of unit length, else 1 */
	readonly temperature?: number | undefined;
	/** How the token vectors become one vector; the same as for the vectors of the index. @default as the model is configured, else 'cls' */
	readonly pooling?: 'cls' | 'mean' | undefined;
	/** Whether vectors are scaled to unit length; the same as for the vectors of the index. @default as the model is configured, else false */
	readonly normalize?: boolean | undefined;
	/** Maximum number of tokens per question, special tokens included. @default as the model is configured, else 256 */
	readonly maxTokens?: number | undefined;
	/** Whether accepted answers are texts or regular expressions. A reader needs texts. @default 'text' */
	readonly answerKind?: AnswerKind | undefined;
	/** A reader to train with the encoder, as the `init` of `trainReader`. @default none */
	readonly reader?: string | undefined;
	/** The highest learning rate of the reader. @default 2e-5 */
	readonly readerLearningRate?: number | undefined;
	/** Maximum number of passages per question and step that the reader gets: one positive and negatives. @default 24 */
	readonly passagesPerQuestion?: number | undefined;
	/** Called while a positive of each question is looked for, before training. The unit is questions. */
	readonly onPreparation?: ((progress: Progress) => void) | undefined;
}

const names: OptionNames = optionNames<TrainQuestionEncoderOptions>({
	...trainingNames,
	batchSize: true,
	depth: true,
	learningRate: true,
	temperature: true,
	pooling: true,
	normalize: true,
	maxTokens: true,
	answerKind: true,
	reader: true,
	readerLearningRate: true,
	passagesPerQuestion: true,
	efSearch: true,
	onPreparation: true,
});

const defaults = {
	...trainingDefaults,
	batchSize: 16,
	depth: 100,
	learningRate: 2e-5,
	answerKind: 'text',
	readerLearningRate: 2e-5,
	passagesPerQuestion: 24,
} as const satisfies TrainQuestionEncoderOptions;

type Defaults = {readonly [K in keyof typeof defaults]: NonNullable<TrainQuestionEncoderOptions[K]>};

/** The options, with their defaults. */
export interface CheckedTrainQuestionEncoderOptions
	extends Omit<TrainQuestionEncoderOptions, keyof Defaults>,
		Defaults,
		CheckedTrainingOptions<QuestionEncoderValidation, TrainingQuestion> {}

/** Checks the options and adds the defaults. */
export function checkedTrainQuestionEncoderOptions(options: TrainQuestionEncoderOptions): CheckedTrainQuestionEncoderOptions {
	checkOptions('trainQuestionEncoder', options, names);
	const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
	const checked = {...defaults, ...given} as CheckedTrainQuestionEncoderOptions;
	checkTrainingOptions(checked);
	checkCount('depth', checked.depth, 1, 10_000);
	checkCount('passagesPerQuestion', checked.passagesPerQuestion, 2, 1000);
	checkedEf(checked, checked.depth);
	if (checked.onPreparation !== undefined) {
		checkInstance('onPreparation', checked.onPreparation, Function);
	}
	checkRange('readerLearningRate', checked.readerLearningRate, value => value > 0, 'a number above 0');
	checkOneOf('answerKind', checked.answerKind, ['text', 'pattern']);
	if (checked.temperature !== undefined) {
		checkRange('temperature', checked.temperature, value => value > 0, 'a number above 0');
	}
	if (checked.pooling !== undefined) {
		checkOneOf('pooling', checked.pooling, ['cls', 'mean']);
	}
	if (checked.normalize !== undefined) {
		checkBoolean('normalize', checked.normalize);
	}
	if (checked.maxTokens !== undefined) {
		checkCount('maxTokens', checked.maxTokens, 8, 1_000_000);
	}
	if (checked.reader !== undefined) {
		checkString('reader', checked.reader);
		if (checked.answerKind === 'pattern') {
			throw new RetrievalError('ERR_ARGUMENT', 'answerKind: expected text, because a reader is trained on answer spans, got pattern');
		}
	}
	for (const name of ['readerLearningRate', 'passagesPerQuestion'] as const) {
		if (options[name] !== undefined && checked.reader === undefined) {
			throw new RetrievalError('ERR_ARGUMENT', `${name}: expected the option reader, got none`);
		}
	}
	return checked;
}
