/** What a paper claims, and what a study says of it. */
import type {Comparison} from './comparison.ts';
import type {Verdict} from './verdict.ts';
import {listed, points} from '../../drawing/format.ts';

/** A claim, and what was found here. */
export interface Finding<Name extends string = string> {
	readonly name: Name;
	/** Whose claim it is. Tallies count the paper's. */
	readonly source: 'paper' | 'study';
	/** The claim, in a sentence. */
	readonly claim: string;
	/** What was measured here, in a sentence or two. */
	readonly here: string;
	readonly verdict: Verdict;
	/** The tests behind it, as differences a − b; none for a verdict that is not by paired tests. */
	readonly evidence: readonly Comparison[];
}

/** How many of the tests are significant, in words; where none is, the smallest difference that would have been. */
export function significance(evidence: readonly Comparison[]): string {
	const significant = evidence.filter(test => test.significant).length;
	if (evidence.length === 1) {
		return significant === 1 ? 'the difference is significant' : `the difference is not significant (${smallest(evidence)})`;
	}
	if (significant === 0) {
		return `${evidence.length === 2 ? 'neither difference is significant' : 'none is significant'} (${smallest(evidence)})`;
	}
	if (significant === evidence.length) {
		return evidence.length === 2 ? 'both differences are significant' : `all ${evidence.length} are significant`;
	}
	return `${significant} of ${evidence.length} ${significant === 1 ? 'is' : 'are'} significant`;
}

/** "one of 2.1 points would have been", "ones of 2.1 and 3.0 points would have been". */
function smallest(evidence: readonly Comparison[]): string {
	const sizes = [...new Set(evidence.map(({smallest}) => points(smallest).replace('+', '')))];
	return sizes.length === 1 ? `one of ${sizes[0]} points would have been` : `ones of ${listed(sizes)} points would have been`;
}

export const present = <T>(values: ReadonlyArray<T | undefined>): readonly T[] => values.filter(value => value !== undefined);
