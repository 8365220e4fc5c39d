/** Token amnesia: whether a dense retriever fails where its vectors rank the shared tokens low (Ram et al., 2023, §6.1). */
import {waitForTime} from '../../core/event-loop.ts';
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

/** Questions whose passage the dense retriever ranks from `from` to `to`. `to` is `null` in the last group: ranks from `from` on, and passages not found. */
export interface AmnesiaGroup {
	readonly from: number;
	readonly to: number | null;
	readonly questions: number;
	/** Quantiles of the worst rank of a pair's shared tokens, in P and in Q. */
	readonly max: {readonly passage: RankQuantiles; readonly question: RankQuantiles};
	/** Quantiles of the median rank of a pair's shared tokens, in P and in Q. */
	readonly median: {readonly passage: RankQuantiles; readonly question: RankQuantiles};
}

export interface TokenAmnesia {
	readonly groups: readonly AmnesiaGroup[];
	/** Number of pairs that share only stop words and punctuation marks, or nothing. They are in no group. */
	readonly without: number;
}

/**
Finds the pairs for `tokenAmnesia` (Ram et al., 2023, §6.1). For each question for which a BM25 run has a relevant passage among
its first `depth` hits, the map has the first such passage: question id → passage id.

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
pairs by the rank that the retriever gives the passage. For each group it reports the worst and the median rank, in both
projections, of the content tokens that question and passage share. Groups end at the ranks in `bounds`; the last group has all
later ranks. Empty groups are left out.

`pairs` should be those of `foundBySparse`, that is, questions that BM25 answers. Stop words and punctuation marks do not count.

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
		max: {passage: [] as number[], question: [] as number[]},
		median: {passage: [] as number[], question: [] as number[]},
	}));
	let without = 0;
	for (const pair of pairs) {
		await waitForTime();
		const ranks = sharedContentRanks(pair);
		if (ranks.passage.length === 0) {
			without += 1;
			continue;
		}
		const group = groups[groupAt(pair, dense, ends)]!;
		for (const side of ['passage', 'question'] as const) {
			group.max[side].push(Math.max(...ranks[side]));
			group.median[side].push(quantile(sorted(ranks[side]), 0.5));
		}
	}
	const both = ({passage, question}: {passage: number[]; question: number[]}): AmnesiaGroup['max'] => ({
		passage: quantiles(passage),
		question: quantiles(question),
	});
	return {
		groups: groups
			.filter(({max}) => max.passage.length > 0)
			.map(({from, to, max, median}) => ({from, to, questions: max.passage.length, max: both(max), median: both(median)})),
		without,
	};
}

/** Returns the ranks in P and in Q of the content tokens that question and passage share. */
export function sharedContentRanks({tokens}: RankedPair): {readonly passage: readonly number[]; readonly question: readonly number[]} {
	const shared = tokens.filter(({inQuestion, inPassage, content}) => inQuestion && inPassage && content);
	return {passage: shared.map(token => token.passageRank), question: shared.map(token => token.questionRank)};
}

/** Returns the index of a pair's group. `ends` are the last ranks of all groups except the last one, in ascending order. */
export function groupAt({id, passageId}: RankedPair, dense: Run, ends: readonly number[]): number {
	const place = hitsFor(dense, id).findIndex(hit => hit.id === passageId);
	const at = place < 0 ? -1 : ends.findIndex(end => place < end);
	return at < 0 ? ends.length : at;
}

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

/** A quantile of sorted values, interpolated linearly: type 7 of Hyndman and Fan (1996), which is NumPy's default. */
function quantile(values: readonly number[], share: number): number {
	const at = share * (values.length - 1);
	const below = Math.floor(at);
	return values[below]! + (at - below) * ((values[below + 1] ?? values[below]!) - values[below]!);
}
