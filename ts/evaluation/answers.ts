import {checkOneOf, checkString, checkStrings} from '../core/checks.ts';
import {callSync, native} from '../core/native/native.ts';
import type {AnswerKind} from '../core/types.ts';

export type {AnswerKind} from '../core/types.ts';

/** SQuAD's normalization: lower case; no punctuation, articles, extra white space. */
export function normalizeAnswer(answer: string): string {
	checkString('answer', answer);
	return callSync(() => native.normaliseAnswer(answer));
}

/**
Whether a prediction is one of the accepted answers.

- `text`: it equals one of them after SQuAD's normalization (Rajpurkar et al., 2016).
- `pattern`: it matches one of them, a Python regular expression, as `regex_match_score` of DrQA (Chen et al., 2017) decides it:
  `re.match` with `IGNORECASE`, `UNICODE` and `MULTILINE` after NFD on both sides. The match begins where the prediction begins
  and may end before it ends. An answer that is no regular expression matches nothing.

@example
```
exactMatch('The Denver Broncos', ['denver broncos']);
//=> true
exactMatch('20320 feet', [String.raw`20,?320\s*f(ee|oo)?t`], 'pattern');
//=> true
```
*/
export function exactMatch(prediction: string, answers: readonly string[], kind: AnswerKind = 'text'): boolean {
	checkString('prediction', prediction);
	checkStrings('answers', answers);
	checkOneOf('kind', kind, ['text', 'pattern']);
	return callSync(() => native.exactMatch(prediction, [...answers], kind === 'pattern'));
}

/** Token F1 against the best-matching answer, a text, 0 to 1, after SQuAD's normalization (Rajpurkar et al., 2016). It is not defined for patterns. */
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
