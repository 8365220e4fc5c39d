/**
Mines the training examples of a data set, once for all conditions, and stores them in the folder of the study run. Each
condition reads the examples that it needs from the file.
*/
import {yieldIfOverBudget} from '../../../core/event-loop.ts';
import type {Question} from '../../../core/types.ts';
import {
	type MiningProgress,
	type MiningStatistics,
	type StreamMiningOptions,
	type TrainingExample,
	type TrainingQuestion,
	mineTrainingExamples,
	readTrainingExamples,
	writeTrainingExamples,
} from '../../../training/index.ts';
import {exists, makeFolder, readJson, toJson, writeAtomically} from '../../storage/run-folder.ts';
import {NEGATIVES_PER_QUESTION, type ExampleSet, type TrainingCondition} from '../conditions.ts';
import type {ExampleCounts} from '../study.ts';
import type {PreparedDataset} from './prepared-dataset.ts';

/** The folder of the examples, in the folder of the study run, and its files. */
const folder = 'examples';
const files = {all: 'examples.jsonl.gz', distant: 'distant.jsonl.gz', summary: 'examples.json'} as const;

/** What is known about the mined examples. */
export interface MinedExamples extends ExampleCounts {
	/** Positions, among all examples, of those for which distant supervision finds a positive. Missing without Table 5. */
	readonly comparable?: readonly number[];
}

export interface ExampleOptions {
	readonly seed: number;
	/** Whether to mine the examples of Table 5 as well. */
	readonly supervision: boolean;
}

/** Mines the examples of a data set, unless they are in its folder. */
export async function minedExamples(dataset: PreparedDataset, options: ExampleOptions): Promise<MinedExamples> {
	const {run} = dataset;
	const summary = run.path(folder, files.summary);
	if (!(await exists(summary))) {
		await makeFolder(run.path(folder));
		// Written last: if this file exists, the other files are complete.
		await writeAtomically(summary, toJson(await mineAll(dataset, options)));
	}
	return readJson<MinedExamples>(summary);
}

async function mineAll(dataset: PreparedDataset, {seed, supervision}: ExampleOptions): Promise<MinedExamples> {
	const questions = dataset.training.map(question => trainingQuestion(question, dataset));
	const negatives = {hardNegatives: NEGATIVES_PER_QUESTION, randomNegatives: NEGATIVES_PER_QUESTION, goldNegatives: NEGATIVES_PER_QUESTION};
	const {statistics, ids, positives} = await mineTo(dataset, files.all, questions, {...negatives, seed});
	const mined = {
		count: statistics.examples,
		positives: statistics.positives,
		dropped: statistics.questions - statistics.examples,
		missing: statistics.missing,
	};
	const known = new Set(ids);
	const labeled = questions.filter(({id, answers, positives, context}) => known.has(id) && answers?.length && (positives ?? context));
	if (!supervision || labeled.length === 0) {
		return mined;
	}
	const distant = await mineTo(dataset, files.distant, labeled, {positives: 'answers', hardNegatives: NEGATIVES_PER_QUESTION, seed});
	const positions = new Map(ids.map((id, i) => [id, i]));
	const comparable = distant.ids.map(id => positions.get(id)!);
	const same = comparable.filter((position, i) => positives[position]!.some(id => distant.positives[i]!.includes(id))).length;
	return {...mined, supervision: {count: comparable.length, same}, comparable};
}

/** Returns a question with its positives, if there are relevance judgments. */
function trainingQuestion(question: Question, {judged: {judgments, corpus}, qrels}: PreparedDataset): TrainingQuestion {
	if (judgments.from !== 'qrels') {
		return question;
	}
	const relevant = [...(qrels.get(question.id) ?? [])].filter(([id, grade]) => grade > 0 && corpus.ids.has(id));
	return {...question, positives: relevant.sort(([, a], [, b]) => b - a).map(([id]) => id)};
}

/** Examples in a file. */
interface MinedFile {
	readonly statistics: MiningStatistics;
	/** The ids of the questions of the examples. */
	readonly ids: readonly string[];
	/** The ids of the positives of each example. */
	readonly positives: ReadonlyArray<readonly string[]>;
}

/** Mines the examples of questions and writes them to a file. */
async function mineTo(
	{run, collection, answerKind}: PreparedDataset,
	file: string,
	questions: readonly TrainingQuestion[],
	options: StreamMiningOptions,
): Promise<MinedFile> {
	const {signal} = run;
	let statistics: MiningStatistics | undefined;
	const positives: string[][] = [];
	const mined = mineTrainingExamples(questions, collection.passages, {
		...options,
		answerKind,
		bm25: collection.bm25,
		signal,
		onProgress: ({stage, ...progress}: MiningProgress) => run.stage(`mine ${stage}`).onProgress(progress),
		onStatistics(result) {
			statistics = result;
		},
	});
	async function* withPositives(): AsyncGenerator<TrainingExample> {
		for await (const example of mined) {
			positives.push(example.positives.map(({id}) => id!));
			yield example;
		}
	}
	await writeTrainingExamples(run.path(folder, file), withPositives(), {signal});
	const dropped = new Set(Object.values(statistics!.dropped).flat());
	return {statistics: statistics!, ids: questions.map(({id}) => id).filter(id => !dropped.has(id)), positives};
}

/** Returns the number of examples of a set. */
export const exampleCount = ({count, comparable}: MinedExamples, set: ExampleSet): number => (set === 'all' ? count : comparable!.length);

/**
Reads the examples of a condition from the files. `order` is a permutation of the positions of all examples: a condition
with n of them has those at the first n positions of the permutation, so that the subsets of Figure 1 are nested.
*/
export async function* conditionExamples(
	{run}: PreparedDataset,
	mined: MinedExamples,
	condition: TrainingCondition,
	order: readonly number[],
): AsyncGenerator<TrainingExample> {
	const {exampleSet, examples, negatives} = condition;
	const used = exampleSet === 'gold' ? new Set(mined.comparable) : examples < mined.count ? new Set(order.slice(0, examples)) : undefined;
	let position = 0;
	const path = run.path(folder, exampleSet === 'distant' ? files.distant : files.all);
	for await (const example of readTrainingExamples(path, {signal: run.signal})) {
		await yieldIfOverBudget();
		if (exampleSet === 'distant' || used === undefined || used.has(position)) {
			yield {...example, negatives: otherNegatives(example, negatives?.from)};
		}
		position += 1;
	}
}

/** Returns the random or the gold negatives of an example: the file has the random ones first. */
function otherNegatives({negatives}: TrainingExample, from: NonNullable<TrainingCondition['negatives']>['from'] | undefined) {
	return from === 'random' ? negatives.slice(0, NEGATIVES_PER_QUESTION) : from === 'gold' ? negatives.slice(NEGATIVES_PER_QUESTION) : [];
}
