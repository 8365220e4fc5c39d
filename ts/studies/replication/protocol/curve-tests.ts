/** Tests whether the curves of Figure 1 rise with the number of passages read, and whether they fall again. */
import {type ConditionPair, type TestOptions, type ValueByQuestion, comparePairs} from '../../statistics/paired-comparisons.ts';
import {exactMatchMeasure, readingCondition} from '../labels.ts';
import type {CurveTest, Retrieved, Scoring} from '../study.ts';

/** The curves in Figure 1 of Ma et al. (2021). */
const paperCurves: Readonly<Record<Retrieved, readonly Scoring[]>> = {
	bm25: ['repl', 'GAR', 'GAR*'],
	dense: ['repl', 'GAR', 'GAR*'],
	hybrid: ['GAR*'],
};

/** A curve, question by question. */
export interface CurveValues {
	readonly retriever: Retrieved;
	readonly scoring: Scoring;
	/** Number of passages, ascending → question id → 1 if the answer is right, else 0. */
	readonly matches: ReadonlyMap<number, ValueByQuestion>;
	/** The number of passages that development questions chose. */
	readonly chosen: number;
}

/**
Tests each curve of the paper twice, and corrects all tests together. The rise of BM25's curves, which have no peak in the paper, ends
at the maximum number of passages. That of the others ends at the number that development questions chose, which stands for the peak.
*/
export async function testCurves(curves: readonly CurveValues[], options: TestOptions): Promise<CurveTest[]> {
	const tested = curves.filter(({retriever, scoring}) => paperCurves[retriever].includes(scoring));
	const pairs = tested.flatMap(({retriever, scoring, matches, chosen}) => {
		const ks = [...matches.keys()];
		const [first, last] = [ks[0]!, ks.at(-1)!];
		const pair = (a: number, b: number): ConditionPair => ({
			a: readingCondition(retriever, scoring, a),
			b: readingCondition(retriever, scoring, b),
			measure: exactMatchMeasure,
			valuesOfA: matches.get(a)!,
			valuesOfB: matches.get(b)!,
		});
		return [pair(retriever === 'bm25' ? last : chosen, first), pair(chosen, last)];
	});
	const comparisons = await comparePairs(pairs, options);
	return tested.map(({retriever, scoring, chosen}, i) => ({
		retriever,
		scoring,
		chosen,
		rise: comparisons[2 * i]!,
		fall: comparisons[2 * i + 1]!,
	}));
}
