/** A claim of a paper, with what a study has measured about it and the verdict. */
import {listed, points} from '../../drawing/format.ts';
import type {Comparison} from './comparison.ts';
import type {Verdict} from './verdict.ts';

export interface Finding<Name extends string = string> {
	readonly name: Name;
	/** Who makes the claim. Only the paper's claims are counted in an abstract. */
	readonly source: 'paper' | 'study';
	/** The claim, in a sentence. */
	readonly claim: string;
	/** What this study has measured, in one sentence or more. */
	readonly here: string;
	readonly verdict: Verdict;
	/** The tests that decide the verdict, as differences a − b; empty if it was not decided by paired tests. */
	readonly evidence: readonly Comparison[];
}

/** How many of the tests are significant, as a clause; if none is, also the smallest difference that would have been. */
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

/** "one of 2.1 points would have been", "ones of 2.1 and 3.0 points would have been". */
function detectable(evidence: readonly Comparison[]): string {
	const sizes = [...new Set(evidence.map(({smallest}) => points(smallest).replace('+', '')))];
	return sizes.length === 1 ? `one of ${sizes[0]} points would have been` : `ones of ${listed(sizes)} points would have been`;
}

/** Leaves out the findings or comparisons that a study does not have. */
export const withoutUndefined = <T>(values: ReadonlyArray<T | undefined>): readonly T[] => values.filter(value => value !== undefined);
