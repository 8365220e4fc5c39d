/**
The names of models, conditions and measures in results and reports. A condition is a way to rank passages. MUF is model
uncertainty fusion, T the temperature at which it computes confidences, and RRF reciprocal rank fusion.
*/
import type {PhraseCondition, PhraseModelStatistics} from './study.ts';

/** The labels of all conditions except models, such as `M1`, whose names are their labels. */
const conditionLabels: Readonly<Record<Exclude<PhraseCondition, `M${string}`>, string>> = {
	bm25: 'BM25',
	muf: 'MUF',
	mufSearch: 'MUF, T by search',
	mufOwn: 'MUF, a T for each model',
	mufPlain: 'MUF, T = 1',
	mufAll: 'MUF of all models',
	mean: 'Mean score',
	rrf: 'RRF',
};

/** Returns the name of a condition in tables. A model keeps its own name. */
export const labelOf = (condition: string): string =>
	Object.hasOwn(conditionLabels, condition) ? conditionLabels[condition as keyof typeof conditionLabels] : condition;

/** Describes a phrase length: "1 sentence", "75 tokens" or "whole passage". */
export function lengthLabel(length: PhraseModelStatistics['length']): string {
	if (length === 'passage') {
		return 'whole passage';
	}
	const [count, unit] = 'sentences' in length ? [length.sentences, 'sentence'] : [length.tokens, 'token'];
	return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

/** The measure of rankings of candidates: 1 if the gold passage is first, else 0. */
export const accuracyMeasure = 'accuracy';

/** The measure by which calibrations are compared; lower is better. */
export const brierMeasure = 'Brier score';
