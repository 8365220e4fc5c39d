/** How many of the tokens that question and passage share are among the first tokens of their projections (Ram et al., 2023, §5.1). */
import {yieldIfOverBudget} from '../../core/event-loop.ts';
import {checkKind, checkRanked, checkRanks} from './check.ts';
import type {RankedPair, TokenKind} from './ranked-pairs.ts';

/** The result of `tokenCoverage`. */
export interface TokenCoverage {
	/** Number of tokens shared by a question and its passage, summed over all pairs. */
	readonly shared: number;
	/** For each k, the share (0 to 1) of the shared tokens that are among the first k tokens of the question's projection Q. */
	readonly question: readonly number[];
	/** For each k, the share (0 to 1) of the shared tokens that are among the first k tokens of the passage's projection P. */
	readonly passage: readonly number[];
}

/**
Measures, for each k, the share of the shared tokens that are among the first k tokens of each projection (Ram et al., 2023, §5.1,
Figure 3). A token is shared if it occurs in both question and passage. The paper counts all tokens, including stop words.

@example
```
await tokenCoverage(pairs, [20, 100]);
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
		await yieldIfOverBudget();
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
