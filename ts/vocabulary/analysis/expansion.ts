import {waitForTime} from '../../core/event-loop.ts';
import {checkRanked, checkRanks} from './check.ts';
import type {RankedPair, RankedToken} from './ranked-pairs.ts';

/** Whether a token expands a question where it is at the head of Q: of the passage, not of the question, and content. */
export const isExpansion = ({inQuestion, inPassage, content}: RankedToken): boolean => inPassage && !inQuestion && content;

/**
The share of questions with a query expansion token among the first k of their projection Q, for each k (Ram et al., 2023,
§5.3, Figure 4): a token that the question does not have and its gold passage does, and that is no stop word or punctuation mark.

@example
```
await queryExpansion(pairs, [5, 20]);
//=> [0.41, 0.68]
```
*/
export async function queryExpansion(pairs: readonly RankedPair[], ks: readonly number[]): Promise<number[]> {
	checkRanked(pairs);
	checkRanks('ks', ks);
	const counts = ks.map(() => 0);
	for (const {tokens} of pairs) {
		await waitForTime();
		const first = tokens.reduce((least, token) => (isExpansion(token) ? Math.min(least, token.questionRank) : least), Infinity);
		for (const [i, k] of ks.entries()) {
			counts[i]! += Number(first <= k);
		}
	}
	return counts.map(count => (pairs.length === 0 ? 0 : count / pairs.length));
}
