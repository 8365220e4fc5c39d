import {type CandidateLists, type Measure, type PassageTexts, evaluate, evaluateCandidates, topKAccuracy} from '../evaluation/index.ts';
import {turnWithTime} from '../turn.ts';
import type {CallOptions, Qrels, Question, Run} from '../types.ts';
import {accuracyMeasure, mrrMeasure, ndcgMeasure, topK} from './names.ts';
import type {Values} from './protocol.ts';

/** Measures of a protocol, the decisive one first, and what takes them of a run. */
export interface Measures {
	readonly measures: readonly string[];
	measure(run: Run): Promise<Values>;
}

/** Accuracy among candidates, which is the paper's F-1, and the reciprocal rank of the gold passage. */
export function ofCandidates(candidates: CandidateLists, {signal}: CallOptions): Measures {
	return {
		measures: [accuracyMeasure, mrrMeasure],
		async measure(run) {
			const values = new Map<string, Record<string, number>>();
			for (const [id, {correct, reciprocalRank}] of (await evaluateCandidates(run, candidates, {signal})).perQuery) {
				values.set(id, {[accuracyMeasure]: Number(correct), [mrrMeasure]: reciprocalRank});
			}
			return values;
		},
	};
}

/** Whether a relevant passage is among the first k, the reciprocal rank of the first, and where there are grades nDCG@10. */
export function ofQrels(qrels: Qrels, ks: readonly number[], graded: boolean, options: CallOptions): Measures {
	const taken: ReadonlyArray<readonly [string, Measure]> = [
		...ks.map(k => [topK(k), `Success@${k}`] as const),
		[mrrMeasure, 'RR'],
		...(graded ? [[ndcgMeasure, 'nDCG@10'] as const] : []),
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
				await turnWithTime();
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
