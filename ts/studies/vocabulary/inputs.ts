/** What a study is made of: files and models, read and hashed before anything is written. */
import {basename, resolve} from 'node:path';
import {packageVersion} from '../../core/native/addon.ts';
import {checkBoolean, checkCount, checkNumber, checkString} from '../../core/checks.ts';
import {RetrievalError} from '../../core/errors.ts';
import {resolveModel} from '../../models/index.ts';
import {findRuntimeLibrary} from '../../onnx/runtime-library.ts';
import {type OptionNames, callNames, checkOptions, optionNames} from '../../core/options.ts';
import {type Counted, type Model, named, sha256} from '../storage/inputs.ts';
import {type DatasetFiles, type NamedFiles, datasetFiles, fileNames, questionsOf} from '../dataset/files.ts';
import type {CallOptions, Progress, Question} from '../../core/types.ts';
import {defaultHead} from '../../vocabulary/projection/default-head.ts';
import {paperLearningRate} from '../../vocabulary/enrichment/learning-rate.ts';
import {MAX_STEPS} from '../../vocabulary/enrichment/token-vectors.ts';
import {modelTypeOf} from '../../vocabulary/projection/vocabulary-projection.ts';
import {MIN_GROUP} from './findings/claim-tests.ts';
import type {VocabularyConfiguration} from './configuration.ts';
import {type VocabularySettings, vocabularyStudyFormat} from './study.ts';

export interface VocabularyStudyOptions extends NamedFiles, Omit<CallOptions, 'onProgress'> {
	/** The data set's name. @default the folder's or file's name */
	readonly name?: string | undefined;
	/** Of passages. @default 'minilm-encoder' */
	readonly encoder?: string | undefined;
	/** Of questions, as DPR has one. @default that of passages */
	readonly questionEncoder?: string | undefined;
	/** The model with the masked-language-model head of the encoder's initialisation. @default 'minilm-mlm-head' for 'minilm-encoder', else the encoder's folder */
	readonly head?: string | undefined;
	/** The encoder's initialisation, as an encoder. @default static embeddings of the head */
	readonly baseline?: string | undefined;
	/** Whether lexical enrichment is studied: its single-token enrichments take up to an hour, once for each head. @default true */
	readonly enrichment?: boolean | undefined;
	/** Adam's learning rate for single-token enrichments. @default those of the paper: 0.001 for heads of MPNet, else 0.01 */
	readonly learningRate?: number | undefined;
	/** Maximum number of steps of single-token enrichments. @default 100 */
	readonly maxSteps?: number | undefined;
	/** Questions used of each file, spread over it. @default all */
	readonly maxQuestions?: number | undefined;
	/** What development questions are drawn by. @default 42 */
	readonly seed?: number | undefined;
	/** A difference counts with a corrected p below this. @default 0.01 */
	readonly significance?: number | undefined;
	readonly onProgress?: ((progress: VocabularyStudyProgress) => void) | undefined;
}

const studyOptions: OptionNames = optionNames<VocabularyStudyOptions>({
	...callNames,
	...fileNames,
	name: true,
	encoder: true,
	questionEncoder: true,
	head: true,
	baseline: true,
	enrichment: true,
	learningRate: true,
	maxSteps: true,
	maxQuestions: true,
	seed: true,
	significance: true,
});

/** What is being done, and how far it is. */
export interface VocabularyStudyProgress extends Progress {
	/** Such as `encode`, `search dense` or `project encoder`. */
	readonly stage: string;
}

/** Cut-offs of accuracy. */
export const cutOffs = [1, 5, 20, 100];

/** λ tried, as lengths of lexical vectors beside the encoder's. */
const LAMBDAS = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25, 1.5, 2, 3];

export interface VocabularyStudyInputs {
	readonly files: DatasetFiles;
	/** Questions of each file. */
	readonly lists: readonly (readonly Question[])[];
	/** As they were named. */
	readonly models: {
		readonly encoder: string;
		readonly questionEncoder: string | undefined;
		readonly head: string;
		readonly baseline: string | undefined;
	};
	readonly configuration: VocabularyConfiguration;
}

export async function studyInputs(dataset: string, options: VocabularyStudyOptions): Promise<VocabularyStudyInputs> {
	checkString('dataset', dataset);
	checkOptions('studyVocabulary', options, studyOptions);
	for (const what of ['name', 'encoder', 'questionEncoder', 'head', 'baseline'] as const) {
		if (options[what] !== undefined) {
			checkString(what, options[what]);
		}
	}
	const {encoder = 'minilm-encoder', questionEncoder, baseline, enrichment = true, signal} = options;
	checkBoolean('enrichment', enrichment);
	const head = options.head ?? defaultHead(encoder);
	const files = await datasetFiles(dataset, options);
	const settings = checkedSettings(options, await modelTypeOf(await resolveModel(head, {signal})));
	const lists: Question[][] = [];
	for (const path of files.questions) {
		lists.push(await questionsOf(path, options.maxQuestions ?? Infinity, signal));
	}
	const questions = lists.flat();
	if (new Set(questions.map(({id}) => id)).size < questions.length) {
		throw new RetrievalError('ERR_FORMAT', `${dataset}: expected development and test questions of distinct ids, got some in both`);
	}
	const model = async (model: string): Promise<Model> => ({
		name: named(model),
		sha256: await sha256(await resolveModel(model, {signal}), signal),
	});
	const questionFiles: Counted[] = [];
	for (const [i, path] of files.questions.entries()) {
		questionFiles.push({count: lists[i]!.length, name: basename(path), sha256: await sha256(path, signal)});
	}
	const version = packageVersion();
	const configuration: VocabularyConfiguration = {
		format: vocabularyStudyFormat,
		dataset: options.name ?? basename(resolve(dataset)).replace(/(?:\.\w+)+$/u, ''),
		passagekit: version,
		onnxruntime: findRuntimeLibrary().version ?? null,
		corpus: {sha256: await sha256(files.corpus, signal)},
		questions: questionFiles,
		qrels: files.qrels === undefined ? null : {sha256: await sha256(files.qrels, signal)},
		encoder: await model(encoder),
		...(questionEncoder === undefined ? {} : {questionEncoder: await model(questionEncoder)}),
		head: await model(head),
		baseline: baseline === undefined ? {kind: 'static'} : {kind: 'encoder', ...(await model(baseline))},
		enrichment,
		settings,
	};
	return {files, lists, models: {encoder, questionEncoder, head, baseline}, configuration};
}

function checkedSettings(options: VocabularyStudyOptions, modelType: string | undefined): VocabularySettings {
	const {seed = 42, significance = 0.01, maxQuestions = 2, enrichment = true} = options;
	const {learningRate = paperLearningRate(modelType), maxSteps = MAX_STEPS} = options;
	checkCount('seed', seed, 0);
	checkCount('maxQuestions', maxQuestions, 2);
	checkCount('maxSteps', maxSteps, 1);
	checkNumber('learningRate', learningRate);
	if (learningRate <= 0) {
		throw new RetrievalError('ERR_ARGUMENT', `learningRate: expected a number above 0, got ${learningRate}`);
	}
	checkNumber('significance', significance);
	if (significance <= 0 || significance >= 1) {
		throw new RetrievalError('ERR_ARGUMENT', `significance: expected a number between 0 and 1, got ${significance}`);
	}
	return {
		seed,
		depth: Math.max(...cutOffs),
		sparseDepth: 5,
		bounds: [5, 20, 100],
		minGroup: MIN_GROUP,
		learningRate,
		maxSteps,
		lambdas: enrichment ? LAMBDAS : [],
		significance,
	};
}
