/** Argument checks that the vocabulary analyses share. */
import {checkArray, checkCount, checkObject, checkOneOf} from '../../core/checks.ts';
import {RetrievalError} from '../../core/errors.ts';
import type {RankedPair, TokenKind} from './ranked-pairs.ts';

/** Throws unless `ks` is a nonempty array of ranks, which are integers from 1. */
export function checkRanks(what: string, ks: readonly number[]): void {
	checkArray(what, ks, 'ranks');
	if (ks.length === 0) {
		throw new RetrievalError('ERR_ARGUMENT', `${what}: expected at least one rank, got none`);
	}
	for (const k of ks) {
		checkCount(what, k, 1);
	}
}

/** Throws unless `pairs` has the shape of the array that `rankPairs` resolves to. */
export function checkRanked(pairs: readonly RankedPair[]): void {
	checkArray('pairs', pairs, 'pairs returned by rankPairs()');
	for (const [i, pair] of pairs.entries()) {
		checkObject(`pairs[${i}]`, pair, 'a pair returned by rankPairs()');
		checkArray(`pairs[${i}]: tokens`, pair.tokens, 'ranked tokens');
	}
}

/** Throws unless `kind` is a `TokenKind`. */
export function checkKind(kind: TokenKind): void {
	checkOneOf('kind', kind, ['all', 'content']);
}
