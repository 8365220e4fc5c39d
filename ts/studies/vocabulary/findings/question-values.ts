/**
Computes, for each question, the values that are compared by the tests of the claims of Ram et al. (2023). Q is the
projection of a question onto the vocabulary, P that of a passage.
*/
import {yieldIfOverBudget} from '../../../core/event-loop.ts';
import type {Run} from '../../../core/types.ts';
import {groupAt, sharedContentRanks} from '../../../vocabulary/analysis/amnesia.ts';
import {isExpansion} from '../../../vocabulary/analysis/expansion.ts';
import type {RankedPair, RankedToken} from '../../../vocabulary/index.ts';

/** Shared and query expansion tokens are counted if they are among this number of first tokens of a projection. */
export const TOP_TOKENS = 20;

/**
Values of a question and its gold passage in the projections of one encoder. A value is `null` if there is no token from
which it could be computed.
*/
export interface GoldValues {
	/** Id of the question. */
	readonly id: string;
	/** Share of the shared tokens that are among the first 20 tokens of Q. */
	readonly sharedInQuestion: number | null;
	/** Share of the shared tokens that are among the first 20 tokens of P. */
	readonly sharedInPassage: number | null;
	/** 1 if a query expansion token (see `isExpansion`) is among the first 20 tokens of Q, else 0. */
	readonly expansion: number;
	/** 1 if the first token of Q is in both texts, else 0. */
	readonly firstShared: number;
	/** Mean reciprocal rank in P of the shared tokens. */
	readonly reciprocalShared: number | null;
	/** Mean reciprocal rank in P of the tokens that only the passage has. */
	readonly reciprocalPassageOnly: number | null;
}

/**
Values of a question and the relevant passage that BM25 finds for it: the worst ranks of the content tokens that the two
texts share. Content tokens are neither stop words nor punctuation marks.
*/
export interface AmnesiaValues {
	/** Id of the question. */
	readonly id: string;
	/** Index of the question's group, from 0. Questions are grouped by the rank of the passage in dense retrieval. */
	readonly group: number;
	/** Worst rank in Q. */
	readonly worstInQuestion: number;
	/** Worst rank in P. */
	readonly worstInPassage: number;
}

export interface QuestionValues {
	/** Values of all questions with their gold passages. */
	readonly gold: readonly GoldValues[];
	/** Values of all questions that share a content token with the passage that BM25 finds. */
	readonly amnesia: readonly AmnesiaValues[];
}

/**
Computes the values of `gold`, questions with their gold passages, and of `sparse`, questions with relevant passages that
BM25 finds. Questions are grouped by the rank of the passage in the run `dense`. `bounds` has the last rank of each
group but the last one, in ascending order; the last group has all later ranks and the passages that are not in the run.
*/
export async function questionValues(
	gold: readonly RankedPair[],
	sparse: readonly RankedPair[],
	dense: Run,
	bounds: readonly number[],
): Promise<QuestionValues> {
	const goldPairValues: GoldValues[] = [];
	for (const pair of gold) {
		await yieldIfOverBudget();
		goldPairValues.push(goldValues(pair));
	}
	const amnesia: AmnesiaValues[] = [];
	for (const pair of sparse) {
		await yieldIfOverBudget();
		const {question, passage} = sharedContentRanks(pair);
		if (passage.length > 0) {
			const [worstInQuestion, worstInPassage] = [Math.max(...question), Math.max(...passage)];
			amnesia.push({id: pair.id, group: groupAt(pair, dense, bounds), worstInQuestion, worstInPassage});
		}
	}
	return {gold: goldPairValues, amnesia};
}

function goldValues({id, tokens}: RankedPair): GoldValues {
	const shared = tokens.filter(({inQuestion, inPassage}) => inQuestion && inPassage);
	const passageOnly = tokens.filter(({inQuestion, inPassage}) => inPassage && !inQuestion);
	return {
		id,
		sharedInQuestion: mean(shared, ({questionRank}) => Number(questionRank <= TOP_TOKENS)),
		sharedInPassage: mean(shared, ({passageRank}) => Number(passageRank <= TOP_TOKENS)),
		expansion: Number(tokens.some(token => isExpansion(token) && token.questionRank <= TOP_TOKENS)),
		firstShared: Number(shared.some(({questionRank}) => questionRank === 1)),
		reciprocalShared: mean(shared, ({passageRank}) => 1 / passageRank),
		reciprocalPassageOnly: mean(passageOnly, ({passageRank}) => 1 / passageRank),
	};
}

/** Returns the mean of a value over tokens; `null` if there are no tokens. */
function mean(tokens: readonly RankedToken[], valueOf: (token: RankedToken) => number): number | null {
	return tokens.length === 0 ? null : tokens.reduce((sum, token) => sum + valueOf(token), 0) / tokens.length;
}
