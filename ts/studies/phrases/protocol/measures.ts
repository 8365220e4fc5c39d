/** The measures for rankings of candidates. */
import {type CandidateLists, evaluateCandidates} from '../../../evaluation/index.ts';
import {type Measures, mrrMeasure} from '../../statistics/measures.ts';
import type {CallOptions} from '../../../core/types.ts';
import {accuracyMeasure} from '../labels.ts';

/**
Returns the measures: accuracy, which is 1 if the gold passage is ranked first among the candidates, else 0, and the
reciprocal rank of the gold passage. Yang et al. (2023) call accuracy F-1: with one predicted and one right passage per
question, accuracy and F-1 are equal.
*/
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
