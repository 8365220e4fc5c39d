/**
Verdicts on claims that two conditions do not differ. A test that is not significant does not show this, so these claims hold if the
confidence interval of the difference, at the corrected level of the tests, lies within a margin. For paired t-tests the interval is
the difference ± the smallest difference that would have been significant.
*/
import type {Comparison} from '../../statistics/comparison.ts';
import type {Verdict} from '../../statistics/verdict.ts';

/** One point: Ma et al. (2021, §4.2) call two exact match scores "close (within a point)". */
export const closeMargin = 0.01;

/** The verdict on "a and b do not differ": *contradicted* by a significant difference, *undecided* if no difference is shown to be small. */
export function verdictOfNoDifference(evidence: readonly Comparison[], margin = closeMargin): Verdict {
	if (evidence.some(({significant}) => significant)) {
		return 'contradicted';
	}
	return verdictOfShown(evidence.map(({difference, smallest}) => Math.abs(difference) + smallest <= margin));
}

/** The verdict on "a is no worse than b": *contradicted* by a significant loss. */
export function verdictOfNoLoss(evidence: readonly Comparison[], margin = closeMargin): Verdict {
	if (evidence.some(({significant, difference}) => significant && difference < 0)) {
		return 'contradicted';
	}
	return verdictOfShown(evidence.map(({significant, difference, smallest}) => significant || difference - smallest >= -margin));
}

/** The largest absolute difference that the confidence intervals include. */
export function largestPossible(evidence: readonly Comparison[]): number {
	return Math.max(...evidence.map(({difference, smallest}) => Math.abs(difference) + smallest));
}

function verdictOfShown(shown: readonly boolean[]): Verdict {
	if (shown.length === 0) {
		return 'not tested';
	}
	if (shown.every(Boolean)) {
		return 'holds';
	}
	return shown.some(Boolean) ? 'holds in part' : 'undecided';
}
