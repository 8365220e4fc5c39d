/** Computes the measures of a run, such as top-k accuracy, for each question. */
import {yieldIfOverBudget} from '../../core/event-loop.ts';
import type {CallOptions, Qrels, Question, Run} from '../../core/types.ts';
import {type Measure, type PassageTexts, type TopKAccuracyOptions, evaluate, topKAccuracy} from '../../evaluation/index.ts';

/** Question id → measure → value. */
export type MeasuredQuestions = ReadonlyMap<string, Readonly<Record<string, number>>>;

/** The measures that a study reports for each run, and the function that computes them. */
export interface Measures {
	/** Names of the measures. The phrase study selects and compares models by the first one. */
	readonly measures: readonly string[];
	measure(run: Run): Promise<MeasuredQuestions>;
}

/**
Returns the name of the measure top-k accuracy, whose value is 1 for a question with a relevant passage among its first
k hits, else 0.
*/
export const topK = (k: number): string => `top-${k}`;
/** Name of the reciprocal rank of the first relevant passage. Its mean over questions is the mean reciprocal rank. */
export const mrrMeasure = 'MRR';
export const ndcgMeasure = 'nDCG@10';

/**
Returns measures that use relevance judgments: top-k accuracy for each of `ks`, the reciprocal rank of the first
relevant passage and, if `ndcg` is set, nDCG@10.
*/
export function measuresByQrels(qrels: Qrels, ks: readonly number[], ndcg: boolean, options: CallOptions): Measures {
	const wanted: ReadonlyArray<readonly [name: string, measure: Measure]> = [
		...ks.map(k => [topK(k), `Success@${k}`] as const),
		[mrrMeasure, 'RR'],
		...(ndcg ? [[ndcgMeasure, 'nDCG@10'] as const] : []),
	];
	return {
		measures: wanted.map(([name]) => name),
		async measure(run) {
			const {perQuery} = await evaluate(
				run,
				qrels,
				wanted.map(([, measure]) => measure),
				options,
			);
			const values = new Map<string, Record<string, number>>();
			for (const [id, measured] of perQuery) {
				await yieldIfOverBudget();
				values.set(id, Object.fromEntries(wanted.map(([name, measure]) => [name, measured[measure]!])));
			}
			return values;
		},
	};
}

/**
Returns measures that use accepted answers: a passage is relevant if it contains one of the question's answers. The
measures are top-k accuracy for each of `ks`, and the reciprocal rank of the first relevant passage.
*/
export function measuresByAnswers(
	questions: readonly Question[],
	passages: PassageTexts,
	ks: readonly number[],
	options: TopKAccuracyOptions,
): Measures {
	return {
		measures: [...ks.map(topK), mrrMeasure],
		async measure(run) {
			const {firstRanks} = await topKAccuracy(run, questions, passages, ks, options);
			return new Map(
				questions.map(({id}) => {
					const rank = firstRanks.get(id) ?? Infinity;
					return [id, Object.fromEntries([...ks.map(k => [topK(k), Number(rank <= k)]), [mrrMeasure, 1 / rank]]) as Record<string, number>];
				}),
			);
		},
	};
}
