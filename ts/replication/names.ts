/** What the report calls things: conditions, scorings, measures. */
import {type Label, plain} from '../report/words.ts';
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

/** Of a comparison: accuracy at `k` passages. */
export const topK = (k: number): string => `top-${k}`;
/** Of a comparison of readings. */
export const exactMatchMeasure = 'exact match';
/** A condition of a comparison of readings, such as `bm25 GAR*`. */
export const readingCondition = (retriever: Retrieved, scoring: Scoring): string => `${retriever} ${scoring}`;

/** What a comparison's condition is called in tables: `hybridNorm` is Hybrid-norm, `bm25 GAR*` is BM25-GAR*. */
export function conditionName(condition: string): string {
	if (Object.hasOwn(conditionLabels, condition)) {
		return plain(conditionLabels[condition as RetrievalCondition]);
	}
	const [retriever = '', ...scoring] = condition.split(' ');
	const name = Object.hasOwn(retrieverNames, retriever) ? retrieverNames[retriever as Retrieved] : retriever;
	return [name, ...scoring].join('-');
}
