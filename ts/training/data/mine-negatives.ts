/** Mines training examples: questions with positive and negative passages of a corpus. */
import {checkFunction, checkIterable} from '../../core/checks.ts';
import {RetrievalError} from '../../core/errors.ts';
import {yieldIfOverBudget} from '../../core/event-loop.ts';
import {native} from '../../core/native/native.ts';
import {checkOptions} from '../../core/options.ts';
import {MiningCorpus} from './mining-corpus.ts';
import {
	type CheckedMiningOptions,
	type MiningOptions,
	type MiningPassages,
	type StreamMiningOptions,
	type TrainingQuestion,
	checkTrainingQuestion,
	checkedMiningOptions,
	miningOptions,
} from './mining-options.ts';
import {MiningCounts, type MiningStatistics} from './mining-statistics.ts';
import {ExampleMaker} from './negatives.ts';
import {type QuestionWithPositives, findPositives} from './positives.ts';
import type {TrainingExample} from './training-example.ts';

/** The result of `mineNegatives`. */
export interface MinedNegatives {
	/** The examples, in the order of the questions. Questions without a positive are missing; see `statistics.dropped`. */
	readonly examples: readonly TrainingExample[];
	readonly statistics: MiningStatistics;
}

/** Number of questions that are searched for in one call. Copying them and their results takes well under a millisecond each. */
const BATCH_SIZE = 128;

/**
Makes training examples for a dense retriever from questions and a corpus, as DPR does (Karpukhin et al., 2020, §3.2 and §4.2): finds the
positives of each question, and selects negatives. By default, an example has one hard negative: the best BM25 hit that does not contain an
answer.

A passage never becomes a negative of a question if it is one of its positives, contains one of its answers, or has the text of a positive or
almost the same text. Such a passage would probably be a false negative. Questions without a positive in the corpus are dropped; the
statistics say which, and why. They also say how many negatives are missing, and how many candidates were rejected.

Passages from a file, a folder or an iterable are written to a temporary folder; a large corpus is better stored once with
`PassageStore.ingest`, and indexed once with `Bm25Index.build` (see `bm25`). The same inputs, options and seed give the same examples.
`mineTrainingExamples` does the same and yields the examples one by one. Fails with `ERR_DUPLICATE_ID` if two questions have the same id.

@example
```
const {examples, statistics} = await mineNegatives(readQuestions('./train.jsonl'), './psgs_w100.tsv.gz', {hardNegatives: 2});
console.log(`${examples.length} of ${statistics.questions} questions`);
```
*/
export async function mineNegatives(
	questions: Iterable<TrainingQuestion> | AsyncIterable<TrainingQuestion>,
	passages: MiningPassages,
	options: MiningOptions = {},
): Promise<MinedNegatives> {
	checkOptions('mineNegatives', options, miningOptions);
	const examples: TrainingExample[] = [];
	let statistics: MiningStatistics | undefined;
	const onStatistics = (result: MiningStatistics): void => {
		statistics = result;
	};
	for await (const example of mineTrainingExamples(questions, passages, {...options, onStatistics})) {
		examples.push(example);
	}
	return {examples, statistics: statistics!};
}

/**
Does the same as `mineNegatives`, but yields the examples as they are made, so that they need not be in memory together. The questions are.
*/
export async function* mineTrainingExamples(
	questions: Iterable<TrainingQuestion> | AsyncIterable<TrainingQuestion>,
	passages: MiningPassages,
	options: StreamMiningOptions = {},
): AsyncGenerator<TrainingExample, void, undefined> {
	checkIterable('questions', questions, '{id, text}');
	const checked = checkedMiningOptions(options);
	if (checked.onProgress !== undefined) {
		checkFunction('onProgress', checked.onProgress);
	}
	const {signal, onProgress} = checked;
	signal?.throwIfAborted();
	const counts = new MiningCounts();
	const corpus = await MiningCorpus.open(passages, checked);
	try {
		const found = await allPositives(questions, corpus, checked, counts);
		const gold = checked.goldNegatives === 0 ? undefined : await goldPassages(found);
		const maker = new ExampleMaker(corpus, checked, counts, gold);
		for (let from = 0; from < found.length; from += BATCH_SIZE) {
			signal?.throwIfAborted();
			const batch = found.slice(from, from + BATCH_SIZE);
			const examples = await maker.examples(batch);
			await onProgress?.({stage: 'negatives', done: from + batch.length, total: found.length});
			yield* examples;
		}
	} finally {
		await corpus[Symbol.asyncDispose]();
	}
	await checked.onStatistics?.(counts.statistics());
}

/** Finds the positives of all questions. */
async function allPositives(
	questions: Iterable<TrainingQuestion> | AsyncIterable<TrainingQuestion>,
	corpus: MiningCorpus,
	options: CheckedMiningOptions,
	counts: MiningCounts,
): Promise<QuestionWithPositives[]> {
	const {signal, onProgress} = options;
	const found: QuestionWithPositives[] = [];
	const ids = new Set<string>();
	let batch: TrainingQuestion[] = [];
	const flush = async (): Promise<void> => {
		found.push(...(await findPositives(batch, corpus, options, counts)));
		batch = [];
		await onProgress?.({stage: 'positives', done: counts.questions, total: 0});
	};
	for await (const question of questions) {
		signal?.throwIfAborted();
		await yieldIfOverBudget();
		checkTrainingQuestion(`questions[${counts.questions}]`, question);
		if (ids.has(question.id)) {
			throw new RetrievalError('ERR_DUPLICATE_ID', `questions: expected distinct ids, got "${question.id}" twice`);
		}
		ids.add(question.id);
		counts.questions += 1;
		batch.push(question);
		if (batch.length === BATCH_SIZE) {
			await flush();
		}
	}
	await flush();
	return found;
}

/** Copies the distinct positives of all questions to the addon, in slices. */
async function goldPassages(questions: readonly QuestionWithPositives[]): Promise<InstanceType<typeof native.PassageIds>> {
	const gold = new native.PassageIds();
	const seen = new Set<string>();
	for (let from = 0; from < questions.length; from += BATCH_SIZE) {
		await yieldIfOverBudget();
		const added = questions.slice(from, from + BATCH_SIZE).flatMap(({positives}) => positives.filter(id => !seen.has(id)));
		const distinct = [...new Set(added)];
		distinct.forEach(id => seen.add(id));
		gold.add(distinct);
	}
	return gold;
}
