/**
What the tables mark beside a value. The paper's symbols of Table 1 are † and ‡; those of Table 3 are the same here,
because `*` is a scoring's name there.
*/
import type {RetrievalCondition, Scoring} from './study.ts';

export const marks = {
	/** Table 1, on BM25: significantly different from dense retrieval. */
	differs: '†',
	/** Table 1, on a hybrid: significantly better than the better of dense retrieval and BM25. */
	better: '‡',
	/** Table 3: repl* significantly better than repl, GAR than repl, GAR* than GAR. */
	step: '†',
	/** Table 3: GAR* significantly better than repl. */
	both: '‡',
} as const;

/** Of a test of `a` against `b`, where `best` is the better of dense retrieval and BM25 at this cut-off. */
export function retrievalMark(
	{a, b, difference, significant}: {a: RetrievalCondition; b: RetrievalCondition; difference: number; significant: boolean},
	best: RetrievalCondition,
): string {
	if (!significant) {
		return '';
	}
	if (a === 'bm25') {
		return b === 'dense' ? marks.differs : '';
	}
	return a !== 'dense' && b === best && difference > 0 ? marks.better : '';
}

/** Of a test of two scorings on the same passages. */
export function readingMark({a, b, difference, significant}: {a: Scoring; b: Scoring; difference: number; significant: boolean}): string {
	if (!significant || difference <= 0) {
		return '';
	}
	if (a === 'GAR*') {
		return b === 'GAR' ? marks.step : b === 'repl' ? marks.both : '';
	}
	return b === 'repl' ? marks.step : '';
}
