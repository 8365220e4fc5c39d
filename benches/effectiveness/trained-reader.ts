/*
Trains a reader further, in two stages, and compares it with the reader that it starts from. A stopped run is continued.

1. The reader is trained on questions about training articles of SQuAD, with their answers.
2. This reader answers other questions, for which the data set `squad-train` has no answers, only the passage and the sentence that answer them.
   It reads only that sentence, and answers with a score of at least `MIN_SCORE` become accepted answers (self-training). Then it is trained
   further on both kinds of questions.
*/
import {join} from 'node:path';
import {appendFile, mkdir, readFile} from 'node:fs/promises';
import {sharedFile} from '../../test/support/shared.ts';
import {Collection} from '../../ts/collection/index.ts';
import {packageRoot} from '../../ts/core/native/addon.ts';
import type {Question} from '../../ts/core/types.ts';
import {readPassages} from '../../ts/corpus/index.ts';
import {pairedTest} from '../../ts/evaluation/index.ts';
import {ExtractiveReader, readRun} from '../../ts/reader/index.ts';
import {mean} from '../../ts/studies/statistics/mean.ts';
import {exists} from '../../ts/studies/storage/run-folder.ts';
import {
	type TrainingExample,
	type TrainingQuestion,
	mineNegatives,
	readTrainingExamples,
	trainReader,
	writeTrainingExamples,
} from '../../ts/training/index.ts';
import {seededRandom, shuffled} from '../../ts/training/run/random-order.ts';
import type {Benchmark} from '../support/benchmark.ts';
import {linesOf} from '../support/json-lines.ts';
import {type ArticleQuestion, questionsByArticles} from './squad-articles.ts';

const settings = {epochs: 1, passagesPerQuestion: 3, maxTokens: 224} as const;
/** Minimum score of an answer that is accepted. It is the probability of the answer in its sentence. */
const MIN_SCORE = 0.9;
/** Number of passages that are read per test question, and the weights γ of retrieval scores in evidence fusion; 0 turns evidence fusion off. */
const DEPTH = 20;
const GAMMAS = [0, 5, 10, 15];
/** Number of questions after which results are stored. */
const STORED_TOGETHER = 50;

/** A line of `squad-train`. */
interface UnansweredQuestion {
	readonly id: string;
	readonly question: string;
	readonly passage: string;
	readonly sentence: string;
}

export const trainedReader: Benchmark = async say => {
	const [squad, squadTrain, init] = [
		['data', 'squad'],
		['data', 'squad-train'],
		['models', 'minilm-reader'],
	].map(path => sharedFile(...path));
	if (squad === undefined || squadTrain === undefined || init === undefined) {
		throw new Error('the benchmark of trained readers needs the shared data sets and models');
	}
	const cache = join(packageRoot, 'benches', '.cache', 'trained-reader');
	const file = (name: string): string => join(cache, name);
	await mkdir(cache, {recursive: true});
	const {train, dev, test} = await questionsByArticles(squad);

	const [trainFile, devFile] = [file('train.jsonl.gz'), file('dev.jsonl.gz')];
	await mineOnce(trainFile, async () => mineArticles(squad, train, 20));
	await mineOnce(devFile, async () =>
		mineArticles(
			squad,
			dev.filter((_, i) => i % 3 === 0),
			7,
		),
	);
	const first = await trainReader(readTrainingExamples(trainFile), init, file('reader-1'), {
		...settings,
		dev: readTrainingExamples(devFile),
		learningRate: 3e-5,
	});
	say(`${first.examples} questions with answers; trained`);

	const selfFile = file('self.jsonl.gz');
	await mineOnce(selfFile, async () => mineAnswered(squadTrain, first.folder));
	const second = await trainReader(both(trainFile, selfFile), first.folder, file('reader-2'), {
		...settings,
		dev: readTrainingExamples(devFile),
		learningRate: 5e-5,
		precision: 'int8-reduced',
	});
	say(`${second.examples} questions with answers, found ones included; trained`);

	const matches = await compare(squad, cache, {before: init, after: second.folder}, test, say);
	const rows: Record<string, object> = {};
	for (const gamma of GAMMAS) {
		const [after, before] = [matches.get(`after ${gamma}`)!, matches.get(`before ${gamma}`)!];
		const [meanAfter, meanBefore] = [mean(after.values()), mean(before.values())];
		const tested = await pairedTest(after, before);
		rows[`γ=${gamma}`] = {before: meanBefore, after: meanAfter, ...tested};
		say(`  γ ${gamma}: exact match ${meanBefore.toFixed(4)} before, ${meanAfter.toFixed(4)} after (p ${tested.p.toExponential(1)})`);
	}
	const validation = [first.epochs[0], first.epochs[1], second.epochs[1]].map(epoch => epoch!.validation);
	return {dataset: 'SQuAD', examples: [first.examples, second.examples], validation, testQuestions: test.length, depth: DEPTH, rows};
};

/** Writes examples to a file, unless it is there. */
async function mineOnce(path: string, mine: () => Promise<readonly TrainingExample[]>): Promise<void> {
	if (!(await exists(path))) {
		await writeTrainingExamples(path, await mine());
	}
}

/** Mines examples from the passages of 100 words. The positive is the passage that corresponds to the paragraph of the question. */
async function mineArticles(
	squad: string,
	questions: readonly ArticleQuestion[],
	hardNegatives: number,
): Promise<readonly TrainingExample[]> {
	const paragraphs = new Map<string, {readonly text: string; readonly title?: string | undefined}>();
	for await (const {id, text, title} of readPassages(join(squad, 'paragraphs.squad-dev.tsv.gz'))) {
		paragraphs.set(id, {text, title});
	}
	const withContext = questions.map(({paragraph, ...question}) => ({...question, context: paragraphs.get(paragraph)}) as TrainingQuestion);
	return (await mineNegatives(withContext, join(squad, 'psgs_w100.squad-dev.tsv.gz'), {hardNegatives})).examples;
}

/** Answers questions with a reader from the sentences that answer them, and mines examples from those with a good answer. */
async function mineAnswered(squadTrain: string, reader: string): Promise<readonly TrainingExample[]> {
	const questions = await linesOf<UnansweredQuestion>(join(squadTrain, 'questions.jsonl.gz'));
	await using model = await ExtractiveReader.load(reader);
	const answered: TrainingQuestion[] = [];
	for (const {id, question, passage, sentence} of questions) {
		const [answer] = await model.read(question, [{id, text: sentence, score: 1}], {k: 1});
		if (answer !== undefined && answer.score >= MIN_SCORE) {
			answered.push({id, text: question, answers: [answer.text], positives: [passage]});
		}
	}
	return (await mineNegatives(answered, join(squadTrain, 'passages.tsv.gz'), {hardNegatives: 10})).examples;
}

async function* both(...files: readonly string[]): AsyncGenerator<TrainingExample, void, undefined> {
	for (const file of files) {
		yield* readTrainingExamples(file);
	}
}

/**
Answers the test questions with both readers, from the passages of the hybrid retriever. Returns the exact matches by reader and γ. The questions
are in random order, so that the results of an unfinished run are those of a random sample.
*/
async function compare(
	squad: string,
	cache: string,
	folders: Readonly<Record<'before' | 'after', string>>,
	questions: readonly Question[],
	say: (line: string) => void,
): Promise<ReadonlyMap<string, ReadonlyMap<string, number>>> {
	const folder = join(cache, 'collection');
	if (!(await exists(join(folder, 'passagekit.json')))) {
		await (await Collection.build(join(squad, 'psgs_w100.squad-dev.tsv.gz'), folder, {dense: 'flat'})).close();
	}
	await using collection = await Collection.open(folder);
	const searcher = await collection.searcher('hybrid');
	const stored = join(cache, 'matches.jsonl');
	const matches = new Map<string, Map<string, number>>();
	const add = ([name, id, match]: readonly [string, string, number]): void => {
		const of = matches.get(name) ?? new Map<string, number>();
		matches.set(name, of.set(id, match));
	};
	if (await exists(stored)) {
		const lines = (await readFile(stored, 'utf8')).trim().split('\n');
		lines.flatMap(line => JSON.parse(line) as Array<[string, string, number]>).forEach(add);
	}
	await using before = await ExtractiveReader.load(folders.before);
	await using after = await ExtractiveReader.load(folders.after);
	const done = matches.get(`after ${GAMMAS[0]!}`);
	const left = shuffled(questions, seededRandom(1), questions.length).filter(({id}) => !done?.has(id));
	for (let from = 0; from < left.length; from += STORED_TOGETHER) {
		const slice = left.slice(from, from + STORED_TOGETHER);
		const run = await searcher.searchMany(slice, {k: DEPTH});
		const found: Array<[string, string, number]> = [];
		for (const [name, reader] of Object.entries({before, after})) {
			const readings = await readRun(reader, slice, run, collection.passages, {depth: DEPTH});
			for (const gamma of GAMMAS) {
				const byDepth = await readings.exactMatch(slice, {passages: [DEPTH], evidence: {beta: 1, gamma}});
				found.push(...[...byDepth.get(DEPTH)!].map(([id, match]): [string, string, number] => [`${name} ${gamma}`, id, match]));
			}
		}
		found.forEach(add);
		await appendFile(stored, `${JSON.stringify(found)}\n`);
		say(`  ${questions.length - left.length + from + slice.length} of ${questions.length} test questions`);
	}
	return matches;
}
