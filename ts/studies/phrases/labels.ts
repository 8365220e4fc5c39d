/** What the report calls things: models, conditions, measures. */
import type {PhraseCondition, PhraseModelFacts} from './study.ts';

const conditions: Readonly<Record<Exclude<PhraseCondition, `M${string}`>, string>> = {
	bm25: 'BM25',
	muf: 'MUF',
	mufSearch: 'MUF, T by search',
	mufOwn: 'MUF, a T for each model',
	mufPlain: 'MUF, T = 1',
	mufAll: 'MUF of all models',
	mean: 'Mean score',
	rrf: 'RRF',
};

/** A condition as tables have it; a model is its own name. */
export const conditionName = (condition: string): string =>
	Object.hasOwn(conditions, condition) ? conditions[condition as keyof typeof conditions] : condition;

/** "1 sentence", "75 tokens", "whole passage". */
export function lengthName(length: PhraseModelFacts['length']): string {
	if (length === 'passage') {
		return 'whole passage';
	}
	const [count, unit] = 'sentences' in length ? [length.sentences, 'sentence'] : [length.tokens, 'token'];
	return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

/** The measure that says whether a question's first passage is right, by candidates. */
export const accuracyMeasure = 'accuracy';

/** The measure of the tests of calibration: lower is better. */
export const brierMeasure = 'Brier score';
