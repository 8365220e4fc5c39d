/**
Reads the questions of a study, and hashes its inputs: the files of its data set and its encoders. Writes nothing.
*/
import {basename, resolve} from 'node:path';
import {packageVersion} from '../../core/native/addon.ts';
import {RetrievalError} from '../../core/errors.ts';
import type {Question} from '../../core/types.ts';
import {runtimeVersion} from '../../onnx/runtime-library.ts';
import type {DatasetFiles} from '../dataset/files.ts';
import {questionsOf} from '../dataset/questions.ts';
import {type StudyInput, type StudyModel, hashedFile, hashedModel, sha256} from '../storage/inputs.ts';
import {DEFAULT_ENCODER, type StudyOptions} from './options.ts';

/** The inputs of a study. */
export interface StudyInputs {
	readonly files: DatasetFiles;
	/** The questions of each file in `files.questions`. */
	readonly questions: ReadonlyArray<readonly Question[]>;
	readonly corpus: {readonly sha256: string};
	/** The question files, each with the number of questions that are used. */
	readonly questionFiles: readonly StudyInput[];
	readonly encoder: StudyModel;
	/** Missing if the passage encoder encodes questions as well. */
	readonly questionEncoder?: StudyModel;
}

export interface InputOptions extends Pick<StudyOptions, 'encoder' | 'questionEncoder' | 'signal'> {
	/** Maximum number of questions for each question file; `undefined` for all. */
	readonly limits: ReadonlyArray<number | undefined>;
	/** Which questions without answers are left out: see `QuestionsOptions`. */
	readonly answers: 'required' | 'preferred';
	/** Property of JSON questions with the ids of their gold passages: see `QuestionsOptions`. */
	readonly goldField?: string | undefined;
}

export async function readInputs(files: DatasetFiles, options: InputOptions): Promise<StudyInputs> {
	const {encoder = DEFAULT_ENCODER, questionEncoder, limits, answers, goldField, signal} = options;
	const questions: Array<readonly Question[]> = [];
	const questionFiles: StudyInput[] = [];
	for (const [i, path] of files.questions.entries()) {
		const list = await questionsOf(path, {limit: limits[i], answers, goldField}, signal);
		questions.push(list);
		questionFiles.push(await hashedFile(path, list.length, signal));
	}
	checkDifferent(files.questions, questions);
	return {
		files,
		questions,
		questionFiles,
		corpus: {sha256: await sha256(files.corpus, signal)},
		encoder: await hashedModel(encoder, signal),
		...(questionEncoder === undefined ? {} : {questionEncoder: await hashedModel(questionEncoder, signal)}),
	};
}

/** The versions of the software, which belong to the configuration of every run. */
export interface SoftwareVersions {
	readonly passagekit: string;
	/**
	The version of `onnxruntime-node`; `null` if the user has named a different ONNX Runtime library, and `'none'` if there is none.
	*/
	readonly onnxruntime: string | null;
}

export function softwareVersions(): SoftwareVersions {
	const version = runtimeVersion();
	return {passagekit: packageVersion(), onnxruntime: version === undefined ? 'none' : version};
}

/** Returns the default name of a data set: the name of its folder or file, without extensions. */
export const datasetName = (dataset: string): string => basename(resolve(dataset)).replace(/(?:\.\w+)+$/u, '');

/**
Fails with `ERR_FORMAT` if at least half of the questions of one file are also in the other, or if they are one file. A few
questions may be in both: some published data sets have such questions.
*/
function checkDifferent(paths: readonly string[], lists: ReadonlyArray<readonly Question[]>): void {
	const [first, second] = lists;
	if (first === undefined || second === undefined) {
		return;
	}
	const [firstTexts, secondTexts] = [first, second].map(list => new Set(list.map(({text}) => text))) as [Set<string>, Set<string>];
	const shared = [...secondTexts].filter(text => firstTexts.has(text)).length;
	const smaller = Math.min(firstTexts.size, secondTexts.size);
	if (paths[0] === paths[1] || 2 * shared >= smaller) {
		throw new RetrievalError(
			'ERR_FORMAT',
			`${paths[1]}: expected other questions than in ${paths[0]}, which are used for tuning or training, got ${shared} of ${smaller} that are in both`,
		);
	}
}
