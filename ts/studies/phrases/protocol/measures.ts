import {type CandidateLists, evaluateCandidates} from '../../../evaluation/index.ts';
import {type Measures, mrrMeasure} from '../../statistics/measures.ts';
import type {CallOptions} from '../../../core/types.ts';
import {accuracyMeasure} from '../labels.ts';

/** Accuracy among candidates, which is the paper's F-1, and the reciprocal rank of the gold passage. */
export function candidateMeasures(candidates: CandidateLists, {signal}: CallOptions): Measures {
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
