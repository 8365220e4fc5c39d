/**
Groups of questions by the rank that dense retrieval gives to their passage, for measuring token amnesia (Ram et al.,
2023, Figures 5 and 7).
*/
import {withCommas} from '../../drawing/format.ts';
import type {AmnesiaGroup} from '../../vocabulary/index.ts';

/**
The first and the last rank of a group. `to` is `null` for the last group, which has all later ranks and the passages
that dense retrieval does not find.
*/
export type RankGroup = Pick<AmnesiaGroup, 'from' | 'to'>;

/** Returns the label of a group, such as "1–5" or "beyond 100". */
export const groupLabel = ({from, to}: RankGroup): string =>
	to === null ? `beyond ${withCommas(from - 1)}` : from === to ? withCommas(from) : `${withCommas(from)}–${withCommas(to)}`;

/** Returns the groups that end at `bounds`, and then the group of all later ranks. */
export const rankGroups = (bounds: readonly number[]): readonly RankGroup[] =>
	[...bounds, null].map((to, i) => ({from: (bounds[i - 1] ?? 0) + 1, to}));

/** Formats a rank or a quantile of ranks, which may be fractional, as a whole number. */
export const shownRank = (rank: number): string => withCommas(Math.round(rank));
