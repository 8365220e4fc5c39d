/** What a study says of a claim. */
import type {Comparison} from './comparison.ts';

/**
- `holds`: every difference is in the claim's direction, and as many as the claim needs are significant;
- `holds in part`: some of the claim's differences are significant, and none is significant the other way;
- `contradicted`: a difference is significant the other way;
- `undecided`: no difference is significant, which too few questions can also cause;
- `not tested`: the claim is about models or data that this study does not have.
*/
export type Verdict = 'holds' | 'holds in part' | 'contradicted' | 'undecided' | 'not tested';

/** In the order in which a tally names them. */
export const verdicts = ['holds', 'holds in part', 'contradicted', 'undecided', 'not tested'] as const satisfies readonly Verdict[];

/** The verdict on "a is better than b" by tests of a − b. `needed`: how many of the gains have to be significant to hold. */
export function verdictOfGains(evidence: readonly Comparison[], needed: 'all' | 'most'): Verdict {
	if (evidence.length === 0) {
		return 'not tested';
	}
	const significant = evidence.filter(({significant}) => significant);
	const gained = significant.filter(({difference}) => difference > 0).length;
	if (gained < significant.length) {
		return 'contradicted';
	}
	if (gained === 0) {
		return 'undecided';
	}
	const enough = needed === 'all' ? gained === evidence.length : 2 * gained > evidence.length;
	return enough && evidence.every(({difference}) => difference > 0) ? 'holds' : 'holds in part';
}

/** The verdict on a claim of several parts by the verdicts on these. Parts that were not tested do not count, if others were. */
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
