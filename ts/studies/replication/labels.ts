/** What the report calls things: conditions, scorings, measures. */
import {type Label, grouped, plain} from '../../drawing/format.ts';
import type {RetrievalCondition, Retrieved, Scoring} from './study.ts';

export const retrieverNames: Readonly<Record<Retrieved, string>> = {dense: 'Dense', bm25: 'BM25', hybrid: 'Hybrid'};

/** The paper's names; its DPR is `Dense` here, since other encoders can take its place. */
export const conditionLabels: Readonly<Record<RetrievalCondition, Label>> = {
	dense: {text: 'Dense'},
	bm25: {text: 'BM25'},
	dprHybrid: {text: 'Hybrid', sub: 'orig'},
	hybridNorm: {text: 'Hybrid', sub: 'norm'},
	hybrid: {text: 'Hybrid'},
};

/** Which weight a hybrid has: λ is on the dense scores, α on those of BM25. */
export const weightSymbol = (condition: RetrievalCondition): string => (condition === 'dprHybrid' ? 'λ' : 'α');

/** The measure of a comparison: accuracy at `k` passages. */
export const topK = (k: number): string => `top-${k}`;
/** The measure of a comparison of readings. */
export const exactMatchMeasure = 'exact match';
/** A condition of a comparison of readings, such as `bm25 GAR*`, with `k` passages where several numbers are compared: `bm25 GAR* @20`. */
export const readingCondition = (retriever: Retrieved, scoring: Scoring, k?: number): string =>
	`${retriever} ${scoring}${k === undefined ? '' : ` @${k}`}`;

/** The conditions of the tests of Table 2: the mean overlap, and the limit that it is compared with. */
export const overlapConditions = {limit: 'overlap limit', overlap: 'overlap'} as const;
/** More than the highest overlap that Ma et al. (2021) report in Table 2, 9.2 per cent. */
export const overlapLimit = 0.1;
/** The measure of a comparison of overlaps of lists of `k`. */
export const overlapAt = (k: number): string => `k = ${grouped(k)}`;

/** What a comparison's condition is called in tables: `hybridNorm` is Hybrid-norm, `bm25 GAR*` is BM25-GAR*. */
export function conditionName(condition: string): string {
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
	const name = Object.hasOwn(retrieverNames, retriever) ? retrieverNames[retriever as Retrieved] : retriever;
	const whole = scoring === undefined ? name : `${name}-${scoring}`;
	return passages === undefined ? whole : `${whole} (k = ${grouped(Number(passages.slice(1)))})`;
}
