import {checkArray, checkCount, checkString} from '../core/checks.ts';
import {RetrievalError} from '../core/errors.ts';
import {callNative, native} from '../core/native/native.ts';
import {type OptionNames, callNames, checkOptions, optionNames} from '../core/options.ts';
import {checkQrels, nativeQrels} from '../core/native/qrels.ts';
import {checkRun, nativeRun} from '../core/native/runs.ts';
import type {CallOptions, Qrels, Run, Vectors} from '../core/types.ts';

/** The results of a model for judged queries, in the order of the judgments. */
export interface JudgedScores {
	/** Query ids. */
	readonly queries: readonly string[];
	/** `[queries, depth]`: the best scores, −Infinity if there are fewer. */
	readonly scores: Vectors;
	/** Whether the best hit is relevant: has a grade above 0. */
	readonly correct: readonly boolean[];
}

export type JudgedScoresOptions = CallOptions & {
	/** Number of top scores used per query: the k of A_k. @default 30 */
	readonly depth?: number | undefined;
	/**
	The run of the model's best phrases, whose scores A_k holds (Yang et al., 2023, §3.2): see
	`PhraseSearcher.searchManyWithPhrases`. @default the run itself
	*/
	readonly phrases?: Run | undefined;
};

const scoresOptions: OptionNames = optionNames<JudgedScoresOptions>({...callNames, depth: true, phrases: true});

/**
Returns what `fitTemperature` and `fitFusionTemperature` need for a run: the best scores of each judged query, and whether its
best hit is relevant. A query that is not in the run has no scores and counts as wrong; at least one judged query must be in
the run. Queries without judgments are ignored. Progress is not reported.

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

export type SelectModelsOptions = CallOptions & {
	/** Maximum number of models to return. @default 3 */
	readonly count?: number | undefined;
};

const selectOptions: OptionNames = optionNames<SelectModelsOptions>({...callNames, count: true});

/**
Returns the models whose best hit is relevant most often, best first; ties keep their order (Yang et al., 2023, §3.2: fusion of the
top three models). Each is what was given with its `accuracy`, the share of judged queries whose best hit has a grade above
0. Use development questions, not those that the fusion is measured on.

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
