/** A finding: a claim, what a study has measured about it, and the verdict. */
import {listed, unsignedPoints} from '../../drawing/format.ts';
import type {Comparison} from './comparison.ts';
import type {Verdict} from './verdict.ts';

export interface Finding<Name extends string = string> {
	readonly name: Name;
	/** Who makes the claim. The abstract of a report counts only the paper's claims. */
	readonly source: 'paper' | 'study';
	/** The claim, as one sentence. */
	readonly claim: string;
	/** What this study has measured about the claim, in one sentence or more. */
	readonly result: string;
	readonly verdict: Verdict;
	/** The tests that decide the verdict; empty if there are none. */
	readonly evidence: readonly Comparison[];
}

/**
Returns a clause that says how many of the tests are significant. If none is, the clause also says how large a
difference would have been significant.
*/
export function significanceClause(evidence: readonly Comparison[]): string {
	const significant = evidence.filter(test => test.significant).length;
	if (evidence.length === 1) {
		return significant === 1 ? 'the difference is significant' : `the difference is not significant (${detectable(evidence)})`;
	}
	if (significant === 0) {
		return `${evidence.length === 2 ? 'neither difference is significant' : 'none is significant'} (${detectable(evidence)})`;
	}
	if (significant === evidence.length) {
		return evidence.length === 2 ? 'both differences are significant' : `all ${evidence.length} are significant`;
	}
	return `${significant} of ${evidence.length} ${significant === 1 ? 'is' : 'are'} significant`;
}

/**
Returns the smallest significant differences as a clause: "2.1 points would have been", or "2.1 and 3.0 points would
have been" for tests with different standard errors.
*/
function detectable(evidence: readonly Comparison[]): string {
	const sizes = [...new Set(evidence.map(({smallest}) => unsignedPoints(smallest)))];
	return `${listed(sizes)} points would have been`;
}

/** Removes `undefined`, which stands for findings or comparisons that a study does not have. */
export const withoutUndefined = <T>(values: ReadonlyArray<T | undefined>): readonly T[] => values.filter(value => value !== undefined);
