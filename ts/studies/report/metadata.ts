/** What a report says at its end: what is needed to make it again, and what it refers to. */
import type {Counted, Model} from '../storage/inputs.ts';
import type {Finding} from '../statistics/finding.ts';
import {type Verdict, verdicts} from '../statistics/verdict.ts';
import {listed, many} from '../../drawing/format.ts';

/** One thing that has to be the same to reproduce the numbers; `code` is set as code. */
export interface Fact {
	readonly what: string;
	readonly value: string;
	readonly code?: string;
}

export interface Reference {
	readonly text: string;
	readonly url: string;
}

/** A file with what it holds, such as passages, and its SHA-256. */
export const fileFact = (what: string, {count, name, sha256}: Counted, noun: string): Fact => ({
	what,
	value: `${name === undefined ? '' : `${name}, `}${many(count, noun)}`,
	code: sha256,
});

/** A model with its SHA-256. */
export const modelFact = (what: string, {name, sha256}: Model): Fact => ({what, value: name, code: sha256});

/** How many of the paper's claims have each verdict, in words: the last sentence of an abstract. */
export function tally(found: ReadonlyArray<Pick<Finding, 'source' | 'verdict'>>): string {
	const claims = found.filter(({source}) => source === 'paper');
	if (claims.length === 0) {
		return 'None of the paper’s claims can be judged by this study.';
	}
	const counts = verdicts.map(verdict => ({verdict, count: claims.filter(claim => claim.verdict === verdict).length}));
	const parts = counts.filter(({count}) => count > 0).map(({verdict, count}) => `${count} ${verdictVerb(verdict, count)}`);
	return `Of ${many(claims.length, 'claim')} of the paper ${listed(parts)}.`;
}

function verdictVerb(verdict: Verdict, count: number): string {
	if (verdict === 'holds' || verdict === 'holds in part') {
		return count === 1 ? verdict : verdict.replace('holds', 'hold');
	}
	return `${count === 1 ? 'is' : 'are'} ${verdict}`;
}
