/** The options that all studies have, and their checks. */
import {checkNumber, checkString} from '../../core/checks.ts';
import {RetrievalError} from '../../core/errors.ts';
import {callNames} from '../../core/options.ts';
import type {CallOptions, Progress} from '../../core/types.ts';

/** The current stage of a study, and its progress. */
export interface StudyProgress extends Progress {
	/** Name of the stage, such as `encode`, `search dense` or `read hybrid, development`. */
	readonly stage: string;
}

/** Options that all studies have. */
export interface StudyOptions extends Omit<CallOptions, 'onProgress'> {
	/**
	The data set's name. If the paper reports results on a data set of this name, the report also shows the paper's numbers.
	@default the name of the folder or file
	*/
	readonly name?: string | undefined;
	/** Path of the corpus, if its file name does not identify it. */
	readonly corpus?: string | undefined;
	/** Path of the development questions, if their file name does not identify them. */
	readonly development?: string | undefined;
	/** Path of the test questions, if their file name does not identify them. */
	readonly test?: string | undefined;
	/** The passage encoder. @default 'minilm-encoder' */
	readonly encoder?: string | undefined;
	/** The question encoder, if it is a different model, as in DPR. @default the passage encoder */
	readonly questionEncoder?: string | undefined;
	/** A difference is significant if its corrected p-value is below this. @default 0.01 */
	readonly significance?: number | undefined;
	readonly onProgress?: ((progress: StudyProgress) => void) | undefined;
}

/** The names of `StudyOptions`, to be spread into the list of a study's options. */
export const studyOptionNames = {
	...callNames,
	name: true,
	corpus: true,
	development: true,
	test: true,
	encoder: true,
	questionEncoder: true,
	significance: true,
} as const;

/** The default encoder of all studies. */
export const DEFAULT_ENCODER = 'minilm-encoder';

/** Checks that the named options are strings, if they are given. */
export function checkStrings<Options>(options: Options, names: ReadonlyArray<keyof Options & string>): void {
	for (const name of names) {
		if (options[name] !== undefined) {
			checkString(name, options[name]);
		}
	}
}

export function checkSignificance(significance: number): void {
	checkNumber('significance', significance);
	if (significance <= 0 || significance >= 1) {
		throw new RetrievalError('ERR_ARGUMENT', `significance: expected a number between 0 and 1, got ${significance}`);
	}
}
