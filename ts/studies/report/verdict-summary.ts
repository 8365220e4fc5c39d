/** The sentence, at the end of a report's abstract, that counts the verdicts on the paper's claims. */
import {listed, counted} from '../../drawing/format.ts';
import type {Finding} from '../statistics/finding.ts';
import {type Verdict, verdicts} from '../statistics/verdict.ts';

/**
Returns a sentence such as "Verdicts on 3 claims of the paper: 2 hold and 1 is undecided." Claims that only the study
makes do not count.
*/
export function verdictSummary(findings: ReadonlyArray<Pick<Finding, 'source' | 'verdict'>>): string {
	const claims = findings.filter(({source}) => source === 'paper');
	if (claims.length === 0) {
		return 'None of the paper’s claims can be judged by this study.';
	}
	const counts = verdicts.map(verdict => ({verdict, count: claims.filter(claim => claim.verdict === verdict).length}));
	const parts = counts.filter(({count}) => count > 0).map(({verdict, count}) => `${count} ${predicate(verdict, count)}`);
	return `Verdicts on ${counted(claims.length, 'claim')} of the paper: ${listed(parts)}.`;
}

/** Returns the verb phrase of a verdict on `count` claims: "holds", "hold in part", "are undecided". */
function predicate(verdict: Verdict, count: number): string {
	if (verdict === 'holds' || verdict === 'holds in part') {
		return count === 1 ? verdict : verdict.replace('holds', 'hold');
	}
	return `${count === 1 ? 'is' : 'are'} ${verdict}`;
}
