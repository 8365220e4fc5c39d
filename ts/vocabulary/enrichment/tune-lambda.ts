/**
Chooses the weight λ of a lexical enrichment that scores best on development questions. Cross-validation estimates the score on new
questions. e is an encoder's vector, lex the lexical vector that is added to it, and e′ = e + λ · lex the enriched vector (see
`LexicalEnrichment`).
*/
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

/** The objective that λ maximizes: the top-k accuracy for questions with answers, or a measure for queries with qrels. */
export type LambdaObjective =
	| {
			readonly questions: readonly Question[];
			/** The k of top-k accuracy: an accepted answer must be in one of the first k passages. @default 20 */
			readonly k?: number | undefined;
			/** Whether accepted answers are texts or regular expressions. @default 'text' */
			readonly answerKind?: AnswerKind | undefined;
	  }
	| {
			readonly queries: readonly Query[];
			readonly qrels: Qrels;
			readonly measure: Measure;
			/** Number of hits per query that `measure` is computed from. @default 100 */
			readonly k?: number | undefined;
	  };

/** Options of `tuneLambda`. */
export interface TuneLambdaOptions extends CallOptions {
	/** The values of λ to try. @default 0 to 1 in steps of 0.1, then 1.25, 1.5, 2 and 3 */
	readonly grid?: readonly number[] | undefined;
	/** Number of folds of the cross-validation. Each fold is measured with the λ that is best for the other folds. @default 5 */
	readonly folds?: number | undefined;
	/** Seed of the assignment of questions to folds. @default 0 */
	readonly seed?: number | undefined;
}

/** A value of λ and the score of retrieval with it. */
export interface MeasuredLambda {
	readonly lambda: number;
	/** Mean value of the objective over the questions. */
	readonly score: number;
}

/** The result of `tuneLambda`: the best λ, its score over all questions, and the cross-validation. */
export interface LambdaTuning extends MeasuredLambda {
	/** Mean score of all questions, each with the λ that is best for the folds without it: an estimate of the score on new questions. */
	readonly heldOut: number;
	/** For each fold, the λ that is best for the other folds, and the mean score in this fold with that λ. */
	readonly folds: readonly MeasuredLambda[];
	/** Every λ of the grid, in the given order, with its score over all questions. */
	readonly curve: readonly MeasuredLambda[];
}

const tuneOptions: OptionNames = optionNames<TuneLambdaOptions>({...callNames, grid: true, folds: true, seed: true});
const byQrels: OptionNames = new Set(['queries', 'qrels', 'measure', 'k']);
const byAnswers: OptionNames = new Set(['questions', 'k', 'answerKind']);

/** The default of the option `grid`. */
const GRID: readonly number[] = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25, 1.5, 2, 3];

/** Number of passages encoded in one call. */
const BATCH_SIZE = 256;

/**
Finds the weight λ of a lexical enrichment that scores best on development questions, and cross-validates the choice (Ram et al.,
2023, §6.2). `passages` is the whole corpus to search. Passages and questions are encoded once; each value of λ then needs one exact
search for all questions. The vectors are those of `enrichment.withLambda(λ)`, bit for bit. The call needs three times the memory of
the passages' vectors.

If several values score the same, the first one in the grid wins. A good λ is proportional to the length of the encoder's vectors; the
default grid is made for unit vectors. Progress counts encoded passages and questions, then questions that were searched for.

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
	const {queries, k, scoreRun} = scorerFor(objective);
	checkCount('k', k, 1);
	checkCount('folds', folds, 2);
	checkCount('seed', seed, 0);
	if (queries.length < folds) {
		throw new RetrievalError('ERR_ARGUMENT', `questions: expected at least one for each of ${folds} folds, got ${queries.length}`);
	}
	let done = 0;
	const report = async (count: number): Promise<void> => {
		done += count;
		// A total of 0 means that it is unknown: `passages` may be a stream.
		await onProgress?.({done, total: 0});
	};
	const corpus = await encodeCorpus(enrichment, passages, signal, report);
	const questions = await enrichment.parts(
		queries.map(({text}) => text),
		{signal, batchTokens: 1},
	);
	await report(queries.length);
	const scores: Array<ReadonlyMap<string, number>> = [];
	for (const lambda of lambdas) {
		await using index = await buildIndex(enrichment, corpus, lambda, signal);
		const lists = await index.searchMany(await LexicalEnrichment.combined(enrichment, questions, lambda, signal), {k, signal});
		const run: Run = new Map(queries.map(({id}, i) => [id, lists[i]!]));
		scores.push(await scoreRun(run, corpus.texts, signal));
		await report(queries.length);
	}
	return crossValidate(
		lambdas,
		scores,
		assignFolds(
			queries.map(({id}) => id),
			folds,
			seed,
		),
	);
}

/** Passages by id. */
type Texts = ReadonlyMap<string, Passage>;

/** An objective, in a form that is the same for both kinds of `LambdaObjective`. */
interface Scorer {
	/** The questions that are scored. */
	readonly queries: readonly Query[];
	/** Number of hits to retrieve per question. */
	readonly k: number;
	/** Returns the score of each question in a run, by question id. */
	readonly scoreRun: (run: Run, texts: Texts, signal?: AbortSignal) => Promise<ReadonlyMap<string, number>>;
}

/** Checks an objective and returns its scorer. Questions without answers and queries without judgments are left out. */
function scorerFor(objective: LambdaObjective): Scorer {
	checkObject('objective', objective, '{queries, qrels, measure, k?} or {questions, k?, answerKind?}');
	checkRequiredOptions('objective', objective, 'qrels' in objective ? byQrels : byAnswers);
	if ('qrels' in objective) {
		const {qrels, measure, k = 100} = objective;
		checkQueries('objective: queries', objective.queries);
		checkQrels('objective: qrels', qrels);
		return {
			queries: objective.queries.filter(({id}) => qrels.has(id)),
			k,
			async scoreRun(run, _, signal) {
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
		async scoreRun(run, texts, signal) {
			const {firstRanks} = await topKAccuracy(run, queries, texts, [k], {answerKind, signal});
			return new Map(queries.map(({id}) => [id, firstRanks.has(id) ? 1 : 0]));
		},
	};
}

/** The encoder's vectors e and the lexical vectors lex of a batch of passages. */
interface EncodedPassages {
	readonly ids: readonly string[];
	readonly vectors: Vectors;
	readonly lexical: Vectors;
}

/** All passages, encoded. */
interface EncodedCorpus {
	readonly batches: readonly EncodedPassages[];
	readonly texts: Texts;
}

/** Encodes the passages in batches. */
async function encodeCorpus(
	enrichment: LexicalEnrichment,
	passages: Iterable<Passage> | AsyncIterable<Passage>,
	signal: AbortSignal | undefined,
	report: (count: number) => Promise<void>,
): Promise<EncodedCorpus> {
	const batches: EncodedPassages[] = [];
	const texts = new Map<string, Passage>();
	let batch: Passage[] = [];
	const encodeBatch = async (): Promise<void> => {
		batches.push({ids: batch.map(({id}) => id), ...(await enrichment.parts(batch, {signal}))});
		await report(batch.length);
		batch = [];
	};
	for await (const passage of passages) {
		checkPassage(`passages[${texts.size}]`, passage);
		texts.set(passage.id, passage);
		batch.push(passage);
		if (batch.length === BATCH_SIZE) {
			await encodeBatch();
		}
	}
	await encodeBatch();
	return {batches, texts};
}

/** Builds an index of the enriched vectors e′ with weight `lambda`. */
async function buildIndex(
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
function assignFolds(ids: readonly string[], folds: number, seed: number): string[][] {
	const shuffled = ids
		.map(id => ({id, key: createHash('sha256').update(`${seed}\0${id}`).digest('hex')}))
		.sort((a, b) => (a.key < b.key ? -1 : 1));
	return Array.from({length: folds}, (_, fold) => shuffled.filter((_, i) => i % folds === fold).map(({id}) => id));
}

/**
Chooses the λ that is best for all questions, and cross-validates the choice. `scores` has one map from question ids to scores for each
of `lambdas`; `folds` has the question ids of each fold.
*/
function crossValidate(
	lambdas: readonly number[],
	scores: ReadonlyArray<ReadonlyMap<string, number>>,
	folds: readonly string[][],
): LambdaTuning {
	const mean = (index: number, ids: readonly string[]): number =>
		ids.reduce((sum, id) => sum + (scores[index]!.get(id) ?? 0), 0) / ids.length;
	const bestIndex = (ids: readonly string[]): number => {
		const means = lambdas.map((_, index) => mean(index, ids));
		return means.indexOf(Math.max(...means));
	};
	const all = folds.flat();
	const chosen = bestIndex(all);
	const heldOut = folds.map((ids, fold) => {
		const index = bestIndex(folds.filter((_, other) => other !== fold).flat());
		return {lambda: lambdas[index]!, score: mean(index, ids), count: ids.length};
	});
	return {
		lambda: lambdas[chosen]!,
		score: mean(chosen, all),
		heldOut: heldOut.reduce((sum, {score, count}) => sum + score * count, 0) / all.length,
		folds: heldOut.map(({lambda, score}) => ({lambda, score})),
		curve: lambdas.map((lambda, index) => ({lambda, score: mean(index, all)})),
	};
}
