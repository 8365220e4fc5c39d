/**
Tests whether the curves of Figure 1 (exact match by number of passages read) rise, and whether they fall again (Ma et
al., 2021, §4.2). There is a curve for each retriever and span scoring: `repl` is DPR's scoring, `GAR` the normalized
scoring of Mao et al. (2020), and `*` adds the retriever's scores.
*/
import {type ConditionPair, type TestOptions, type ValueByQuestion, comparePairs} from '../../statistics/paired-comparisons.ts';
import {exactMatchMeasure, readingCondition} from '../labels.ts';
import type {CurveTest, Retrieved, Scoring} from '../study.ts';

/** The curves that Figure 1 of Ma et al. (2021) shows for each retriever. */
const paperCurves: Readonly<Record<Retrieved, readonly Scoring[]>> = {
	bm25: ['repl', 'GAR', 'GAR*'],
	dense: ['repl', 'GAR', 'GAR*'],
	hybrid: ['GAR*'],
};

/** The values of a curve for each question. */
export interface CurveValues {
	readonly retriever: Retrieved;
	readonly scoring: Scoring;
	/** Number of passages read, ascending → question id → 1 if the answer is right, else 0. */
	readonly matches: ReadonlyMap<number, ValueByQuestion>;
	/** The number of passages that is best on development questions. */
	readonly chosen: number;
}

/**
Runs two tests of each curve that the paper shows: of its rise and of its fall. All p-values are corrected together. The
number of passages that is best on development questions (`chosen`) represents the peak: a curve rises from the smallest
number of passages to `chosen`, and falls from `chosen` to the largest number. BM25's curves have no peak in the paper,
so their rise ends at the largest number.
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
