import {checkCount, checkObject} from '../core/checks.ts';
import {type OptionNames, callNames, checkRequiredOptions, checkOptions, optionNames} from '../core/options.ts';
import {type AnswerKind, type Measure, type PassageTexts, evaluate} from '../evaluation/index.ts';
import type {CallOptions, Qrels, Question, Run} from '../core/types.ts';
import {fuse} from './fuse.ts';
import {type HybridGrid, type HybridTuning, bestOf, gridNames} from './grid.ts';
import {JudgedLists} from './judged-lists.ts';

/** How a weight is scored: by how often the first `k` passages contain an answer, or by a measure with relevance judgments. */
export type HybridObjective =
	| {
			readonly questions: readonly Question[];
			readonly passages: PassageTexts;
			/** @default 20 */
			readonly k?: number | undefined;
			/** Whether accepted answers are texts or regular expressions. @default 'text' */
			readonly answerKind?: AnswerKind | undefined;
	  }
	| {
			readonly qrels: Qrels;
			readonly measure: Measure;
			/** Number of hits of the fused list that are evaluated. @default 100 */
			readonly k?: number | undefined;
	  };

export interface TuneHybridOptions extends HybridGrid, CallOptions {
	/** Number of hits taken from each list (k'). @default 1000 */
	readonly depth?: number | undefined;
}

const tuneOptions: OptionNames = optionNames<TuneHybridOptions>({...callNames, ...gridNames, depth: true});
const byQrels: OptionNames = new Set(['qrels', 'measure', 'k']);
const byAnswers: OptionNames = new Set(['questions', 'passages', 'k', 'answerKind']);

/**
Tunes the weight of a hybrid on development questions (Ma et al., 2021, §3). Both runs are retrieved before, and passages are searched for
answers once, so the grid itself costs little. To tune several methods, or for several cut-offs, use `JudgedLists`. Progress counts
questions.

@example
```
const {fusion, curve} = await tuneHybrid({dense, sparse}, {questions, passages: store}, {method: 'hybridNorm'});
//=> {method: 'hybridNorm', alpha: 1.3}
```
*/
export async function tuneHybrid(
	lists: {readonly dense: Run; readonly sparse: Run},
	objective: HybridObjective,
	options: TuneHybridOptions = {},
): Promise<HybridTuning> {
	checkObject('lists', lists, '{dense, sparse}');
	checkObject('objective', objective, '{qrels, measure, k?} or {questions, passages, k?, answerKind?}');
	checkRequiredOptions('objective', objective, 'qrels' in objective ? byQrels : byAnswers);
	checkOptions('tuneHybrid', options, tuneOptions);
	const {depth = 1000, signal, onProgress, method, normalize, grid} = options;
	const asked = {method, normalize, grid};
	checkCount('depth', depth, 1);
	if ('qrels' in objective) {
		const {qrels, measure, k = 100} = objective;
		checkCount('k', k, 1);
		return bestOf(asked, async methods => {
			const scores: number[] = [];
			for (const method of methods) {
				const run = await fuse(lists, method, {k, signal});
				const {mean} = await evaluate(run, qrels, [measure], {signal});
				scores.push(mean[measure]!);
				await onProgress?.({done: scores.length, total: methods.length});
			}
			return scores;
		});
	}
	const {questions, passages, k, answerKind} = objective;
	const judged = await JudgedLists.judge(lists, questions, passages, {depth, answerKind, signal, onProgress});
	return judged.tune({...asked, k, signal});
}
