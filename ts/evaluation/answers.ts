/** Compares predicted answers and passages with accepted answers, as SQuAD, DrQA and DPR do. */
import {checkOneOf, checkString, checkStrings} from '../core/checks.ts';
import {callSync, native} from '../core/native/native.ts';
import type {AnswerKind} from '../core/types.ts';

export type {AnswerKind} from '../core/types.ts';

/** Normalizes an answer as SQuAD does: converts it to lower case and removes punctuation, articles and extra white space. */
export function normalizeAnswer(answer: string): string {
	checkString('answer', answer);
	return callSync(() => native.normalizeAnswer(answer));
}

/**
Returns whether a prediction is one of the accepted answers.

- `text`: the prediction equals an accepted answer after SQuAD's normalization of both (Rajpurkar et al., 2016).
- `pattern`: accepted answers are Python regular expressions, and the prediction matches one of them as in `regex_match_score` of DrQA (Chen
  et al., 2017): `re.match` with the flags `IGNORECASE`, `UNICODE` and `MULTILINE`, after Unicode normalization of both to NFD. The match
  begins at the start of the prediction and may end before its end. An invalid regular expression matches nothing.

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
Returns the F1 score of a prediction, 0 to 1: the harmonic mean of the precision and the recall of its words, after SQuAD's normalization
(Rajpurkar et al., 2016). If there are several accepted answers, the one that gives the highest score counts. F1 is not defined for answers
that are regular expressions.
*/
export function f1(prediction: string, answers: readonly string[]): number {
	checkString('prediction', prediction);
	checkStrings('answers', answers);
	return callSync(() => native.f1(prediction, [...answers]));
}

/**
Returns whether a text contains an accepted answer, by the rules of DPR (Karpukhin et al., 2020).

- `text`: the tokens of the answer occur in the text in sequence, after Unicode normalization to NFD and conversion to lower case. Tokens
  are those of DPR's tokenizer.
- `pattern`: accepted answers are regular expressions, and one of them matches a part of the text. Fails with `ERR_ARGUMENT` if one is
  invalid.
*/
export function hasAnswer(text: string, answers: readonly string[], kind: AnswerKind = 'text'): boolean {
	checkString('text', text);
	checkStrings('answers', answers);
	checkOneOf('kind', kind, ['text', 'pattern']);
	return callSync(() => native.hasAnswer(text, [...answers], kind === 'pattern'));
}
