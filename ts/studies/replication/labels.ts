/** The names of conditions, scorings and measures in results and reports. */
import {type Label, grouped, plain} from '../../drawing/format.ts';
import type {RetrievalCondition, Retrieved, Scoring} from './study.ts';

export const retrieverLabels: Readonly<Record<Retrieved, string>> = {dense: 'Dense', bm25: 'BM25', hybrid: 'Hybrid'};

/** The paper's names, except that its DPR is `Dense` here, because other encoders can take its place. */
export const conditionLabels: Readonly<Record<RetrievalCondition, Label>> = {
	dense: {text: 'Dense'},
	bm25: {text: 'BM25'},
	dprHybrid: {text: 'Hybrid', sub: 'orig'},
	hybridNorm: {text: 'Hybrid', sub: 'norm'},
	hybrid: {text: 'Hybrid'},
};

/** The symbol of a hybrid's weight: λ is on the dense scores, α on those of BM25. */
export const weightSymbol = (condition: RetrievalCondition): string => (condition === 'dprHybrid' ? 'λ' : 'α');

/** The measure of a comparison of readings. */
export const exactMatchMeasure = 'exact match';
/** A condition in a comparison of readings: `bm25 GAR*` or, if numbers of passages are compared, `bm25 GAR* @20`. */
export const readingCondition = (retriever: Retrieved, scoring: Scoring, k?: number): string =>
	`${retriever} ${scoring}${k === undefined ? '' : ` @${k}`}`;

/** The conditions in the tests of Table 2: the mean overlap, and the limit that it is compared with. */
export const overlapConditions = {limit: 'overlap limit', overlap: 'overlap'} as const;
/** More than the highest overlap in Table 2 of Ma et al. (2021), which is 9.2 per cent. */
export const overlapLimit = 0.1;
/** The measure of a comparison of the overlap of lists of `k`. */
export const overlapAt = (k: number): string => `k = ${grouped(k)}`;

/** How tables name the condition of a comparison: `hybridNorm` is Hybrid-norm, `bm25 GAR*` is BM25-GAR*. */
export function labelOf(condition: string): string {
	if (Object.hasOwn(conditionLabels, condition)) {
		return plain(conditionLabels[condition as RetrievalCondition]);
	}
	if (condition === overlapConditions.limit) {
		return `${100 * overlapLimit} %`;
	}
	if (condition === overlapConditions.overlap) {
		return 'overlap';
	}
	const [retriever = '', scoring, passages] = condition.split(' ');
	const label = Object.hasOwn(retrieverLabels, retriever) ? retrieverLabels[retriever as Retrieved] : retriever;
	const withScoring = scoring === undefined ? label : `${label}-${scoring}`;
	return passages === undefined ? withScoring : `${withScoring} (k = ${grouped(Number(passages.slice(1)))})`;
}
