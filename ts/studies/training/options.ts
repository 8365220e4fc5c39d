/** The options of the training study, their defaults and their checks. */
import {availableParallelism} from 'node:os';
import {checkArray, checkBoolean, checkCount, checkNumber, checkString} from '../../core/checks.ts';
import {RetrievalError} from '../../core/errors.ts';
import {type OptionNames, callNames, optionNames} from '../../core/options.ts';
import type {AnswerKind} from '../../core/types.ts';
import type {NamedTrainingFiles} from '../dataset/files.ts';
import {type JudgedStudyOptions, checkJudgedOptions} from '../engine/judged-study.ts';
import {checkStrings} from '../engine/options.ts';
import type {TrainingSettings} from './study.ts';

/** The options of `studyTraining`. */
export interface TrainingStudyOptions extends Omit<JudgedStudyOptions, 'development' | 'questionEncoder'>, NamedTrainingFiles {
	/** Path of the training questions, if their file name does not identify them. */
	readonly train?: string | undefined;
	/** The model that every training starts from. @default 'minilm-encoder' */
	readonly encoder?: string | undefined;
	/** Property of JSON questions that has the id of the gold positive, or an array of ids, in all data sets. @default none */
	readonly goldField?: string | undefined;
	/**
	Whether accepted answers are texts or, as in CuratedTREC, Python regular expressions, which may match anywhere in a passage. `pattern` cannot
	be combined with `reader`, because a reader is trained on answer spans.
	@default 'text'
	*/
	readonly answerKind?: AnswerKind | undefined;
	/** Maximum number of training questions, taken at equal intervals. @default all */
	readonly maxTrainingQuestions?: number | undefined;
	/** Maximum number of test questions, taken at equal intervals. @default all */
	readonly maxQuestions?: number | undefined;
	/** Number of passes over the training examples. The paper has up to 40, or 100 for small data sets. @default 5 */
	readonly epochs?: number | undefined;
	/** Number of questions per step, except in Table 3. @default 32 */
	readonly batchSize?: number | undefined;
	/** The highest learning rate. The paper has 1e-5. @default 2e-5 */
	readonly learningRate?: number | undefined;
	/** Maximum number of tokens per input. @default as the model is configured, else 256 */
	readonly maxTokens?: number | undefined;
	/**
	Numbers of training examples for Figure 1. The number of all examples is added; numbers that are not below it, or that are
	below the batch size, are left out.
	@default [1000, 2000, 5000, 10000, 20000]
	*/
	readonly examples?: readonly number[] | undefined;
	/** Whether to compare training schemes (Table 3). @default true */
	readonly schemes?: boolean | undefined;
	/** Whether to vary the number of training examples (Figure 1). @default true */
	readonly curve?: boolean | undefined;
	/** Whether to compare gold positives with distant supervision, if the data set has gold positives (Table 5). @default true */
	readonly supervision?: boolean | undefined;
	/** Whether to compare similarities and losses (Table 6). @default true */
	readonly similarities?: boolean | undefined;
	/**
	Folders or files of other data sets on which the trained encoder is measured, too (Table 2). For each data set with
	training questions, one encoder is trained on it, and one more is trained on all data sets. @default none
	*/
	readonly transfer?: readonly string[] | undefined;
	/**
	Names of the data sets in `transfer` whose accepted answers are regular expressions. The name of a data set is that of its folder or file, without
	extensions. @default none
	*/
	readonly transferPatterns?: readonly string[] | undefined;
	/**
	A reader, or an encoder that becomes one. If it is given, the study compares joint training of the question encoder and the reader with
	training them separately (appendix D). Training and test questions then need answers. @default none
	*/
	readonly reader?: string | undefined;
	/** Number of passages per question that readers get in a step, and that they read to answer a test question. @default 24 */
	readonly passagesPerQuestion?: number | undefined;
	/**
	Number of threads, which is recorded. The same seed and number of threads give the same results on one machine. @default the number of
	cores
	*/
	readonly threads?: number | undefined;
}

export const trainingOptionNames: OptionNames = optionNames<TrainingStudyOptions>({
	...callNames,
	name: true,
	corpus: true,
	queries: true,
	train: true,
	test: true,
	qrels: true,
	encoder: true,
	significance: true,
	seed: true,
	maxQuestions: true,
	goldField: true,
	answerKind: true,
	maxTrainingQuestions: true,
	epochs: true,
	batchSize: true,
	learningRate: true,
	maxTokens: true,
	examples: true,
	schemes: true,
	curve: true,
	supervision: true,
	similarities: true,
	transfer: true,
	transferPatterns: true,
	reader: true,
	passagesPerQuestion: true,
	threads: true,
});

/** The cut-offs k of top-k accuracy. */
export const cutOffs = [1, 5, 20, 100];

/** The default of `passagesPerQuestion`, which is the paper's number. */
export const DEFAULT_PASSAGES = 24;

/** The defaults that the command line shows. */
export const studyDefaults = {epochs: 5, batchSize: 32, learningRate: 2e-5, examples: [1000, 2000, 5000, 10_000, 20_000]} as const;

/** Checks the options, except the paths of files, and returns those that determine what is measured. */
export function checkedTrainingSettings(options: TrainingStudyOptions): TrainingSettings {
	checkStrings(options, ['name', 'encoder', 'goldField', 'reader']);
	const {seed, significance, answers} = checkJudgedOptions(options);
	const {schemes = true, curve = true, supervision = true, similarities = true, transfer = []} = options;
	const parts = {schemes, curve, supervision, similarities};
	for (const [name, value] of Object.entries(parts)) {
		checkBoolean(name, value);
	}
	const {epochs, batchSize, learningRate, examples} = {...studyDefaults, ...given(options)};
	const {maxTrainingQuestions = null, maxQuestions = null, maxTokens = null, threads = availableParallelism(), goldField = null} = options;
	checkCount('epochs', epochs, 1, 1_000_000);
	// A batch of one question has no in-batch negatives.
	checkCount('batchSize', batchSize, 2, 16_384);
	checkOptionalCount('maxTrainingQuestions', maxTrainingQuestions, 2);
	checkOptionalCount('maxTokens', maxTokens, 8, 1_000_000);
	checkCount('threads', threads, 1, 10_000);
	checkNumber('learningRate', learningRate);
	if (!(learningRate > 0)) {
		throw new RetrievalError('ERR_ARGUMENT', `learningRate: expected a number above 0, got ${learningRate}`);
	}
	const {reader, passagesPerQuestion = DEFAULT_PASSAGES} = options;
	checkCount('passagesPerQuestion', passagesPerQuestion, 2, 100);
	if (options.passagesPerQuestion !== undefined && reader === undefined) {
		throw new RetrievalError('ERR_ARGUMENT', 'passagesPerQuestion: expected the option reader, got none');
	}
	const {transferPatterns = []} = options;
	if (options.answerKind === 'pattern' && reader !== undefined) {
		throw new RetrievalError('ERR_ARGUMENT', 'answerKind: expected text, because a reader is trained on answer spans, got pattern');
	}
	for (const [name, values] of Object.entries({transfer, transferPatterns})) {
		checkArray(name, values, name === 'transfer' ? 'paths of data sets' : 'names of data sets');
		for (const [i, value] of values.entries()) {
			checkString(`${name}[${i}]`, value);
		}
	}
	return {
		seed,
		epochs,
		batchSize,
		learningRate,
		maxTokens,
		threads,
		examples: checkedExamples(examples),
		parts,
		maxTrainingQuestions,
		maxQuestions,
		goldField,
		...(answers && {answers}),
		...(transferPatterns.length > 0 && {transferPatterns: [...new Set(transferPatterns)].toSorted()}),
		joint: reader === undefined ? null : {passagesPerQuestion},
		depth: Math.max(...cutOffs),
		significance,
	};
}

function checkedExamples(examples: unknown): readonly number[] {
	checkArray('examples', examples, 'numbers of training examples');
	const counts: number[] = [];
	for (const [i, count] of examples.entries()) {
		checkCount(`examples[${i}]`, count, 2);
		counts.push(count);
	}
	if (new Set(counts).size < counts.length) {
		throw new RetrievalError('ERR_ARGUMENT', `examples: expected each number once, got ${counts.join(', ')}`);
	}
	return counts.toSorted((a, b) => a - b);
}

function checkOptionalCount(name: string, value: number | null, min: number, max?: number): void {
	if (value !== null) {
		checkCount(name, value, min, max);
	}
}

/** Returns the options that are not `undefined`. */
function given({
	epochs,
	batchSize,
	learningRate,
	examples,
}: TrainingStudyOptions): Partial<Pick<TrainingSettings, 'epochs' | 'batchSize' | 'learningRate' | 'examples'>> {
	return Object.fromEntries(Object.entries({epochs, batchSize, learningRate, examples}).filter(([, value]) => value !== undefined));
}
