/** The composition of the first k tokens of projections: which texts contain these tokens (Ram et al., 2023, appendix B). */
import {yieldIfOverBudget} from '../../core/event-loop.ts';
import {checkRanked, checkRanks} from './check.ts';
import {isExpansion} from './expansion.ts';
import type {RankedPair} from './ranked-pairs.ts';

/**
Composition of the first k tokens of projections, as shares (0 to 1) of these tokens over all pairs. The shares `shared`,
`questionOnly`, `passageOnly` and `other` add up to 1.
*/
export interface TopComposition {
	/** Number of first tokens of each projection that are counted. */
	readonly k: number;
	/** Tokens in both the question and the passage. */
	readonly shared: number;
	readonly questionOnly: number;
	readonly passageOnly: number;
	/** Tokens in neither the question nor the passage. */
	readonly other: number;
	/** Content tokens that only the passage has, a part of `passageOnly`. In a question's projection, they are query expansion. */
	readonly expansion: number;
}

/**
Measures the composition of the first k tokens of the questions' projections Q and of the passages' projections P (Ram et al.,
2023, appendix B, Figure 6): the shares of tokens that occur in both texts, in only one of them, or in neither.

@example
```
const {question} = await topComposition(pairs, [1, 5]);
[question[0].shared, question[1].expansion];
//=> [0.71, 0.14]
```
*/
export async function topComposition(
	pairs: readonly RankedPair[],
	ks: readonly number[],
): Promise<{question: TopComposition[]; passage: TopComposition[]}> {
	checkRanked(pairs);
	checkRanks('ks', ks);
	return {
		question: await composition(pairs, ks, 'questionRank'),
		passage: await composition(pairs, ks, 'passageRank'),
	};
}

async function composition(
	pairs: readonly RankedPair[],
	ks: readonly number[],
	rankKey: 'questionRank' | 'passageRank',
): Promise<TopComposition[]> {
	const counts = ks.map(() => ({shared: 0, questionOnly: 0, passageOnly: 0, expansion: 0}));
	for (const {tokens} of pairs) {
		await yieldIfOverBudget();
		for (const token of tokens) {
			const {inQuestion, inPassage} = token;
			const kind = inQuestion && inPassage ? 'shared' : inQuestion ? 'questionOnly' : 'passageOnly';
			for (const [i, k] of ks.entries()) {
				if (token[rankKey] <= k) {
					counts[i]![kind] += 1;
					counts[i]!.expansion += Number(isExpansion(token));
				}
			}
		}
	}
	return counts.map(({shared, questionOnly, passageOnly, expansion}, i) => {
		const k = ks[i]!;
		const total = pairs.length * k;
		const share = (count: number): number => (total === 0 ? 0 : count / total);
		const other = total - shared - questionOnly - passageOnly;
		return {
			k,
			shared: share(shared),
			questionOnly: share(questionOnly),
			passageOnly: share(passageOnly),
			other: share(other),
			expansion: share(expansion),
		};
	});
}
