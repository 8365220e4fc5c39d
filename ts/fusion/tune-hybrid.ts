/** `tuneHybrid` selects the weight of a fusion method on development questions. */
import {checkCount, checkObject} from '../core/checks.ts';
import {type OptionNames, callNames, checkRequiredOptions, checkOptions, optionNames} from '../core/options.ts';
import {type AnswerKind, type Measure, type PassageTexts, evaluate} from '../evaluation/index.ts';
import type {CallOptions, Qrels, Question, Run} from '../core/types.ts';
import {fuse} from './fuse.ts';
import {type HybridGrid, type HybridTuning, bestOf, gridNames} from './grid.ts';
import {JudgedLists} from './judged-lists.ts';

/**
What is maximized: the share of questions with an accepted answer in one of the first `k` passages (top-k accuracy), or the mean of a
measure that uses relevance judgments.
*/
export type HybridObjective =
	| {
			/** Development questions with accepted answers. */
			readonly questions: readonly Question[];
			/** The texts of the passages in the lists. */
			readonly passages: PassageTexts;
			/** An answer counts if it is in one of the first `k` passages of the fused list. @default 20 */
			readonly k?: number | undefined;
			/** Whether accepted answers are texts or regular expressions. @default 'text' */
			readonly answerKind?: AnswerKind | undefined;
	  }
	| {
			/** Relevance judgments for development queries. */
			readonly qrels: Qrels;
			/** The measure, for example `nDCG@10`. */
			readonly measure: Measure;
			/** Number of hits at the start of the fused list that are evaluated. @default 100 */
			readonly k?: number | undefined;
	  };

/** The options of `tuneHybrid`. */
export interface TuneHybridOptions extends HybridGrid, CallOptions {
	/**
	Number of hits taken from each list before fusion: k' in Ma et al. (2021). If the objective is a measure, this option has no effect, and
	all hits are used. @default 1000
	*/
	readonly depth?: number | undefined;
}

const tuneOptions: OptionNames = optionNames<TuneHybridOptions>({...callNames, ...gridNames, depth: true});
const byQrels: OptionNames = new Set(['qrels', 'measure', 'k']);
const byAnswers: OptionNames = new Set(['questions', 'passages', 'k', 'answerKind']);

/**
Selects the weight of a fusion method that maximizes an objective on development questions (Ma et al., 2021, §3). No retrieval is needed,
because the runs are given, and passages are searched for answers only once, so each weight takes little time. To tune several methods, or
to tune for several values of k, use `JudgedLists`. Progress counts questions, or weights if the objective is a measure.

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
	const gridOptions = {method, normalize, grid};
	checkCount('depth', depth, 1);
	if ('qrels' in objective) {
		const {qrels, measure, k = 100} = objective;
		checkCount('k', k, 1);
		return bestOf(gridOptions, async methods => {
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
	return judged.tune({...gridOptions, k, signal});
}
