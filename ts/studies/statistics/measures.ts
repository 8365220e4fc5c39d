import {type Measure, type PassageTexts, evaluate, topKAccuracy} from '../../evaluation/index.ts';
import {waitForTime} from '../../core/event-loop.ts';
import type {CallOptions, Qrels, Question, Run} from '../../core/types.ts';

/** What a run is worth for each question, by measure. */
export type Values = ReadonlyMap<string, Readonly<Record<string, number>>>;

/** Measures of a way of asking, the decisive one first, and what takes them of a run. */
export interface Measures {
	readonly measures: readonly string[];
	measure(run: Run): Promise<Values>;
}

/** Whether a relevant passage is among the first k. */
export const topK = (k: number): string => `top-${k}`;
export const mrrMeasure = 'MRR';
export const ndcgMeasure = 'nDCG@10';

/** Whether a relevant passage is among the first k, the reciprocal rank of the first, and where that is asked for nDCG@10. */
export function ofQrels(qrels: Qrels, ks: readonly number[], ndcg: boolean, options: CallOptions): Measures {
	const taken: ReadonlyArray<readonly [string, Measure]> = [
		...ks.map(k => [topK(k), `Success@${k}`] as const),
		[mrrMeasure, 'RR'],
		...(ndcg ? [[ndcgMeasure, 'nDCG@10'] as const] : []),
	];
	return {
		measures: taken.map(([name]) => name),
		async measure(run) {
			const {perQuery} = await evaluate(
				run,
				qrels,
				taken.map(([, measure]) => measure),
				options,
			);
			const values = new Map<string, Record<string, number>>();
			for (const [id, of] of perQuery) {
				await waitForTime();
				values.set(id, Object.fromEntries(taken.map(([name, measure]) => [name, of[measure]!])));
			}
			return values;
		},
	};
}

/** The same by the first passage that has an answer, wherever it is. */
export function ofAnswers(questions: readonly Question[], passages: PassageTexts, ks: readonly number[], options: CallOptions): Measures {
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
