/** Prepares a data set for a training study: its passages, its training and test questions, and how runs are measured. */
import type {Collection} from '../../../collection/index.ts';
import type {AnswerKind, Qrels, Question, Run} from '../../../core/types.ts';
import {atEqualIntervals, splitByJudgments} from '../../dataset/questions.ts';
import {type RelevanceSource, goldPassages} from '../../dataset/relevance.ts';
import {type SplitBy, splitDataset} from '../../dataset/split.ts';
import {type JudgedInputs, type JudgedPassages, judgePassages} from '../../engine/judged-study.ts';
import type {StudyRun} from '../../engine/study-run.ts';
import {type MeasuredQuestions, measuresByAnswers, measuresByQrels} from '../../statistics/measures.ts';
import {cutOffs} from '../options.ts';
import type {TrainingSettings} from '../study.ts';

/** A data set whose questions are split and whose relevant passages are known. */
export interface PreparedDataset {
	readonly name: string;
	/** Whether accepted answers are texts or regular expressions. */
	readonly answerKind: AnswerKind;
	/** The folder and the progress of this data set's stages. */
	readonly run: StudyRun;
	readonly collection: Collection;
	readonly judged: JudgedPassages;
	/** Empty if the data set is only for testing. */
	readonly training: readonly Question[];
	readonly test: readonly Question[];
	readonly split: SplitBy;
	/** Number of questions without a relevant passage in the corpus. */
	readonly without: number;
	/** Relevance judgments of training and test questions. */
	readonly qrels: Qrels;
	/** Which passages count as relevant when a run is measured. */
	readonly measuredBy: RelevanceSource;
	readonly measures: readonly string[];
	measure(run: Run): Promise<MeasuredQuestions>;
}

/** Share of a single list of questions that become training questions. */
const TRAINING_SHARE = 2 / 3;

export interface PrepareOptions {
	readonly settings: TrainingSettings;
	/** Whether all questions of a single list are test questions. */
	readonly testsOnly: boolean;
}

/** Judges the passages of a collection and splits the questions. Questions without a relevant passage are left out. */
export async function prepareDataset(
	run: StudyRun,
	inputs: JudgedInputs,
	collection: Collection,
	{settings, testsOnly}: PrepareOptions,
): Promise<PreparedDataset> {
	const {answerKind} = inputs;
	const judged = await judgePassages(run, inputs, collection);
	const {corpus, judgments} = judged;
	const gold = goldPassages(judgments.qrels, corpus.ids);
	const lists = await questionLists(inputs, testsOnly, run.signal);
	const {split, questions} = splitDataset(lists, gold, corpus.titles, settings.seed, {
		name: 'training',
		share: TRAINING_SHARE,
		mayLack: testsOnly,
	});
	const questionOf = new Map(questions.map(question => [question.id, question]));
	const questionsOf = (ids: readonly string[], limit: number | null): readonly Question[] =>
		atEqualIntervals(ids, limit ?? Infinity).map(id => questionOf.get(id)!);
	// The questions that are not test questions are training questions here.
	const training = questionsOf(split.development, settings.maxTrainingQuestions);
	const test = questionsOf(split.test, settings.maxQuestions);
	const used = new Set([...training, ...test].map(({id}) => id));
	const qrels: Qrels = new Map([...judgments.qrels].filter(([id]) => used.has(id)));
	const measuredBy = measuredByOf(judgments.from, test);
	const testIds = new Set(test.map(({id}) => id));
	const {signal} = run;
	const {measures, measure} =
		measuredBy === 'answers'
			? measuresByAnswers(test, collection.passages, cutOffs, {answerKind, signal})
			: measuresByQrels(new Map([...qrels].filter(([id]) => testIds.has(id))), cutOffs, false, {signal});
	return {
		name: inputs.name,
		answerKind,
		run,
		collection,
		judged,
		training,
		test,
		split: split.by,
		without: inputs.allQuestions.length - questions.length,
		qrels,
		measuredBy,
		measures,
		measure,
	};
}

/**
Returns one list of questions, which is to be split, or the lists of training and of test questions. A single list is split
by the files of judgments if there is one for training questions. Else, if the data set is only for testing, all questions of
a single list are test questions.
*/
async function questionLists(
	{questions, files}: JudgedInputs,
	testsOnly: boolean,
	signal: AbortSignal | undefined,
): Promise<ReadonlyArray<readonly Question[]>> {
	if (questions.length === 2) {
		return questions;
	}
	const all = questions[0]!;
	if (files.trainingQrels !== undefined) {
		return splitByJudgments(all, files.trainingQrels, files.qrels!, signal);
	}
	return testsOnly ? [[], all] : [all];
}

/**
Returns which passages count as relevant. As in the paper, these are the passages with an accepted answer, unless there
are relevance judgments, or some questions have no answers.
*/
function measuredByOf(from: RelevanceSource, test: readonly Question[]): RelevanceSource {
	return from !== 'qrels' && test.every(({answers}) => answers.length > 0) ? 'answers' : from;
}
