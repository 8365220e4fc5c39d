/**
Captions of the examples and sentences about them, for both the HTML and the Markdown report. They correspond to Table 1
and Figure 2 of Ram et al. (2023).
*/
import {withCommas} from '../../../drawing/format.ts';
import type {ProjectedExample} from './projected-example.ts';

/** Number of tokens per projection in Table 1 of the report. */
export const TABLE_TOKENS = 10;

export const captions = {
	table: (seed: number): string =>
		`Test questions with their gold passages, drawn at random (seed ${seed}), and the ${TABLE_TOKENS} most probable tokens of their projections.`,
	figure:
		'The most probable tokens of the projections of two questions and passages, with their probabilities. The sentence below each example names the shared token that the passage’s projection P ranks worst.',
} as const;

/**
Returns sentences about the rank of the passage in dense retrieval and about the shared token with the worst rank in P.
*/
export function exampleSentences({denseRank, worst}: ProjectedExample): string {
	const found =
		denseRank === null ? 'Dense retrieval does not find the passage.' : `Dense retrieval gives the passage rank ${withCommas(denseRank)}.`;
	return worst === null
		? found
		: `${found} The shared token that P ranks worst is “${worst.token}”: rank ${withCommas(worst.passageRank)} in P, ${withCommas(worst.questionRank)} in Q.`;
}
