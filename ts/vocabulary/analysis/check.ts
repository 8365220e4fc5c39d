import {checkCount, kindOf} from '../../check.ts';
import {RetrievalError} from '../../errors.ts';

/** Ranks to count up to, from 1. */
export function checkRanks(what: string, ks: readonly number[]): void {
	if (!Array.isArray(ks) || ks.length === 0) {
		throw new RetrievalError('ERR_ARGUMENT', `${what}: expected at least one rank, got ${Array.isArray(ks) ? 'none' : kindOf(ks)}`);
	}
	for (const k of ks) {
		checkCount(what, k, 1);
	}
}
