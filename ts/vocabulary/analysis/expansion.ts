/** Query expansion by projections: tokens of the passage that a question's vector adds to the question (Ram et al., 2023, §5.3). */
import {yieldIfOverBudget} from '../../core/event-loop.ts';
import {checkRanked, checkRanks} from './check.ts';
import type {RankedPair, RankedToken} from './ranked-pairs.ts';

/** Whether a token can expand a question: a content token that the passage has and the question does not have. */
export const isExpansion = ({inQuestion, inPassage, content}: RankedToken): boolean => inPassage && !inQuestion && content;

/**
Measures, for each k, the share of questions with a query expansion token among the first k tokens of their projection Q (Ram et al.,
2023, §5.3, Figure 4). A query expansion token occurs in the gold passage but not in the question, and is neither a stop word nor
a punctuation mark.

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
		await yieldIfOverBudget();
		const bestRank = tokens.reduce((min, token) => (isExpansion(token) ? Math.min(min, token.questionRank) : min), Infinity);
		for (const [i, k] of ks.entries()) {
			counts[i]! += Number(bestRank <= k);
		}
	}
	return counts.map(count => (pairs.length === 0 ? 0 : count / pairs.length));
}
