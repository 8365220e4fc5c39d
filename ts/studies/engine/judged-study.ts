/**
What the phrase study, the vocabulary study and the training study share: they need to know which passages are relevant
for a question, which is what "judged" means in the names below. These functions read the inputs, determine the relevant passages, and
split the questions into development and test questions.
*/
import {basename} from 'node:path';
import {checkCount, checkOneOf} from '../../core/checks.ts';
import type {AnswerKind, Qrels, Query, Question, Run} from '../../core/types.ts';
import type {Collection} from '../../collection/index.ts';
import {type CorpusStatistics, corpusStatistics} from '../dataset/corpus-statistics.ts';
import {type NamedFiles, datasetFiles} from '../dataset/files.ts';
import {joinedQuestions} from '../dataset/questions.ts';
import {type RelevanceJudgments, SUPERVISION_DEPTH, judgeRelevance} from '../dataset/relevance.ts';
import {type QuestionSplit, splitDataset} from '../dataset/split.ts';
import {type Measures, measuresByAnswers, measuresByQrels} from '../statistics/measures.ts';
import {type StudyInput, sha256} from '../storage/inputs.ts';
import {type StudyInputs, datasetName, readInputs, softwareVersions} from './inputs.ts';
import {type StudyOptions, checkSignificance, studyOptionNames} from './options.ts';
import type {StudyRun} from './study-run.ts';

export interface JudgedStudyOptions extends StudyOptions, NamedFiles {
	/** Maximum number of questions from each file, taken at equal intervals. @default all */
	readonly maxQuestions?: number | undefined;
	/** Seed of everything that is drawn at random, such as development questions. @default 42 */
	readonly seed?: number | undefined;
	/**
	Whether accepted answers are texts or, as in CuratedTREC, Python regular expressions, which may match anywhere in a passage.
	@default 'text'
	*/
	readonly answerKind?: AnswerKind | undefined;
}

/** The names of `JudgedStudyOptions`, to be spread into the list of a study's options. */
export const judgedOptionNames = {
	...studyOptionNames,
	queries: true,
	qrels: true,
	maxQuestions: true,
	seed: true,
	answerKind: true,
} as const;

/** The inputs of a study with relevance judgments. */
export interface JudgedInputs extends StudyInputs {
	/** The data set's name. */
	readonly name: string;
	/** Whether accepted answers are texts or regular expressions. */
	readonly answerKind: AnswerKind;
	/** The questions of all files together. */
	readonly allQuestions: readonly Question[];
	/** The hash of the file of relevance judgments; `null` if there is none. */
	readonly qrels: {readonly sha256: string} | null;
	/** The hash of the file with the judgments of training questions, if it is not the same. */
	readonly trainingQrels?: {readonly sha256: string};
}

export async function readJudgedInputs(dataset: string, options: JudgedStudyOptions): Promise<JudgedInputs> {
	const {maxQuestions, answerKind = 'text', signal} = options;
	const files = await datasetFiles(dataset, options);
	const inputs = await readInputs(files, {...options, limits: files.questions.map(() => maxQuestions), answers: 'preferred'});
	return {
		...inputs,
		name: options.name ?? datasetName(dataset),
		answerKind,
		allQuestions: joinedQuestions(dataset, inputs.questions),
		qrels: files.qrels === undefined ? null : {sha256: await sha256(files.qrels, signal)},
	};
}

/** The settings that the phrase study, the vocabulary study and the training study have in common. */
export interface JudgedSettings {
	/** Seed of everything that is drawn at random. */
	readonly seed: number;
	/** A difference is significant if its corrected p-value is below this. */
	readonly significance: number;
	/** `pattern` if accepted answers are regular expressions, as in CuratedTREC; missing if they are texts. */
	readonly answers?: 'pattern';
}

/** Checks the options that all of these studies have. `maxQuestions` has no default: the 2 only makes the check pass if the option is missing. */
export function checkJudgedOptions({
	seed = 42,
	maxQuestions = 2,
	significance = 0.01,
	answerKind = 'text',
}: JudgedStudyOptions): JudgedSettings {
	checkCount('seed', seed, 0);
	checkCount('maxQuestions', maxQuestions, 2);
	checkSignificance(significance);
	checkOneOf('answerKind', answerKind, ['text', 'pattern']);
	return {seed, significance, ...(answerKind === 'pattern' && {answers: answerKind})};
}

/** Returns the part of the configuration that describes the software and the inputs. */
export function judgedConfiguration(inputs: JudgedInputs): object {
	const {name, corpus, questionFiles, qrels, trainingQrels, encoder, questionEncoder} = inputs;
	return {
		dataset: name,
		...softwareVersions(),
		corpus,
		questions: questionFiles,
		qrels,
		...(trainingQrels && {trainingQrels}),
		encoder,
		...(questionEncoder && {questionEncoder}),
	};
}

/** The passages of a data set, with the relevant ones of all questions. */
export interface JudgedPassages {
	readonly corpus: CorpusStatistics;
	readonly judgments: RelevanceJudgments;
}

/** A data set after BM25 has searched it and relevant passages are known. */
export interface JudgedDataset extends JudgedPassages {
	/** BM25's hits for all questions. */
	readonly bm25: Run;
}

/**
Searches with BM25 for all questions, and determines which passages are relevant. The hits are stored under `bm25Name`.
*/
export async function judgeDataset(
	run: StudyRun,
	inputs: JudgedInputs,
	collection: Collection,
	{bm25Name, depth}: {readonly bm25Name: string; readonly depth: number},
): Promise<JudgedDataset> {
	const bm25 = await run.search(bm25Name, () => collection.bm25, {queries: inputs.allQuestions, k: depth});
	return {bm25, ...(await judgePassages(run, inputs, collection))};
}

/**
Determines which passages are relevant for all questions. If relevance depends on answers, BM25 searches for distant
supervision (see `judgeByAnswers`).
*/
export async function judgePassages(
	run: StudyRun,
	{files, allQuestions, answerKind}: Pick<JudgedInputs, 'files' | 'allQuestions' | 'answerKind'>,
	{passages, bm25}: Collection,
): Promise<JudgedPassages> {
	const corpus = await corpusStatistics(passages, run.signal);
	const searchForSupervision = async (queries: readonly Query[]): Promise<Run> =>
		run.search('supervision', () => bm25, {queries, k: SUPERVISION_DEPTH});
	const judgments = await judgeRelevance(
		[files.trainingQrels, files.qrels].filter(path => path !== undefined),
		allQuestions,
		searchForSupervision,
		passages,
		corpus.ids,
		{answerKind, ...run.stage('look for answers')},
	);
	return {corpus, judgments};
}

/** Development and test questions, with their relevant passages. */
export interface JudgedQuestions {
	readonly split: QuestionSplit;
	/** Development and test questions together. */
	readonly questions: readonly Question[];
	/** Relevance judgments of these questions. */
	readonly qrels: Qrels;
}

/**
Splits the questions into development and test questions. `gold` maps question ids to passage ids; questions without a
gold passage are left out.
*/
export function splitJudged(
	{questions: lists}: JudgedInputs,
	{corpus, judgments}: JudgedDataset,
	gold: ReadonlyMap<string, string>,
	seed: number,
): JudgedQuestions {
	const {split, questions} = splitDataset(lists, gold, corpus.titles, seed);
	const ids = new Set(questions.map(({id}) => id));
	return {split, questions, qrels: new Map([...judgments.qrels].filter(([id]) => ids.has(id)))};
}

/**
Returns the measures for rankings of the whole corpus, with the cut-offs `ks`: by answers if these determine relevance,
else by judgments. `ndcg` says whether nDCG is among the latter.
*/
export function corpusMeasures(
	{from}: RelevanceJudgments,
	{questions, qrels}: JudgedQuestions,
	{passages}: Collection,
	{
		ks,
		ndcg,
		answerKind,
		signal,
	}: {
		readonly ks: readonly number[];
		readonly ndcg: boolean;
		readonly answerKind: AnswerKind;
		readonly signal: AbortSignal | undefined;
	},
): Measures {
	return from === 'answers' ? measuresByAnswers(questions, passages, ks, {answerKind, signal}) : measuresByQrels(qrels, ks, ndcg, {signal});
}

/**
Returns the file of relevance judgments, with the number of judged questions, for the results of a study; undefined if
there is none.
*/
export function qrelsInput({files, qrels}: JudgedInputs, {qrels: used}: Pick<JudgedQuestions, 'qrels'>): StudyInput | undefined {
	return files.qrels === undefined || qrels === null ? undefined : {count: used.size, name: basename(files.qrels), ...qrels};
}
