/** Reads the inputs of a training study: those of its own data set, and those of the other data sets. */
import {resolve} from 'node:path';
import {RetrievalError} from '../../../core/errors.ts';
import type {AnswerKind} from '../../../core/types.ts';
import {type DatasetFiles, datasetFiles, testableFiles} from '../../dataset/files.ts';
import {joinedQuestions} from '../../dataset/questions.ts';
import {datasetName, readInputs} from '../../engine/inputs.ts';
import type {JudgedInputs} from '../../engine/judged-study.ts';
import {DEFAULT_ENCODER} from '../../engine/options.ts';
import {type StudyModel, modelName, sha256, trainingModel} from '../../storage/inputs.ts';
import {type TrainingStudyOptions, checkedTrainingSettings} from '../options.ts';
import type {TrainingSettings} from '../study.ts';

/** The inputs of a training study, with its settings. */
export interface TrainingStudyInputs extends JudgedInputs {
	readonly settings: TrainingSettings;
	/** The folder of the model that training starts from. */
	readonly model: string;
	/** The reader that training starts from, and its folder; only with the option `reader`. */
	readonly reader?: {readonly folder: string; readonly model: StudyModel};
	/** The other data sets, without an encoder of their own. */
	readonly transfer: readonly JudgedInputs[];
}

export async function readTrainingInputs(dataset: string, options: TrainingStudyOptions): Promise<TrainingStudyInputs> {
	const settings = checkedTrainingSettings(options);
	const {name = datasetName(dataset), transfer = [], transferPatterns = [], encoder = DEFAULT_ENCODER, signal} = options;
	const names = transfer.map(datasetName);
	const unknown = transferPatterns.find(other => !names.includes(other));
	if (unknown !== undefined) {
		throw new RetrievalError(
			'ERR_ARGUMENT',
			`transferPatterns: expected names of data sets in transfer (${names.join(', ') || 'none'}), got ${unknown}`,
		);
	}
	const files = await datasetFiles(dataset, options, 'train');
	// Resolved once, so that the model whose files are hashed is the one that training starts from.
	const model = await trainingModel(encoder, signal);
	const inputs = await trainingInputs(dataset, name, files, model, options, options.answerKind);
	const others: JudgedInputs[] = [];
	for (const path of transfer) {
		const other = datasetName(path);
		if ([inputs, ...others].some(({name}) => name === other)) {
			throw new RetrievalError('ERR_ARGUMENT', `transfer: expected data sets with distinct names, got ${other} twice at ${resolve(path)}`);
		}
		const answerKind = transferPatterns.includes(other) ? 'pattern' : 'text';
		others.push(await trainingInputs(path, other, await testableFiles(path), model, options, answerKind));
	}
	const reader = options.reader === undefined ? undefined : await readerInput(options.reader, signal);
	return {...inputs, ...(reader && {reader}), encoder: {...inputs.encoder, name: modelName(encoder)}, settings, model, transfer: others};
}

async function readerInput(reader: string, signal: AbortSignal | undefined): Promise<NonNullable<TrainingStudyInputs['reader']>> {
	const folder = await trainingModel(reader, signal);
	return {folder, model: {name: modelName(reader), sha256: await sha256(folder, signal)}};
}

async function trainingInputs(
	dataset: string,
	name: string,
	files: DatasetFiles,
	model: string,
	{goldField, maxTrainingQuestions, maxQuestions, signal}: TrainingStudyOptions,
	answerKind: AnswerKind = 'text',
): Promise<JudgedInputs> {
	// A single list is shortened after it was split.
	const limits = files.questions.length === 2 ? [maxTrainingQuestions, maxQuestions] : [undefined];
	const inputs = await readInputs(files, {encoder: model, limits, answers: 'preferred', goldField, signal});
	return {
		...inputs,
		name,
		answerKind,
		allQuestions: joinedQuestions(dataset, inputs.questions),
		qrels: files.qrels === undefined ? null : {sha256: await sha256(files.qrels, signal)},
		...(files.trainingQrels !== undefined && {trainingQrels: {sha256: await sha256(files.trainingQrels, signal)}}),
	};
}
