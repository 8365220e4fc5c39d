import {checkOneOf, checkString, checkStrings} from '../check.ts';
import {callSync, native} from '../native.ts';

/** Accepted answers as texts, matched token by token, or as regular expressions (CuratedTREC). */
export type AnswerKind = 'text' | 'pattern';

/** SQuAD's normalisation: lower case; no punctuation, articles, extra white space. */
export function normaliseAnswer(answer: string): string {
	checkString('answer', answer);
	return callSync(() => native.normaliseAnswer(answer));
}

/** Whether a prediction equals one of the answers after SQuAD's normalisation (Rajpurkar et al., 2016). */
export function exactMatch(prediction: string, answers: readonly string[]): boolean {
	checkString('prediction', prediction);
	checkStrings('answers', answers);
	return callSync(() => native.exactMatch(prediction, [...answers]));
}

/** Token F1 against the best-matching answer, 0 to 1, after SQuAD's normalisation (Rajpurkar et al., 2016). */
export function f1(prediction: string, answers: readonly string[]): number {
	checkString('prediction', prediction);
	checkStrings('answers', answers);
	return callSync(() => native.f1(prediction, [...answers]));
}

/** Whether a text has one of the answers: as a sequence of DPR's tokens after NFD and lower case, or as a regular expression. */
export function hasAnswer(text: string, answers: readonly string[], kind: AnswerKind = 'text'): boolean {
	checkString('text', text);
	checkStrings('answers', answers);
	checkOneOf('kind', kind, ['text', 'pattern']);
	return callSync(() => native.hasAnswer(text, [...answers], kind === 'pattern'));
}
