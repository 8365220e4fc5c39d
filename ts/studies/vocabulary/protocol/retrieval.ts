import {pairedTest} from '../../../evaluation/index.ts';
import {type Tested, corrected, mean} from '../../statistics/correction.ts';
import {type Measures, type Values, ndcgMeasure, topK} from '../../statistics/measures.ts';
import {waitForTime} from '../../../core/event-loop.ts';
import type {CallOptions, Run} from '../../../core/types.ts';
import type {VocabularyRetrievalRow, VocabularyRetrieval, VocabularyCondition, VocabularySettings} from '../study.ts';

/** A run of all questions, and how its λ was chosen where it has one. */
export interface ConditionRun {
	readonly run: Run;
	readonly tuning?: NonNullable<VocabularyRetrievalRow['tuning']>;
}

/** Measures each condition on test questions, and tests enrichment against the others if development questions chose a λ above 0. */
export async function measuredRetrieval(
	runs: ReadonlyMap<VocabularyCondition, ConditionRun>,
	{measures, measure}: Measures,
	tunedFor: string,
	test: readonly string[],
	{significance}: VocabularySettings,
	{signal}: CallOptions,
): Promise<VocabularyRetrieval> {
	const values = new Map<VocabularyCondition, Values>();
	for (const [condition, {run}] of runs) {
		values.set(condition, await measure(run));
	}
	const valueOf = (condition: VocabularyCondition, id: string, of: string): number => values.get(condition)!.get(id)?.[of] ?? 0;
	const rows: VocabularyRetrievalRow[] = [];
	for (const [condition, {tuning}] of runs) {
		await waitForTime();
		rows.push({condition, values: measures.map(of => mean(test.map(id => valueOf(condition, id, of)))), ...(tuning && {tuning})});
	}
	// Where passages are judged as such the measure of BEIR, else those of open-domain question answering.
	const tested = measures.includes(ndcgMeasure) ? [ndcgMeasure] : [topK(1), topK(20)];
	const side = (condition: VocabularyCondition, of: string): Map<string, number> =>
		new Map(test.map(id => [id, valueOf(condition, id, of)]));
	const tests: Tested[] = [];
	// With λ = 0 there is no enrichment to test: its vectors are those of the encoder.
	const isEnriched = (runs.get('enriched')?.tuning?.lambda ?? 0) > 0;
	for (const of of isEnriched ? tested : []) {
		for (const other of [...runs.keys()].filter(condition => condition !== 'enriched')) {
			await waitForTime();
			const result = await pairedTest(side('enriched', of), side(other, of), {signal});
			tests.push({a: 'enriched', b: other, measure: of, mark: '', better: true, tested: result});
		}
	}
	return {measures, tunedFor, tested, rows, comparisons: corrected(tests, significance)};
}
