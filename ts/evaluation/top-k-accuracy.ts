/** Top-k accuracy: how often one of the first k passages contains an answer. */
import {checkArray, checkCount, checkOneOf, checkQuestions, shown} from '../core/checks.ts';
import {RetrievalError} from '../core/errors.ts';
import {callNative, native} from '../core/native/native.ts';
import {nativeTexts} from '../core/native/texts.ts';
import {type OptionNames, callNames, checkOptions, optionNames} from '../core/options.ts';
import {nativeRun} from '../core/native/runs.ts';
import type {PassageTexts} from '../core/passage-texts.ts';
import type {CallOptions, Question, Run} from '../core/types.ts';
import type {AnswerKind} from './answers.ts';

/** How often one of the first k passages contains an accepted answer. */
export interface TopKAccuracy {
	/** k → share of questions with an accepted answer in one of their first k passages, 0 to 1. */
	readonly accuracy: ReadonlyMap<number, number>;
	/** Question id → rank, from 1, of the first passage with an accepted answer, up to the largest k. Questions without one are absent. */
	readonly firstRanks: ReadonlyMap<string, number>;
	/** Number of questions that have accepted answers. */
	readonly questions: number;
	/** Number of questions with accepted answers that are not in the run. They count as questions for which no answer was found. */
	readonly missing: number;
}

/** The options of `topKAccuracy`. */
export interface TopKAccuracyOptions extends CallOptions {
	/** Whether accepted answers are texts or regular expressions. @default 'text' */
	readonly answerKind?: AnswerKind | undefined;
}

const accuracyOptions: OptionNames = optionNames<TopKAccuracyOptions>({...callNames, answerKind: true});

/**
Computes for each number k in `ks` the share of questions with an accepted answer in one of the first k passages (Karpukhin et al., 2020,
§5). The function `hasAnswer` decides whether a passage contains an answer. Questions without accepted answers are ignored. Fails with
`ERR_ARGUMENT` if the run has queries, but none of the questions with accepted answers. Progress counts questions.

@example
```
const {accuracy} = await topKAccuracy(run, questions, store, [20, 100]);
accuracy.get(20);
//=> 0.9522
```
*/
export async function topKAccuracy(
	run: Run,
	questions: readonly Question[],
	passages: PassageTexts,
	ks: readonly number[],
	options: TopKAccuracyOptions = {},
): Promise<TopKAccuracy> {
	checkQuestions('questions', questions);
	checkArray('ks', ks, 'cut-offs');
	checkOptions('topKAccuracy', options, accuracyOptions);
	const {answerKind = 'text'} = options;
	checkOneOf('answerKind', answerKind, ['text', 'pattern']);
	if (ks.length === 0) {
		throw new RetrievalError('ERR_ARGUMENT', 'ks: expected at least one cut-off, got none');
	}
	for (const k of ks) {
		checkCount('k', k, 1);
	}
	const answerable = questions.filter(question => question.answers.length > 0);
	const handle = await nativeRun(run);
	const judge = new native.AnswerJudge([handle], await nativeTexts(passages), Math.max(...ks), answerKind === 'pattern');
	for (const {id, answers} of answerable) {
		judge.add(id, [...answers]);
	}
	const ranks = await callNative(options, control => judge.firstRanks(control));
	const firstRanks = new Map<string, number>();
	for (const [i, {id}] of answerable.entries()) {
		if (ranks[i]! > 0) {
			firstRanks.set(id, ranks[i]!);
		}
	}
	const found = [...firstRanks.values()];
	const accuracy = new Map(ks.map(k => [k, answerable.length === 0 ? 0 : found.filter(rank => rank <= k).length / answerable.length]));
	const missing = answerable.filter(({id}) => !run.has(id)).length;
	if (missing === answerable.length && run.size > 0 && answerable.length > 0) {
		const [first] = run.keys();
		throw new RetrievalError(
			'ERR_ARGUMENT',
			`topKAccuracy: expected a run of these questions, got one with none of them: the run begins with query ${shown(first)}, the questions with "${answerable[0]!.id}"`,
		);
	}
	return {accuracy, firstRanks, questions: answerable.length, missing};
}
