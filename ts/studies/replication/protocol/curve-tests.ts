/** Whether the curves of Figure 1 rise with the passages read, and whether they fall again: paired tests on test questions. */
import {type PairedTest, pairedTest} from '../../../evaluation/index.ts';
import {type Tested, corrected} from '../../statistics/correction.ts';
import {exactMatchMeasure, readingCondition} from '../labels.ts';
import type {CurveTest, Retrieved, Scoring} from '../study.ts';

/** The curves that Figure 1 of Ma et al. (2021) has. */
const paperCurves: Readonly<Record<Retrieved, readonly Scoring[]>> = {
	bm25: ['repl', 'GAR', 'GAR*'],
	dense: ['repl', 'GAR', 'GAR*'],
	hybrid: ['GAR*'],
};

/** A curve with its values question by question. */
export interface CurveValues {
	readonly retriever: Retrieved;
	readonly scoring: Scoring;
	/** Numbers of passages, ascending → question id → 1 where the answer is right, else 0. */
	readonly matches: ReadonlyMap<number, ReadonlyMap<string, number>>;
	/** The number of passages that development questions chose. */
	readonly chosen: number;
}

/**
Tests each curve of the paper twice, and corrects all tests together. BM25's rise is that to the most passages, as the paper has no
peak for it; that of the others is up to the number that development questions chose, which stands for their peak.
*/
export async function testCurves(
	curves: readonly CurveValues[],
	significance: number,
	signal: AbortSignal | undefined,
): Promise<CurveTest[]> {
	const tested: Tested[] = [];
	const ofPaper = curves.filter(({retriever, scoring}) => paperCurves[retriever].includes(scoring));
	for (const {retriever, scoring, matches, chosen} of ofPaper) {
		const ks = [...matches.keys()];
		const [first, last] = [ks[0]!, ks.at(-1)!];
		const compare = async (a: number, b: number): Promise<void> => {
			const test: PairedTest = await pairedTest(matches.get(a)!, matches.get(b)!, {signal});
			const [left, right] = [a, b].map(k => readingCondition(retriever, scoring, k));
			tested.push({a: left!, b: right!, measure: exactMatchMeasure, mark: '', better: false, tested: test});
		};
		await compare(retriever === 'bm25' ? last : chosen, first);
		await compare(chosen, last);
	}
	const comparisons = corrected(tested, significance);
	return ofPaper.map(({retriever, scoring, chosen}, i) => ({
		retriever,
		scoring,
		chosen,
		rise: comparisons[2 * i]!,
		fall: comparisons[2 * i + 1]!,
	}));
}
