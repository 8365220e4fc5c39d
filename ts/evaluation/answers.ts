import {checkOneOf, checkString, checkStrings} from '../core/checks.ts';
import {callSync, native} from '../core/native/native.ts';
import type {AnswerKind} from '../core/types.ts';

export type {AnswerKind} from '../core/types.ts';

/** Normalizes an answer as SQuAD does: lower case, without punctuation, articles and extra white space. */
export function normalizeAnswer(answer: string): string {
	checkString('answer', answer);
	return callSync(() => native.normalizeAnswer(answer));
}

/**
Returns whether a prediction is one of the accepted answers.

- `text`: it equals one of them after SQuAD's normalization (Rajpurkar et al., 2016).
- `pattern`: it matches one of them, a Python regular expression, as in `regex_match_score` of DrQA (Chen et al., 2017): `re.match` with
  `IGNORECASE`, `UNICODE` and `MULTILINE` after NFD on both sides. The match starts at the start of the prediction and may end before
  its end. An invalid regular expression matches nothing.

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

/**
Returns the token F1 against the best-matching answer, 0 to 1, after SQuAD's normalization (Rajpurkar et al., 2016). It is not defined
for patterns.
*/
export function f1(prediction: string, answers: readonly string[]): number {
	checkString('prediction', prediction);
	checkStrings('answers', answers);
	return callSync(() => native.f1(prediction, [...answers]));
}

/** Returns whether a text contains one of the answers: as a sequence of DPR's tokens after NFD and lower case, or as a regular expression. */
export function hasAnswer(text: string, answers: readonly string[], kind: AnswerKind = 'text'): boolean {
	checkString('text', text);
	checkStrings('answers', answers);
	checkOneOf('kind', kind, ['text', 'pattern']);
	return callSync(() => native.hasAnswer(text, [...answers], kind === 'pattern'));
}
