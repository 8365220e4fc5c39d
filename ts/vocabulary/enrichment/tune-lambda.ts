/** Chooses the weight λ of a lexical enrichment by cross-validation on development questions. */
import {createHash} from 'node:crypto';
import {
	checkArray,
	checkCount,
	checkInstance,
	checkIterable,
	checkObject,
	checkPassage,
	checkQueries,
	checkQuestions,
	shown,
} from '../../core/checks.ts';
import {FlatIndex} from '../../dense/index.ts';
import {RetrievalError} from '../../core/errors.ts';
import {type AnswerKind, type Measure, evaluate, topKAccuracy} from '../../evaluation/index.ts';
import {type OptionNames, callNames, checkRequiredOptions, checkOptions, optionNames} from '../../core/options.ts';
import {checkQrels} from '../../core/native/qrels.ts';
import type {CallOptions, Passage, Qrels, Query, Question, Run, Vectors} from '../../core/types.ts';
import {LexicalEnrichment} from './lexical-enrichment.ts';

/** The objective that λ maximizes: how often the answer is among the first `k` passages, or a measure against qrels. */
export type LambdaObjective =
	| {
			readonly questions: readonly Question[];
			/** @default 20 */
			readonly k?: number | undefined;
			/** Whether accepted answers are texts or regular expressions. @default 'text' */
			readonly answerKind?: AnswerKind | undefined;
	  }
	| {
			readonly queries: readonly Query[];
			readonly qrels: Qrels;
			readonly measure: Measure;
			/** Number of hits that are measured. @default 100 */
			readonly k?: number | undefined;
	  };

export interface TuneLambdaOptions extends CallOptions {
	/** @default 0 to 1 by tenths, 1.25, 1.5, 2, 3 */
	readonly grid?: readonly number[] | undefined;
	/** Number of folds of the cross-validation. Each fold is measured with the λ that is best for the other folds. @default 5 */
	readonly folds?: number | undefined;
	/** Seed of the assignment of questions to folds. @default 0 */
	readonly seed?: number | undefined;
}

/** A λ and the score of retrieval with it. */
export interface MeasuredLambda {
	readonly lambda: number;
	/** Mean of the objective over questions. */
	readonly score: number;
}

export interface LambdaTuning extends MeasuredLambda {
	/** Mean over all questions, each measured with the λ that is best for the other folds. Expect this score for new questions. */
	readonly heldOut: number;
	/** For each fold, the λ that is best for the other folds, and its mean score in this fold. */
	readonly folds: readonly MeasuredLambda[];
	/** Every λ of the grid, in the given order, with its score over all questions. */
	readonly curve: readonly MeasuredLambda[];
}

const tuneOptions: OptionNames = optionNames<TuneLambdaOptions>({...callNames, grid: true, folds: true, seed: true});
const byQrels: OptionNames = new Set(['queries', 'qrels', 'measure', 'k']);
const byAnswers: OptionNames = new Set(['questions', 'k', 'answerKind']);

const GRID: readonly number[] = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25, 1.5, 2, 3];

/** Number of passages encoded in one call. */
const BATCH_SIZE = 256;

/**
Finds the weight λ of a lexical enrichment that scores best on development questions, and cross-validates the choice (Ram et al.,
2023, §6.2). `passages` is the whole corpus to search. Passages and questions are encoded once. Every λ costs one exact search with
the vectors of `enrichment.withLambda(λ)`, bit for bit. It needs three times the memory of the passages' vectors. If several λ score the
same, the first one in the grid wins. λ scales with the length of the encoder's vectors; the default grid is made for unit vectors.
Progress counts encoded passages and questions, then searched questions.

@example
```
const {lambda, heldOut} = await tuneLambda(enriched, passages, {questions});
const tuned = enriched.withLambda(lambda);
```
*/
export async function tuneLambda(
	enrichment: LexicalEnrichment,
	passages: Iterable<Passage> | AsyncIterable<Passage>,
	objective: LambdaObjective,
	options: TuneLambdaOptions = {},
): Promise<LambdaTuning> {
	checkInstance('tuneLambda', enrichment, LexicalEnrichment);
	checkIterable('passages', passages, 'passages');
	checkOptions('tuneLambda', options, tuneOptions);
	const {grid: lambdas = GRID, folds = 5, seed = 0, signal, onProgress} = options;
	checkArray('grid', lambdas, 'numbers of at least 0');
	if (lambdas.length === 0 || lambdas.some(lambda => typeof lambda !== 'number' || !(lambda >= 0 && lambda < Number.POSITIVE_INFINITY))) {
		throw new RetrievalError('ERR_ARGUMENT', `grid: expected numbers of at least 0, got [${lambdas.map(shown).join(', ')}]`);
	}
	const {queries, k, measured} = judge(objective);
	checkCount('k', k, 1);
	checkCount('folds', folds, 2);
	checkCount('seed', seed, 0);
	if (queries.length < folds) {
		throw new RetrievalError('ERR_ARGUMENT', `questions: expected at least one for each of ${folds} folds, got ${queries.length}`);
	}
	let done = 0;
	const report = async (count: number): Promise<void> => {
		done += count;
		await onProgress?.({done, total: 0});
	};
	const corpus = await encoded(enrichment, passages, signal, report);
	const questions = await enrichment.parts(
		queries.map(({text}) => text),
		{signal, batchTokens: 1},
	);
	await report(queries.length);
	const scores: Array<ReadonlyMap<string, number>> = [];
	for (const lambda of lambdas) {
		await using index = await indexed(enrichment, corpus, lambda, signal);
		const lists = await index.searchMany(await LexicalEnrichment.combined(enrichment, questions, lambda, signal), {k, signal});
		const run: Run = new Map(queries.map(({id}, i) => [id, lists[i]!]));
		scores.push(await measured(run, corpus.texts, signal));
		await report(queries.length);
	}
	return crossValidated(
		lambdas,
		scores,
		parts(
			queries.map(({id}) => id),
			folds,
			seed,
		),
	);
}

type Texts = ReadonlyMap<string, Passage>;

interface Judge {
	readonly queries: readonly Query[];
	readonly k: number;
	readonly measured: (run: Run, texts: Texts, signal?: AbortSignal) => Promise<ReadonlyMap<string, number>>;
}

/** Selects the questions that count, and returns the function that scores each of them in a run. */
function judge(objective: LambdaObjective): Judge {
	checkObject('objective', objective, '{queries, qrels, measure, k?} or {questions, k?, answerKind?}');
	checkRequiredOptions('objective', objective, 'qrels' in objective ? byQrels : byAnswers);
	if ('qrels' in objective) {
		const {qrels, measure, k = 100} = objective;
		checkQueries('objective: queries', objective.queries);
		checkQrels('objective: qrels', qrels);
		return {
			queries: objective.queries.filter(({id}) => qrels.has(id)),
			k,
			async measured(run, _, signal) {
				const {perQuery} = await evaluate(run, qrels, [measure], {signal});
				return new Map([...perQuery].map(([id, values]) => [id, values[measure]!]));
			},
		};
	}
	const {k = 20, answerKind} = objective;
	checkQuestions('objective: questions', objective.questions);
	const queries = objective.questions.filter(question => question.answers.length > 0);
	return {
		queries,
		k,
		async measured(run, texts, signal) {
			const {firstRanks} = await topKAccuracy(run, queries, texts, [k], {answerKind, signal});
			return new Map(queries.map(({id}) => [id, firstRanks.has(id) ? 1 : 0]));
		},
	};
}

/** The two summands of the enriched vectors of some passages. */
interface EncodedPassages {
	readonly ids: readonly string[];
	readonly vectors: Vectors;
	readonly lexical: Vectors;
}

interface EncodedCorpus {
	readonly batches: readonly EncodedPassages[];
	readonly texts: Texts;
}

async function encoded(
	enrichment: LexicalEnrichment,
	passages: Iterable<Passage> | AsyncIterable<Passage>,
	signal: AbortSignal | undefined,
	report: (count: number) => Promise<void>,
): Promise<EncodedCorpus> {
	const batches: EncodedPassages[] = [];
	const texts = new Map<string, Passage>();
	let batch: Passage[] = [];
	const put = async (): Promise<void> => {
		batches.push({ids: batch.map(({id}) => id), ...(await enrichment.parts(batch, {signal}))});
		await report(batch.length);
		batch = [];
	};
	for await (const passage of passages) {
		checkPassage(`passages[${texts.size}]`, passage);
		texts.set(passage.id, passage);
		batch.push(passage);
		if (batch.length === BATCH_SIZE) {
			await put();
		}
	}
	await put();
	return {batches, texts};
}

/** Builds an index of the enriched vectors e′ with weight `lambda`. */
async function indexed(
	enrichment: LexicalEnrichment,
	{batches}: EncodedCorpus,
	lambda: number,
	signal: AbortSignal | undefined,
): Promise<FlatIndex> {
	const index = new FlatIndex({dim: enrichment.dim});
	for (const {ids, ...parts} of batches) {
		await index.add(ids, await LexicalEnrichment.combined(enrichment, parts, lambda, signal), {signal});
	}
	return index;
}

/** Divides the questions into folds of nearly equal size. The folds depend only on the seed and the ids, not on the order. */
function parts(ids: readonly string[], folds: number, seed: number): string[][] {
	const drawn = ids
		.map(id => ({id, key: createHash('sha256').update(`${seed}\0${id}`).digest('hex')}))
		.sort((a, b) => (a.key < b.key ? -1 : 1));
	return Array.from({length: folds}, (_, fold) => drawn.filter((_, i) => i % folds === fold).map(({id}) => id));
}

function crossValidated(
	lambdas: readonly number[],
	scores: ReadonlyArray<ReadonlyMap<string, number>>,
	folds: readonly string[][],
): LambdaTuning {
	const mean = (at: number, ids: readonly string[]): number => ids.reduce((sum, id) => sum + (scores[at]!.get(id) ?? 0), 0) / ids.length;
	const best = (ids: readonly string[]): number => {
		const means = lambdas.map((_, at) => mean(at, ids));
		return means.indexOf(Math.max(...means));
	};
	const all = folds.flat();
	const chosen = best(all);
	const held = folds.map((ids, fold) => {
		const at = best(folds.filter((_, other) => other !== fold).flat());
		return {lambda: lambdas[at]!, score: mean(at, ids), count: ids.length};
	});
	return {
		lambda: lambdas[chosen]!,
		score: mean(chosen, all),
		heldOut: held.reduce((sum, {score, count}) => sum + score * count, 0) / all.length,
		folds: held.map(({lambda, score}) => ({lambda, score})),
		curve: lambdas.map((lambda, at) => ({lambda, score: mean(at, all)})),
	};
}
