/** Verdicts on claims. A verdict follows from significance tests of differences. */
import type {Comparison} from './comparison.ts';

/**
The verdict on a claim that is about one or more differences:

- `holds`: all differences have the sign that the claim predicts, and as many are significant as the claim requires;
- `holds in part`: at least one difference is significant with the predicted sign, and none with the opposite sign, but
  `holds` does not apply;
- `contradicted`: at least one difference is significant with the opposite sign;
- `undecided`: no difference is significant, perhaps because there are too few questions;
- `not tested`: the claim is about models or data that this study does not have.

For claims that conditions differ little, the verdicts depend on confidence intervals: see `equivalence.ts`.
*/
export type Verdict = 'holds' | 'holds in part' | 'contradicted' | 'undecided' | 'not tested';

/** All verdicts, in the order in which abstracts count them. */
export const verdicts = ['holds', 'holds in part', 'contradicted', 'undecided', 'not tested'] as const satisfies readonly Verdict[];

/**
Returns the verdict on the claim "a is better than b", from tests of a − b. `needed` says how many differences must be
significant: all, or more than half.
*/
export function verdictOfGains(evidence: readonly Comparison[], needed: 'all' | 'most'): Verdict {
	if (evidence.length === 0) {
		return 'not tested';
	}
	const significant = evidence.filter(test => test.significant);
	const gains = significant.filter(({difference}) => difference > 0).length;
	if (gains < significant.length) {
		return 'contradicted';
	}
	if (gains === 0) {
		return 'undecided';
	}
	const isEnough = needed === 'all' ? gains === evidence.length : 2 * gains > evidence.length;
	return isEnough && evidence.every(({difference}) => difference > 0) ? 'holds' : 'holds in part';
}

/**
Returns the verdict on a claim that has several parts. Parts that were not tested are ignored if others were tested.
*/
export function verdictOfParts(parts: readonly Verdict[]): Verdict {
	const tested = parts.filter(part => part !== 'not tested');
	if (tested.length === 0) {
		return 'not tested';
	}
	if (tested.includes('contradicted')) {
		return 'contradicted';
	}
	if (tested.every(part => part === 'holds')) {
		return 'holds';
	}
	return tested.every(part => part === 'undecided') ? 'undecided' : 'holds in part';
}
