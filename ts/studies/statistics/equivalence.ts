/**
Verdicts on claims that two conditions do not differ, or differ little. A test that is not significant does not show this, so such a claim
holds only if the confidence interval of the difference, at the corrected significance level, lies within a margin. For a
paired t-test, the interval is the difference ± the smallest difference that would have been significant.
*/
import type {Comparison} from './comparison.ts';
import type {Verdict} from './verdict.ts';

/** One point: Ma et al. (2021, §4.2) call two exact match scores "close (within a point)". */
export const closeMargin = 0.01;

/**
Returns the verdict on "a and b do not differ": `contradicted` if any difference is significant. Otherwise `holds` if
all differences are shown to be at most `margin`, `holds in part` if some are, and `undecided` if none is. Without any
comparison, it is `not tested`.
*/
export function verdictOfNoDifference(evidence: readonly Comparison[], margin = closeMargin): Verdict {
	if (evidence.some(({significant}) => significant)) {
		return 'contradicted';
	}
	return verdictOfShown(evidence.map(({difference, smallest}) => Math.abs(difference) + smallest <= margin));
}

/**
Returns the verdict on "a is no worse than b": `contradicted` if `a` is significantly worse in any comparison. Otherwise
it depends on how many comparisons show that `a` is no worse, as in `verdictOfNoDifference`. A comparison shows this if
`a` is significantly better, or if the confidence interval includes no loss above `margin`.
*/
export function verdictOfNoLoss(evidence: readonly Comparison[], margin = closeMargin): Verdict {
	if (evidence.some(({significant, difference}) => significant && difference < 0)) {
		return 'contradicted';
	}
	return verdictOfShown(evidence.map(({significant, difference, smallest}) => significant || difference - smallest >= -margin));
}

/**
Returns the verdict on "a and b differ by at most `margin`". It is `contradicted` if any comparison shows a larger
difference, that is, if the confidence interval includes only differences above `margin` in one direction. Otherwise
`holds` if all comparisons show that the difference is at most `margin`, `holds in part` if some do, and `undecided` if
none does. Without any comparison, it is `not tested`. In contrast to `verdictOfNoDifference`, a significant difference
within the margin does not contradict the claim.
*/
export function verdictOfSmallDifference(evidence: readonly Comparison[], margin: number): Verdict {
	if (evidence.some(({difference, smallest}) => Math.abs(difference) - smallest > margin)) {
		return 'contradicted';
	}
	return verdictOfShown(evidence.map(({difference, smallest}) => Math.abs(difference) + smallest <= margin));
}

/**
Returns the verdict on "a is worse than b by at most `margin`, or better". It is `contradicted` if the confidence interval
of any comparison includes only losses above `margin`. Otherwise it depends on how many intervals include no loss above
`margin`, as in `verdictOfSmallDifference`.
*/
export function verdictOfSmallLoss(evidence: readonly Comparison[], margin: number): Verdict {
	if (evidence.some(({difference, smallest}) => -difference - smallest > margin)) {
		return 'contradicted';
	}
	return verdictOfShown(evidence.map(({difference, smallest}) => smallest - difference <= margin));
}

/** Returns the largest loss, b − a, that the confidence intervals include; 0 if they include none. */
export function largestPossibleLoss(evidence: readonly Comparison[]): number {
	return Math.max(0, ...evidence.map(({difference, smallest}) => smallest - difference));
}

/** Returns the largest absolute difference that the confidence intervals include. */
export function largestPossible(evidence: readonly Comparison[]): number {
	return Math.max(...evidence.map(({difference, smallest}) => Math.abs(difference) + smallest));
}

/**
Returns the verdict on a claim with several parts, none of which is contradicted. `shown` says for each part whether the
study shows that this part holds.
*/
function verdictOfShown(shown: readonly boolean[]): Verdict {
	if (shown.length === 0) {
		return 'not tested';
	}
	if (shown.every(Boolean)) {
		return 'holds';
	}
	return shown.some(Boolean) ? 'holds in part' : 'undecided';
}
