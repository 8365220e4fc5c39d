import {waitForTime} from '../../core/event-loop.ts';
import {checkKind, checkRanked, checkRanks} from './check.ts';
import type {RankedPair, TokenKind} from './ranked-pairs.ts';

export interface TokenCoverage {
	/** Tokens shared by a question and its passage, in all pairs. */
	readonly shared: number;
	/** Share of them among the first k of the question's projection Q, and of the passage's P, 0 to 1; one for each k. */
	readonly question: readonly number[];
	readonly passage: readonly number[];
}

/**
How much of what question and passage share is at the head of their projections (Ram et al., 2023, §5.1, Figure 3): the share
of all shared tokens that are among the first k, for each k. The paper counts all tokens.

@example
```
const {question, passage} = await tokenCoverage(pairs, [20, 100]);
//=> {shared: 9120, question: [0.63, 0.78], passage: [0.53, 0.69]}
```
*/
export async function tokenCoverage(pairs: readonly RankedPair[], ks: readonly number[], kind: TokenKind = 'all'): Promise<TokenCoverage> {
	checkRanked(pairs);
	checkRanks('ks', ks);
	checkKind(kind);
	const [question, passage] = [ks.map(() => 0), ks.map(() => 0)];
	let shared = 0;
	for (const {tokens} of pairs) {
		await waitForTime();
		for (const {inQuestion, inPassage, content, questionRank, passageRank} of tokens) {
			if (inQuestion && inPassage && (content || kind === 'all')) {
				shared += 1;
				for (const [i, k] of ks.entries()) {
					question[i]! += Number(questionRank <= k);
					passage[i]! += Number(passageRank <= k);
				}
			}
		}
	}
	const share = (count: number): number => (shared === 0 ? 0 : count / shared);
	return {shared, question: question.map(share), passage: passage.map(share)};
}
