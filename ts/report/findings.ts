/** What a paper says, and whether a study found it too. */
import type {Comparison} from './comparisons.ts';

/** A finding of the paper, and what was found here. */
export interface Finding<Name extends string = string> {
	readonly name: Name;
	/** What the paper says, in a sentence. */
	readonly claim: string;
	/** What was measured here, in a sentence or two. */
	readonly here: string;
	/** `false`: it was not found, which for want of questions may also be where it is true. */
	readonly holds: boolean | 'partly';
	/** The tests behind it, as differences a − b; none where it is of curves or counts. */
	readonly evidence: readonly Comparison[];
}

export const verdicts = {true: 'holds here', partly: 'holds in part', false: 'not found here'} as const;
export const verdictOf = ({holds}: Finding): string => verdicts[`${holds}`];

/** `true` with a gain in each and enough of them significant; `partly` with a significant one and no significant loss. */
export function gains(evidence: readonly Comparison[], needed: 'all' | 'most'): boolean | 'partly' {
	const significant = evidence.filter(({significant}) => significant);
	const won = significant.filter(({difference}) => difference > 0).length;
	const enough = needed === 'all' ? won === evidence.length : 2 * won > evidence.length;
	if (enough && evidence.every(({difference}) => difference > 0)) {
		return true;
	}
	return won > 0 && won === significant.length ? 'partly' : false;
}

/** How many of the tests are significant, in words. */
export function significance(evidence: readonly Comparison[]): string {
	const significant = evidence.filter(test => test.significant).length;
	if (evidence.length === 1) {
		return significant === 1 ? 'the difference is significant' : 'the difference is not significant';
	}
	if (significant === 0) {
		return evidence.length === 2 ? 'neither difference is significant' : 'none is significant';
	}
	if (significant === evidence.length) {
		return evidence.length === 2 ? 'both differences are significant' : `all ${evidence.length} are significant`;
	}
	return `${significant} of ${evidence.length} ${significant === 1 ? 'is' : 'are'} significant`;
}

export const present = <T>(values: ReadonlyArray<T | undefined>): readonly T[] => values.filter(value => value !== undefined);
