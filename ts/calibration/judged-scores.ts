/** Combines runs with relevance judgments: the scores that temperatures are fitted to, and the selection of the best models. */
import {checkArray, checkCount, checkString} from '../core/checks.ts';
import {RetrievalError} from '../core/errors.ts';
import {callNative, native} from '../core/native/native.ts';
import {type OptionNames, callNames, checkOptions, optionNames} from '../core/options.ts';
import {checkQrels, nativeQrels} from '../core/native/qrels.ts';
import {checkRun, nativeRun} from '../core/native/runs.ts';
import type {CallOptions, Qrels, Run, Vectors} from '../core/types.ts';

/** The results of a model for the queries that have relevance judgments, in the order of the judgments. */
export interface JudgedScores {
	/** Query ids. */
	readonly queries: readonly string[];
	/** `[queries, depth]`: the best scores of each query, padded with −Infinity if there are fewer than `depth`. */
	readonly scores: Vectors;
	/** For each query, whether its best hit is relevant, that is, has a grade above 0. */
	readonly correct: readonly boolean[];
}

/** The options of `judgedScores`. */
export type JudgedScoresOptions = CallOptions & {
	/** Number of best scores per query: k in Yang et al. (2023, §3.2), where these scores are called A_k. @default 30 */
	readonly depth?: number | undefined;
	/**
	The best phrases of the model, from whose scores its confidence is computed: see `PhraseSearcher.searchManyWithPhrases`.
	@default the run itself
	*/
	readonly phrases?: Run | undefined;
};

const scoresOptions: OptionNames = optionNames<JudgedScoresOptions>({...callNames, depth: true, phrases: true});

/**
Returns the data that `fitTemperature` and `fitFusionTemperature` need: for each query with relevance judgments, its best scores and whether
its best hit is relevant. A query with judgments that is not in the run has no scores, and its best hit counts as not relevant. Queries
without judgments are ignored. Fails with `ERR_ARGUMENT` if no query with judgments is in the run. Progress is not reported.

@example
```
const {run, phrases} = await sentences.searchManyWithPhrases(questions);
const {scores, correct} = await judgedScores(run, await readQrels('qrels.txt'), {phrases});
const {temperature} = await fitTemperature(scores, correct);
```
*/
export async function judgedScores(run: Run, qrels: Qrels, options: JudgedScoresOptions = {}): Promise<JudgedScores> {
	checkOptions('judgedScores', options, scoresOptions);
	const {depth = 30, phrases = run} = options;
	checkCount('depth', depth, 1);
	checkRun('phrases', phrases);
	checkQrels('qrels', qrels);
	const handle = await nativeRun(run);
	const phrasesHandle = phrases === run ? handle : await nativeRun(phrases);
	const judgments = await nativeQrels(qrels, options.signal);
	const {queries, scores, correct} = await callNative(options, () => native.judgedScores(handle, phrasesHandle, judgments, depth));
	return {queries, scores: {data: scores, rows: queries.length, dim: depth}, correct: Array.from(correct, Boolean)};
}

/** A model and its run. */
export interface ModelRun {
	readonly name: string;
	readonly run: Run;
}

/** The options of `selectModels`. */
export type SelectModelsOptions = CallOptions & {
	/** Maximum number of models to return. @default 3 */
	readonly count?: number | undefined;
};

const selectOptions: OptionNames = optionNames<SelectModelsOptions>({...callNames, count: true});

/**
Returns the models with the highest accuracy, best first. Accuracy is the share of queries with relevance judgments for which the first hit
has a grade above 0. Models with equal accuracy keep their order. Yang et al. (2023, §3.2) fuse the three best models. Each returned object
is the given model with its `accuracy`. Use development questions, not the test questions that measure the fusion.

@example
```
const best = await selectModels([{name: 'M0', run: passages}, {name: 'M1', run: sentences}, {name: 'M3', run: threes}, {name: 'M5', run: fives}], qrels);
best.map(({name, accuracy}) => [name, accuracy]);
//=> [['M1', 0.534], ['M0', 0.483], ['M5', 0.47]]
```
*/
export async function selectModels<M extends ModelRun>(
	models: readonly M[],
	qrels: Qrels,
	options: SelectModelsOptions = {},
): Promise<Array<M & {readonly accuracy: number}>> {
	checkArray('models', models, '{name, run}');
	checkOptions('selectModels', options, selectOptions);
	const {count = 3, signal} = options;
	checkCount('count', count, 1);
	if (models.length === 0) {
		throw new RetrievalError('ERR_ARGUMENT', 'models: expected at least one {name, run}, got none');
	}
	const judged: Array<M & {readonly accuracy: number}> = [];
	for (const [i, model] of models.entries()) {
		checkString(`models[${i}]: name`, model?.name);
		const {correct} = await judgedScores(model.run, qrels, {depth: 1, signal});
		judged.push({...model, accuracy: correct.filter(Boolean).length / correct.length});
	}
	return judged.toSorted((a, b) => b.accuracy - a.accuracy).slice(0, count);
}
