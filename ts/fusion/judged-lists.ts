/** `JudgedLists` evaluates and tunes fusion methods by accepted answers. */
import {checkArray, checkCount, checkFactoryMade, checkOneOf, checkQuestions} from '../core/checks.ts';
import type {AnswerKind, PassageTexts} from '../evaluation/index.ts';
import {nativeTexts} from '../core/native/texts.ts';
import {type Binding, callNative, native} from '../core/native/native.ts';
import type {CallOptions, Question} from '../core/types.ts';
import {type OptionNames, callNames, callOptions, checkOptions, optionNames} from '../core/options.ts';
import {type FusedLists, nativeRuns} from './fuse.ts';
import {type HybridGrid, type HybridTuning, bestOf, gridNames} from './grid.ts';
import {type FusionMethod, checkFusion, nativeFusion} from './method.ts';

/** The options of `JudgedLists.judge`. */
export interface JudgeOptions extends CallOptions {
	/** Number of hits taken from each list before fusion. @default 1000 */
	readonly depth?: number | undefined;
	/** Whether accepted answers are texts or regular expressions. @default 'text' */
	readonly answerKind?: AnswerKind | undefined;
}

/** The options of `JudgedLists.tune`. */
export type TuneJudgedOptions = HybridGrid & {
	/** An answer counts if it is in one of the first `k` passages of the fused list. @default 20 */
	readonly k?: number | undefined;
	/** Cancels the call: see `CallOptions`. */
	readonly signal?: AbortSignal | undefined;
};

const judgeOptions: OptionNames = optionNames<JudgeOptions>({...callNames, depth: true, answerKind: true});
const tuneOptions: OptionNames = optionNames<TuneJudgedOptions>({...gridNames, k: true, signal: true});

/**
Evaluates many fusion methods for the same lists and questions. All passages of the lists are searched for answers only once, so evaluating
a fusion method takes only milliseconds. Questions without accepted answers are ignored.

@example
```
const judged = await JudgedLists.judge({dense, sparse}, questions, store);
const {fusion} = await judged.tune({method: 'hybrid'});
const [ranks] = await judged.firstRanks([fusion], 100);
```
*/
export class JudgedLists {
	/** Ids of the questions with accepted answers, in the order in which they were given. */
	readonly questions: readonly string[];
	readonly #native: Binding.JudgedLists;
	readonly #listCount: number;

	private constructor(judged: Binding.JudgedLists, questions: readonly string[], listCount: number) {
		checkFactoryMade('JudgedLists', judged, native.JudgedLists, 'JudgedLists.judge()');
		this.#native = judged;
		this.questions = questions;
		this.#listCount = listCount;
	}

	/** Searches all passages of the lists for accepted answers, as `hasAnswer` does. Progress counts questions. */
	static async judge(
		lists: FusedLists,
		questions: readonly Question[],
		passages: PassageTexts,
		options: JudgeOptions = {},
	): Promise<JudgedLists> {
		checkQuestions('questions', questions);
		checkOptions('judge', options, judgeOptions);
		const {depth = 1000, answerKind = 'text'} = options;
		checkCount('depth', depth, 1);
		checkOneOf('answerKind', answerKind, ['text', 'pattern']);
		const runs = await nativeRuns(lists);
		const judge = new native.AnswerJudge(runs, await nativeTexts(passages), depth, answerKind === 'pattern');
		const answerable = questions.filter(question => question.answers.length > 0);
		const ids = answerable.map(({id}) => id);
		for (const {id, answers: accepted} of answerable) {
			judge.add(id, [...accepted]);
		}
		return new JudgedLists(await callNative(options, control => judge.judge(control)), ids, runs.length);
	}

	/**
	Returns one array per method, with one number per question, in the order of `questions`: the rank in the fused list, from 1, of the first
	passage with an answer, or 0 if none of the first `within` passages has an answer.
	*/
	async firstRanks(methods: readonly FusionMethod[], within: number, options: CallOptions = {}): Promise<Uint32Array[]> {
		checkArray('methods', methods, 'fusion methods');
		checkCount('within', within, 1);
		checkOptions('firstRanks', options, callOptions);
		for (const method of methods) {
			checkFusion(method, this.#listCount);
		}
		const ranks = await callNative(options, control => this.#native.firstRanks(methods.map(nativeFusion), within, control));
		const count = this.questions.length;
		return methods.map((_, i) => ranks.subarray(i * count, (i + 1) * count));
	}

	/** Returns for each method the share of questions with an answer in one of the first `k` passages of the fused list. */
	async accuracy(methods: readonly FusionMethod[], k: number, options: CallOptions = {}): Promise<number[]> {
		const ranks = await this.firstRanks(methods, k, options);
		return ranks.map(ranks => (ranks.length === 0 ? 0 : ranks.filter(rank => rank > 0).length / ranks.length));
	}

	/** Tries the same weights as `tuneHybrid`, and selects the one for which the most questions have an answer in one of the first `k` passages. */
	async tune(options: TuneJudgedOptions = {}): Promise<HybridTuning> {
		checkOptions('tune', options, tuneOptions);
		const {k = 20, signal} = options;
		checkCount('k', k, 1);
		return bestOf(options, async methods => this.accuracy(methods, k, {signal}));
	}
}
