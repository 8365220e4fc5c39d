/** What a report says at its end: what is needed to make it again, and what it refers to. */
import type {Counted, Model} from './inputs.ts';
import {many} from './words.ts';

/** A line of what has to be the same for the same numbers to come out; `code` is set as code. */
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

/** How many of the claims hold, in words: the last sentence of an abstract. */
export function tally(found: ReadonlyArray<{readonly holds: boolean | 'partly'}>, claims: string): string {
	const count = (holds: boolean | 'partly'): number => found.filter(finding => finding.holds === holds).length;
	return `Of ${claims} ${count(true)} ${count(true) === 1 ? 'holds' : 'hold'} here, ${count('partly')} in part, and ${count(false)} ${count(false) === 1 ? 'was' : 'were'} not found.`;
}
