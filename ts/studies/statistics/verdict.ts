/** What a study says about a claim, decided by the differences that were tested. */
import type {Comparison} from './comparison.ts';

/**
- `holds`: every difference is in the claim's direction, and as many of them are significant as the claim needs;
- `holds in part`: some differences are significant in the claim's direction, and none in the other direction;
- `contradicted`: a difference is significant in the other direction;
- `undecided`: no difference is significant, which may also mean that there are too few questions;
- `not tested`: the claim is about models or data that this study does not have.
*/
export type Verdict = 'holds' | 'holds in part' | 'contradicted' | 'undecided' | 'not tested';

/** In the order in which abstracts count them. */
export const verdicts = ['holds', 'holds in part', 'contradicted', 'undecided', 'not tested'] as const satisfies readonly Verdict[];

/** The verdict on "a is better than b", by tests of a − b. `needed`: whether all differences have to be significant, or most. */
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

/** The verdict on a claim of several parts. Parts that were not tested are ignored if others were. */
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
