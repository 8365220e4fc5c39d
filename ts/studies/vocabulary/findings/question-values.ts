/** The values of single questions that the tests of the paper's claims compare. */
import {waitForTime} from '../../../core/event-loop.ts';
import type {Run} from '../../../core/types.ts';
import {groupAt, sharedContentRanks} from '../../../vocabulary/analysis/amnesia.ts';
import {isExpansion} from '../../../vocabulary/analysis/expansion.ts';
import type {RankedPair, RankedToken} from '../../../vocabulary/index.ts';

/** The first tokens of a projection, in which the claims look for shared tokens and query expansion. */
export const HEAD_TOKENS = 20;

/** Values of a question and its gold passage in the projections of one encoder. `null` if there is no token to count. */
export interface GoldValues {
	readonly id: string;
	/** Share of the shared tokens that are among the first 20 of Q, and of P. */
	readonly sharedInQuestion: number | null;
	readonly sharedInPassage: number | null;
	/** 1 if a query expansion token is among the first 20 of Q, else 0. */
	readonly expansion: number;
	/** 1 if both texts have the first token of Q, else 0. */
	readonly firstShared: number;
	/** Mean reciprocal rank in P of the shared tokens, and of the passage's other tokens. */
	readonly reciprocalShared: number | null;
	readonly reciprocalPassageOnly: number | null;
}

/** A question for which BM25 finds a passage: the worst ranks of the content tokens that both share. */
export interface AmnesiaValues {
	readonly id: string;
	/** The group of token amnesia, from 0. */
	readonly group: number;
	readonly worstInQuestion: number;
	readonly worstInPassage: number;
}

export interface QuestionValues {
	readonly gold: readonly GoldValues[];
	/** Without pairs that share no content token. */
	readonly amnesia: readonly AmnesiaValues[];
}

/** `bounds`: the last ranks of the groups of token amnesia, in order, except for the last group. */
export async function questionValues(
	gold: readonly RankedPair[],
	sparse: readonly RankedPair[],
	dense: Run,
	bounds: readonly number[],
): Promise<QuestionValues> {
	const ofGold: GoldValues[] = [];
	for (const pair of gold) {
		await waitForTime();
		ofGold.push(goldValues(pair));
	}
	const amnesia: AmnesiaValues[] = [];
	for (const pair of sparse) {
		await waitForTime();
		const {question, passage} = sharedContentRanks(pair);
		if (passage.length > 0) {
			const [worstInQuestion, worstInPassage] = [Math.max(...question), Math.max(...passage)];
			amnesia.push({id: pair.id, group: groupAt(pair, dense, bounds), worstInQuestion, worstInPassage});
		}
	}
	return {gold: ofGold, amnesia};
}

function goldValues({id, tokens}: RankedPair): GoldValues {
	const shared = tokens.filter(({inQuestion, inPassage}) => inQuestion && inPassage);
	const passageOnly = tokens.filter(({inQuestion, inPassage}) => inPassage && !inQuestion);
	return {
		id,
		sharedInQuestion: mean(shared, ({questionRank}) => Number(questionRank <= HEAD_TOKENS)),
		sharedInPassage: mean(shared, ({passageRank}) => Number(passageRank <= HEAD_TOKENS)),
		expansion: Number(tokens.some(token => isExpansion(token) && token.questionRank <= HEAD_TOKENS)),
		firstShared: Number(shared.some(({questionRank}) => questionRank === 1)),
		reciprocalShared: mean(shared, ({passageRank}) => 1 / passageRank),
		reciprocalPassageOnly: mean(passageOnly, ({passageRank}) => 1 / passageRank),
	};
}

function mean(tokens: readonly RankedToken[], valueOf: (token: RankedToken) => number): number | null {
	return tokens.length === 0 ? null : tokens.reduce((sum, token) => sum + valueOf(token), 0) / tokens.length;
}
