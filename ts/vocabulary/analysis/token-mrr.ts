/** Token-level mean reciprocal rank (MRR): how high a passage's projection ranks sets of tokens (Ram et al., 2023, §5.2). */
import {yieldIfOverBudget} from '../../core/event-loop.ts';
import {checkKind, checkRanked} from './check.ts';
import type {RankedPair, RankedToken, TokenKind} from './ranked-pairs.ts';

/**
Sets of tokens of a question and its passage. With T_q for the tokens of the question and T_p for those of the passage, the sets are,
in this order, T_q ∩ T_p, T_p, T_p \ T_q, T_q and T_q \ T_p.
*/
export const tokenSets = ['shared', 'passage', 'passageOnly', 'question', 'questionOnly'] as const satisfies readonly TokenSet[];
export type TokenSet = 'shared' | 'passage' | 'passageOnly' | 'question' | 'questionOnly';

/** The mean reciprocal rank of one set of tokens. */
export interface TokenMrr {
	/** Number of tokens in the set, summed over all pairs. */
	readonly tokens: number;
	/** Mean of 1 / rank over all these tokens, 0 to 1. */
	readonly mrr: number;
	/** Mean of 1 / rank within each pair, averaged over pairs. Pairs without a token in the set do not count. */
	readonly perPair: number;
}

/**
Computes the token-level mean reciprocal rank in the passage's projection P for several sets of tokens (Ram et al., 2023, §5.2,
Table 2). It shows how well a passage's vector predicts which of its tokens occur in questions. The paper counts all tokens,
including stop words.

@example
```
const {shared, passageOnly} = await tokenMrr(pairs);
[shared.mrr, passageOnly.mrr];
//=> [0.261, 0.03]
```
*/
export async function tokenMrr(pairs: readonly RankedPair[], kind: TokenKind = 'all'): Promise<Record<TokenSet, TokenMrr>> {
	checkRanked(pairs);
	checkKind(kind);
	const sums = tokenSets.map(() => ({tokens: 0, sum: 0, pairs: 0, sumOfMeans: 0}));
	for (const {tokens} of pairs) {
		await yieldIfOverBudget();
		for (const [i, set] of tokenSets.entries()) {
			let [count, sum] = [0, 0];
			for (const token of tokens) {
				if (isIn(token, set) && (token.content || kind === 'all')) {
					count += 1;
					sum += 1 / token.passageRank;
				}
			}
			if (count > 0) {
				const total = sums[i]!;
				total.tokens += count;
				total.sum += sum;
				total.pairs += 1;
				total.sumOfMeans += sum / count;
			}
		}
	}
	const mean = (sum: number, count: number): number => (count === 0 ? 0 : sum / count);
	return Object.fromEntries(
		tokenSets.map((set, i) => {
			const {tokens, sum, pairs, sumOfMeans} = sums[i]!;
			return [set, {tokens, mrr: mean(sum, tokens), perPair: mean(sumOfMeans, pairs)}];
		}),
	) as unknown as Record<TokenSet, TokenMrr>;
}

function isIn({inQuestion, inPassage}: RankedToken, set: TokenSet): boolean {
	switch (set) {
		case 'shared': {
			return inQuestion && inPassage;
		}
		case 'passage': {
			return inPassage;
		}
		case 'passageOnly': {
			return inPassage && !inQuestion;
		}
		case 'question': {
			return inQuestion;
		}
		case 'questionOnly': {
			return inQuestion && !inPassage;
		}
	}
}
