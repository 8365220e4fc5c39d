/**
Token amnesia (Ram et al., 2023, §6.1): a dense retriever fails more often if its vectors forget tokens. A vector forgets a token of
its text if the token has a low rank in the vector's projection onto the vocabulary. Q is the projection of a question's vector, P that
of a passage's vector. `foundBySparse` chooses pairs of questions and passages, and `tokenAmnesia` measures the forgetting in them.
*/
import {yieldIfOverBudget} from '../../core/event-loop.ts';
import type {Qrels, Run} from '../../core/types.ts';
import {checkedQrels} from '../../core/native/qrels.ts';
import {checkRun, hitsFor} from '../../core/native/runs.ts';
import {checkRanked, checkRanks} from './check.ts';
import type {RankedPair} from './ranked-pairs.ts';

/** Percentiles of ranks: the 5th, 25th, 50th, 75th and 95th, interpolated linearly. */
export interface RankQuantiles {
	readonly low: number;
	readonly firstQuartile: number;
	readonly median: number;
	readonly thirdQuartile: number;
	readonly high: number;
}

/**
The pairs whose passage has a rank from `from` to `to` in the dense retriever's hits. In the last group, `to` is `null`: the group
has all ranks of at least `from`, and the passages that were not found.
*/
export interface AmnesiaGroup {
	readonly from: number;
	readonly to: number | null;
	/** Number of pairs, which is the number of questions. */
	readonly questions: number;
	/** Quantiles, over the pairs, of the worst rank of a pair's shared content tokens: in P (`passage`) and in Q (`question`). */
	readonly max: {readonly passage: RankQuantiles; readonly question: RankQuantiles};
	/** Quantiles, over the pairs, of the median rank of a pair's shared content tokens: in P (`passage`) and in Q (`question`). */
	readonly median: {readonly passage: RankQuantiles; readonly question: RankQuantiles};
}

/** The result of `tokenAmnesia`. */
export interface TokenAmnesia {
	readonly groups: readonly AmnesiaGroup[];
	/** Number of pairs without a shared content token: they share only stop words and punctuation marks, or nothing. They are in no group. */
	readonly withoutSharedCount: number;
}

/**
Finds the questions and passages for `tokenAmnesia` (Ram et al., 2023, §6.1): the questions for which a BM25 run has a relevant
passage among its first `depth` hits, each with the first such passage. Returns a map from question ids to passage ids.

@example
```
foundBySparse(new Map([['q1', [{id: 'p3', score: 9}, {id: 'p7', score: 8}]]]), new Map([['q1', new Map([['p7', 1]])]]));
//=> Map {'q1' => 'p7'}
```
*/
export function foundBySparse(run: Run, qrels: Qrels, depth = 5): Map<string, string> {
	checkRun('run', run);
	checkRanks('depth', [depth]);
	const found = new Map<string, string>();
	for (const [id, grades] of checkedQrels(qrels)) {
		const hit = hitsFor(run, id)
			.slice(0, depth)
			.find(hit => (grades.get(hit.id) ?? 0) > 0);
		if (hit !== undefined) {
			found.set(id, hit.id);
		}
	}
	return found;
}

/**
Measures whether a dense retriever fails where its vectors forget tokens (Ram et al., 2023, §6.1, Figures 5 and 7). Groups the
pairs by the passage's rank in the run `dense`. `bounds` has the last rank of each group; one more group has all later ranks and the
passages that were not found. Empty groups are left out.

Only the content tokens that question and passage share are measured; content tokens are neither stop words nor punctuation marks. In
each pair, the shared tokens have a worst and a median rank in P, and a worst and a median rank in Q. Returns quantiles of these four
numbers over the pairs of each group.

`pairs` should be the questions and passages that `foundBySparse` finds, with the ranks that `rankPairs` adds.

@example
```
const {groups} = await tokenAmnesia(pairs, denseRun, [5, 100]);
groups.map(({from, to, max}) => [from, to, max.passage.median]);
//=> [[1, 5, 250], [6, 100, 1100], [101, null, 4200]]
```
*/
export async function tokenAmnesia(
	pairs: readonly RankedPair[],
	dense: Run,
	bounds: readonly number[] = [5, 20, 100],
): Promise<TokenAmnesia> {
	checkRanked(pairs);
	checkRun('dense', dense);
	checkRanks('bounds', bounds);
	const ends = [...new Set(bounds)].sort((a, b) => a - b);
	const groups = [...ends, null].map((to, i) => ({
		from: (ends[i - 1] ?? 0) + 1,
		to,
		// One number per pair in each array.
		max: {passage: [] as number[], question: [] as number[]},
		median: {passage: [] as number[], question: [] as number[]},
	}));
	let withoutSharedCount = 0;
	for (const pair of pairs) {
		await yieldIfOverBudget();
		const ranks = sharedContentRanks(pair);
		if (ranks.passage.length === 0) {
			withoutSharedCount += 1;
			continue;
		}
		const group = groups[groupAt(pair, dense, ends)]!;
		for (const side of ['passage', 'question'] as const) {
			group.max[side].push(Math.max(...ranks[side]));
			group.median[side].push(quantile(sorted(ranks[side]), 0.5));
		}
	}
	const quantilesOfBoth = ({passage, question}: {passage: number[]; question: number[]}): AmnesiaGroup['max'] => ({
		passage: quantiles(passage),
		question: quantiles(question),
	});
	return {
		groups: groups
			.filter(({max}) => max.passage.length > 0)
			.map(({from, to, max, median}) => ({
				from,
				to,
				questions: max.passage.length,
				max: quantilesOfBoth(max),
				median: quantilesOfBoth(median),
			})),
		withoutSharedCount,
	};
}

/** Returns the ranks in P and in Q of the content tokens that question and passage share. */
export function sharedContentRanks({tokens}: RankedPair): {readonly passage: readonly number[]; readonly question: readonly number[]} {
	const shared = tokens.filter(({inQuestion, inPassage, content}) => inQuestion && inPassage && content);
	return {passage: shared.map(token => token.passageRank), question: shared.map(token => token.questionRank)};
}

/**
Returns the index of a pair's group. `ends` are the last ranks of all groups except the last one, in ascending order. A passage that is
not in the run `dense` is in the last group.
*/
export function groupAt({id, passageId}: RankedPair, dense: Run, ends: readonly number[]): number {
	const index = hitsFor(dense, id).findIndex(hit => hit.id === passageId);
	const group = index < 0 ? -1 : ends.findIndex(end => index < end);
	return group < 0 ? ends.length : group;
}

/** Returns the quantiles of values in any order. */
function quantiles(values: readonly number[]): RankQuantiles {
	const ascending = sorted(values);
	return {
		low: quantile(ascending, 0.05),
		firstQuartile: quantile(ascending, 0.25),
		median: quantile(ascending, 0.5),
		thirdQuartile: quantile(ascending, 0.75),
		high: quantile(ascending, 0.95),
	};
}

const sorted = (values: readonly number[]): number[] => values.toSorted((a, b) => a - b);

/** Returns a quantile of sorted values, interpolated linearly: type 7 of Hyndman and Fan (1996), which is NumPy's default. */
function quantile(values: readonly number[], share: number): number {
	const at = share * (values.length - 1);
	const below = Math.floor(at);
	return values[below]! + (at - below) * ((values[below + 1] ?? values[below]!) - values[below]!);
}
