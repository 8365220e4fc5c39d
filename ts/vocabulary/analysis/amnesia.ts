import {waitForTime} from '../../core/event-loop.ts';
import type {Qrels, Run} from '../../core/types.ts';
import {checkedQrels} from '../../core/native/qrels.ts';
import {checkRun, hitsFor} from '../../core/native/runs.ts';
import {checkRanked, checkRanks} from './check.ts';
import type {RankedPair} from './ranked-pairs.ts';

/** Where ranks lie: the 5th, 25th, 50th, 75th and 95th percentile, interpolated linearly. */
export interface RankQuantiles {
	readonly low: number;
	readonly firstQuartile: number;
	readonly median: number;
	readonly thirdQuartile: number;
	readonly high: number;
}

/** Questions whose passage the dense retriever has at ranks `from` to `to`; `to` is `null` for those further down or not found. */
export interface AmnesiaGroup {
	readonly from: number;
	readonly to: number | null;
	readonly questions: number;
	/** Of the worst rank of a pair's shared tokens, in P and in Q. */
	readonly max: {readonly passage: RankQuantiles; readonly question: RankQuantiles};
	/** Of the median rank. */
	readonly median: {readonly passage: RankQuantiles; readonly question: RankQuantiles};
}

export interface TokenAmnesia {
	readonly groups: readonly AmnesiaGroup[];
	/** Pairs that share no token but stop words and punctuation marks; they are in no group. */
	readonly without: number;
}

/**
The pairs of token amnesia (Ram et al., 2023, §6.1): of each question that a run of BM25 answers among its first `depth`, the
first relevant passage there. Question id → passage id.

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
Whether a dense retriever fails where its vectors forget tokens (Ram et al., 2023, §6.1, Figures 5 and 7): the worst and the
median rank of the content tokens that question and passage share, in both projections, by the rank that the retriever gives
the passage. Groups end at the ranks `bounds`; the last has what comes after. Groups without a question are left out.

`pairs` are those of `foundBySparse`: questions that lexical overlap answers. Stop words and punctuation marks do not count.

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

/** The ranks in P and in Q of the content tokens that question and passage share. */
export function sharedContentRanks({tokens}: RankedPair): {readonly passage: readonly number[]; readonly question: readonly number[]} {
	const shared = tokens.filter(({inQuestion, inPassage, content}) => inQuestion && inPassage && content);
	return {passage: shared.map(token => token.passageRank), question: shared.map(token => token.questionRank)};
}

/** Which group a pair is in, from 0: `ends` are the last ranks of all groups but the last one, in order. */
export function groupAt({id, passageId}: RankedPair, dense: Run, ends: readonly number[]): number {
	const place = hitsFor(dense, id).findIndex(hit => hit.id === passageId);
	const at = place < 0 ? -1 : ends.findIndex(end => place < end);
	return at < 0 ? ends.length : at;
}

function quantiles(values: readonly number[]): RankQuantiles {
	const of = sorted(values);
	return {
		low: quantile(of, 0.05),
		firstQuartile: quantile(of, 0.25),
		median: quantile(of, 0.5),
		thirdQuartile: quantile(of, 0.75),
		high: quantile(of, 0.95),
	};
}

const sorted = (values: readonly number[]): number[] => values.toSorted((a, b) => a - b);

/** Of sorted values, interpolated linearly: type 7 of Hyndman and Fan (1996), NumPy's. */
function quantile(values: readonly number[], share: number): number {
	const at = share * (values.length - 1);
	const below = Math.floor(at);
	return values[below]! + (at - below) * ((values[below + 1] ?? values[below]!) - values[below]!);
}
