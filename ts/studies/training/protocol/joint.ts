/**
Compares joint training with training one after the other (Karpukhin et al., 2020, appendix D). Both start from the encoder of
the reference condition, whose vectors of the passages stay as they are, and from the same reader, and have the same
training questions and the same sampling of passages. Trained one after the other, the encoder stays as it is, so
that the reader always gets passages from the same lists; trained jointly, the question encoder changes in each step.
*/
import {rm} from 'node:fs/promises';
import {onPath} from '../../../core/file-system.ts';
import {yieldIfOverBudget} from '../../../core/event-loop.ts';
import type {Question, Run} from '../../../core/types.ts';
import {readTrecRun} from '../../../corpus/index.ts';
import {DenseSearcher, type FlatIndex} from '../../../dense/index.ts';
import {OnnxEncoder} from '../../../encoders/index.ts';
import {hasAnswer} from '../../../evaluation/index.ts';
import {ExtractiveReader, readRun} from '../../../reader/index.ts';
import {type TrainingExample, trainQuestionEncoder, trainReader} from '../../../training/index.ts';
import {CorpusEncoder} from '../../encoding/corpus-encoder.ts';
import {mean} from '../../statistics/mean.ts';
import {exists, readJson, runFiles, toJson, writeAtomically} from '../../storage/run-folder.ts';
import {jointNames} from '../conditions.ts';
import type {JointRow, JointStudy, JointSettings, TrainingSettings} from '../study.ts';
import type {Effectiveness} from './effectiveness.ts';
import type {PreparedDataset} from './prepared-dataset.ts';
import {type LazyEncoder, exactIndex, folders} from './trained-encoders.ts';

/** Number of questions per step, and of passages that are retrieved per question (Karpukhin et al., 2020, appendix D). */
const QUESTIONS_PER_STEP = 16;
const DEPTH = 100;
/** Numbers of the best positives and negatives from which those of a step are drawn. */
const POSITIVES = 5;
const NEGATIVES = 30;

export interface JointParts {
	readonly dataset: PreparedDataset;
	readonly settings: TrainingSettings & {readonly joint: JointSettings};
	/** The folder of the reader to start from. */
	readonly reader: string;
	/** The encoder of the reference condition. */
	readonly reference: LazyEncoder;
	/** The hits of the reference condition for the test questions. */
	readonly referenceHits: Run;
	readonly effectiveness: Effectiveness;
}

/** The stored result of a condition: steps, losses, number of training questions, and exact match per test question. */
interface StoredCondition {
	readonly training: JointRow['training'];
	readonly examples: number;
	readonly exactMatch: Readonly<Record<string, number>>;
}

/** Trains in both ways, and measures how well the encoders find passages and how many questions the readers answer. */
export async function measureJoint(parts: JointParts): Promise<JointStudy> {
	const {dataset, effectiveness, referenceHits} = parts;
	const {run, test, measures} = dataset;
	const separate = await stored(parts, jointNames.separate, async index => trainSeparately(parts, index));
	const joint = await stored(parts, jointNames.joint, async index => trainJointly(parts, index));
	const jointHits = await readTrecRun(run.path(runFiles.runs, `${jointNames.joint}.trec`), {signal: run.signal});
	const rows: JointRow[] = [];
	for (const [condition, hits, {training, examples, exactMatch}] of [
		[jointNames.separate, referenceHits, separate],
		[jointNames.joint, jointHits, joint],
	] as const) {
		const values = new Map(test.map(({id}) => [id, exactMatch[id]!]));
		const retrieved = await effectiveness.addReading(condition, hits, values);
		rows.push({condition, values: measures.map((_, i) => retrieved[i]!), exactMatch: mean([...values.values()]), examples, training});
	}
	return {rows};
}

/** Reads what is stored of a condition; if something is missing, trains, and then removes the models and the vectors. */
async function stored(
	{dataset, reference}: JointParts,
	name: string,
	train: (index: FlatIndex) => Promise<StoredCondition>,
): Promise<StoredCondition> {
	const {run} = dataset;
	const path = run.path(folders.summaries, `${name}.json`);
	const runs = name === jointNames.joint ? [run.path(runFiles.runs, `${name}.trec`)] : [];
	const vectors = run.path(folders.vectors, 'joint');
	const isStored = await Promise.all([path, ...runs].map(exists));
	if (!isStored.every(Boolean)) {
		const result = await (async () => {
			await using encoder = await reference.open();
			const {passages} = dataset.collection;
			const corpus = await CorpusEncoder.open({folder: vectors, passages, encoder, ...run.stage(`encode ${reference.condition.name}`)});
			await using index = await exactIndex(corpus, passages, reference.condition.similarity, {signal: run.signal});
			return await train(index);
		})();
		await writeAtomically(path, toJson(result));
	}
	// Also after a process that ended before it could remove them.
	await removeFolder(run.path(folders.encoders, name));
	if (name === jointNames.joint) {
		await removeFolder(vectors);
	}
	return readJson<StoredCondition>(path);
}

/** Trains the reader on passages that the encoder of the reference condition retrieves. */
async function trainSeparately(parts: JointParts, index: FlatIndex): Promise<StoredCondition> {
	const {dataset, reader, referenceHits, reference} = parts;
	const {run, training, collection} = dataset;
	await using encoder = await reference.open();
	const searcher = new DenseSearcher({encoder, index});
	const hits = await searcher.searchMany(training, {k: DEPTH, ...run.stage('search training questions')});
	const examples = retrievedExamples(training, hits, collection.passages);
	const folder = run.path(folders.encoders, jointNames.separate);
	const {signal, onProgress} = run.stage(`train ${jointNames.separate}`);
	const trained = await trainReader(examples, reader, folder, {
		...sharedOptions(parts),
		learningRate: parts.settings.learningRate,
		signal,
		onProgress: ({done, total}) => onProgress({done, total}),
	});
	return {
		training: {steps: trained.steps, losses: lossesOf(trained.epochs)},
		examples: trained.examples,
		exactMatch: await answered(parts, folder, referenceHits, jointNames.separate),
	};
}

/** Trains the question encoder together with the reader. Also stores the hits for the test questions. */
async function trainJointly(parts: JointParts, index: FlatIndex): Promise<StoredCondition> {
	const {dataset, reader, reference, settings} = parts;
	const {run, training, test, collection} = dataset;
	const folder = run.path(folders.encoders, jointNames.joint);
	const {signal, onProgress} = run.stage(`train ${jointNames.joint}`);
	// With answers alone, the positives are the retrieved passages that contain an answer, as for the reader.
	const questions = training.map(({id, text, answers}) => ({id, text, answers}));
	const trained = await trainQuestionEncoder(questions, {index, passages: collection.passages}, await reference.folder(), folder, {
		...sharedOptions(parts),
		depth: DEPTH,
		learningRate: settings.learningRate,
		reader,
		readerLearningRate: settings.learningRate,
		signal,
		onProgress: ({done, total}) => onProgress({done, total}),
	});
	const hits = await run.trecRun(jointNames.joint, async () => {
		await using encoder = await OnnxEncoder.load(trained.folder, {signal, threads: settings.threads});
		return await new DenseSearcher({encoder, index}).searchMany(test, {k: settings.depth, ...run.stage(`search ${jointNames.joint}`)});
	});
	return {
		training: {steps: trained.steps, losses: lossesOf(trained.epochs)},
		examples: trained.questions,
		exactMatch: await answered(parts, trained.readerFolder!, hits, jointNames.joint),
	};
}

function sharedOptions({settings}: JointParts) {
	const {epochs, seed, threads, joint} = settings;
	return {epochs, seed, batchSize: QUESTIONS_PER_STEP, passagesPerQuestion: joint.passagesPerQuestion, threads};
}

function lossesOf(epochs: ReadonlyArray<{readonly loss?: number}>): JointRow['training']['losses'] {
	const losses = epochs.flatMap(({loss}) => (loss === undefined ? [] : [loss]));
	return {first: losses[0]!, last: losses.at(-1)!};
}

/** Makes an example of each question from the passages that were retrieved: the first ones with an answer, and the first ones without. */
async function* retrievedExamples(
	questions: readonly Question[],
	hits: Run,
	passages: PreparedDataset['collection']['passages'],
): AsyncGenerator<TrainingExample> {
	for (const {id, text: question, answers} of questions) {
		const positives: TrainingExample['positives'][number][] = [];
		const hardNegatives: typeof positives = [];
		for (const passage of await passages.get(hits.get(id)!.map(hit => hit.id))) {
			await yieldIfOverBudget();
			const [list, limit] = hasAnswer(passage.text, answers) ? [positives, POSITIVES] : [hardNegatives, NEGATIVES];
			if (list.length < limit) {
				list.push(passage);
			}
		}
		yield {question, answers: [...answers], positives, hardNegatives, negatives: []};
	}
}

/** Reads the best passages of each test question. Returns 1 for questions whose best answer is an accepted one, and 0 for others. */
async function answered(
	{dataset, settings}: JointParts,
	folder: string,
	hits: Run,
	name: string,
): Promise<Readonly<Record<string, number>>> {
	const {run, test, collection} = dataset;
	const {passagesPerQuestion} = settings.joint;
	const {signal, onProgress} = run.stage(`read ${name}`);
	await using reader = await ExtractiveReader.load(folder, {signal, threads: settings.threads});
	const readings = await readRun(reader, test, hits, collection.passages, {depth: passagesPerQuestion, signal, onProgress});
	// Without evidence fusion, as in the paper: the reader alone selects the passage.
	const matches = await readings.exactMatch(test, {passages: [passagesPerQuestion], evidence: {beta: 1, gamma: 0}});
	return Object.fromEntries(matches.get(passagesPerQuestion)!);
}

async function removeFolder(path: string): Promise<void> {
	await onPath('remove', path, async () => rm(path, {recursive: true, force: true}));
}
