/** Groups of questions by the rank that dense retrieval gives the passage: the panels of token amnesia (Figures 5 and 7). */
import {grouped} from '../../drawing/format.ts';
import type {AmnesiaGroup} from '../../vocabulary/index.ts';

export type RankGroup = Pick<AmnesiaGroup, 'from' | 'to'>;

/** "1–5", "beyond 100". */
export const groupLabel = ({from, to}: RankGroup): string =>
	to === null ? `beyond ${grouped(from - 1)}` : from === to ? grouped(from) : `${grouped(from)}–${grouped(to)}`;

/** The groups that end at `bounds`, and the group of all higher ranks. */
export const rankGroups = (bounds: readonly number[]): readonly RankGroup[] =>
	[...bounds, null].map((to, i) => ({from: (bounds[i - 1] ?? 0) + 1, to}));

/** A rank, or a quantile of ranks, which may be fractional. */
export const shownRank = (rank: number): string => grouped(Math.round(rank));
