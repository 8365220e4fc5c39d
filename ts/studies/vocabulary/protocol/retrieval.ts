/** Measures retrieval with and without lexical enrichment (Ram et al., 2023, §6.3 and §6.4). */
import {yieldIfOverBudget} from '../../../core/event-loop.ts';
import type {CallOptions, Run} from '../../../core/types.ts';
import {mean} from '../../statistics/mean.ts';
import {type MeasuredQuestions, type Measures, ndcgMeasure, topK} from '../../statistics/measures.ts';
import {type ConditionPair, type ValueByQuestion, comparePairs} from '../../statistics/paired-comparisons.ts';
import type {VocabularyCondition, VocabularyRetrieval, VocabularyRetrievalRow, VocabularySettings} from '../study.ts';

/** The hits of a condition for all questions and, for a condition with enrichment, how the weight λ was chosen. */
export interface ConditionRun {
	readonly run: Run;
	readonly tuning?: NonNullable<VocabularyRetrievalRow['tuning']>;
}

/**
Measures each condition on test questions, whose ids are `test`. If the λ chosen on development questions is above 0,
enrichment is compared with all other conditions. `tunedFor` names the measure that λ was chosen by.
*/
export async function measureRetrieval(
	runs: ReadonlyMap<VocabularyCondition, ConditionRun>,
	{measures, measure}: Measures,
	tunedFor: string,
	test: readonly string[],
	{significance}: VocabularySettings,
	{signal}: CallOptions,
): Promise<VocabularyRetrieval> {
	const measured = new Map<VocabularyCondition, MeasuredQuestions>();
	for (const [condition, {run}] of runs) {
		measured.set(condition, await measure(run));
	}
	const valueOf = (condition: VocabularyCondition, id: string, measure: string): number => measured.get(condition)!.get(id)?.[measure] ?? 0;
	const rows: VocabularyRetrievalRow[] = [];
	for (const [condition, {tuning}] of runs) {
		await yieldIfOverBudget();
		const values = measures.map(measure => mean(test.map(id => valueOf(condition, id, measure))));
		rows.push({condition, values, ...(tuning && {tuning})});
	}
	// The measure of BEIR if the data set has relevance judgments, else the usual ones of open-domain question answering.
	const tested = measures.includes(ndcgMeasure) ? [ndcgMeasure] : [topK(1), topK(20)];
	const valuesOf = (condition: VocabularyCondition, measure: string): ValueByQuestion =>
		new Map(test.map(id => [id, valueOf(condition, id, measure)]));
	// With λ = 0, enriched vectors are the encoder's own vectors, so there is nothing to compare.
	const isEnriched = (runs.get('enriched')?.tuning?.lambda ?? 0) > 0;
	const others = isEnriched ? [...runs.keys()].filter(condition => condition !== 'enriched') : [];
	const pairs = tested.flatMap(measure =>
		others.map(
			(other): ConditionPair => ({
				a: 'enriched',
				b: other,
				measure,
				valuesOfA: valuesOf('enriched', measure),
				valuesOfB: valuesOf(other, measure),
			}),
		),
	);
	return {measures, tunedFor, tested, rows, comparisons: await comparePairs(pairs, {significance, signal})};
}
