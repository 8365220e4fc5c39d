/**
The names of retrieval conditions, span scorings and measures in the results and reports of the replication study (Ma et
al., 2021).
*/
import {type Label, withCommas, plainLabel} from '../../drawing/format.ts';
import type {RetrievalCondition, Retrieved, Scoring} from './study.ts';

export const retrieverLabels: Readonly<Record<Retrieved, string>> = {dense: 'Dense', bm25: 'BM25', hybrid: 'Hybrid'};

/** The paper's names of conditions, except that DPR is called Dense, because other encoders can take its place. */
export const conditionLabels: Readonly<Record<RetrievalCondition, Label>> = {
	dense: {text: 'Dense'},
	bm25: {text: 'BM25'},
	dprHybrid: {text: 'Hybrid', sub: 'orig'},
	hybridNorm: {text: 'Hybrid', sub: 'norm'},
	hybrid: {text: 'Hybrid'},
};

/** Returns the symbol of a hybrid's weight: λ is the weight of dense scores, α that of BM25 scores. */
export const weightSymbol = (condition: RetrievalCondition): string => (condition === 'dprHybrid' ? 'λ' : 'α');

/** The measure in comparisons of reading results. */
export const exactMatchMeasure = 'exact match';

/**
Returns the name of a condition in comparisons of reading results: the retriever and the span scoring (`bm25 GAR*`) and,
if numbers of passages are compared, this number (`bm25 GAR* @20`).
*/
export const readingCondition = (retriever: Retrieved, scoring: Scoring, k?: number): string =>
	`${retriever} ${scoring}${k === undefined ? '' : ` @${k}`}`;

/**
The conditions in the tests of Table 2: the overlap of dense and BM25 lists, and the limit with which it is compared.
*/
export const overlapConditions = {limit: 'overlap limit', overlap: 'overlap'} as const;

/** Tests check whether the overlap is below this limit. The highest overlap in Table 2 of Ma et al. (2021) is 0.092. */
export const overlapLimit = 0.1;

/** Returns the measure in comparisons of the overlap of lists of length `k`. */
export const overlapAt = (k: number): string => `k = ${withCommas(k)}`;

/** Returns the name that reports show for a condition: Hybrid-norm for `hybridNorm`, BM25-GAR* for `bm25 GAR*`. */
export function labelOf(condition: string): string {
	if (Object.hasOwn(conditionLabels, condition)) {
		return plainLabel(conditionLabels[condition as RetrievalCondition]);
	}
	if (condition === overlapConditions.limit) {
		return `${100 * overlapLimit}%`;
	}
	if (condition === overlapConditions.overlap) {
		return 'overlap';
	}
	const [retriever = '', scoring, passages] = condition.split(' ');
	const label = Object.hasOwn(retrieverLabels, retriever) ? retrieverLabels[retriever as Retrieved] : retriever;
	const withScoring = scoring === undefined ? label : `${label}-${scoring}`;
	return passages === undefined ? withScoring : `${withScoring} (k = ${withCommas(Number(passages.slice(1)))})`;
}
