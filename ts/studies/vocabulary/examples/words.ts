/** Captions and sentences about the examples, for HTML and for Markdown. */
import {grouped} from '../../../drawing/format.ts';
import type {ProjectedExample} from './projected-example.ts';

/** Number of tokens of each projection in Table 1. */
export const TABLE_TOKENS = 10;

export const captions = {
	table: (seed: number): string =>
		`Test questions with their gold passages, drawn at random (seed ${seed}), and the ${TABLE_TOKENS} likeliest tokens of their projections.`,
	figure:
		'The likeliest tokens of the projections of two questions and passages, with their probabilities. Below each: the token that question and passage share and that the passage’s projection ranks worst.',
} as const;

/** The rank that dense retrieval gives the passage, and the token that its vector has forgotten. */
export function figureWords({denseRank, worst}: ProjectedExample): string {
	const place =
		denseRank === null ? 'Dense retrieval does not find the passage.' : `Dense retrieval has the passage at rank ${grouped(denseRank)}.`;
	return worst === null
		? place
		: `${place} The shared token that P ranks worst is “${worst.token}”: rank ${grouped(worst.passageRank)} in P, ${grouped(worst.questionRank)} in Q.`;
}
