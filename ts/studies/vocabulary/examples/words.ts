/**
Captions for the examples and sentences about them, for both the HTML and the Markdown report. The examples are the
report's Table 1 and Figure 2, as in Ram et al. (2023).
*/
import {withCommas} from '../../../drawing/format.ts';
import type {ProjectedExample} from './projected-example.ts';

/** Number of tokens per projection in Table 1 of the report. */
export const TABLE_TOKENS = 10;

export const captions = {
	table: (seed: number): string =>
		`Test questions with their gold passages, drawn at random (seed ${seed}), and the ${TABLE_TOKENS} most probable tokens of their projections.`,
	figure:
		'Questions and passages with the most probable tokens of their projections, and the probabilities of these tokens. The sentence below each example names the shared token that the passage’s projection P ranks worst.',
} as const;

/**
Returns sentences about the rank of the passage in dense retrieval, and about the shared token with the worst rank in
the passage's projection P. Q is the projection of the question.
*/
export function exampleSentences({denseRank, worst}: ProjectedExample): string {
	const found =
		denseRank === null ? 'Dense retrieval does not find the passage.' : `Dense retrieval gives the passage rank ${withCommas(denseRank)}.`;
	return worst === null
		? found
		: `${found} The shared token that P ranks worst is “${worst.token}”: rank ${withCommas(worst.passageRank)} in P, ${withCommas(worst.questionRank)} in Q.`;
}
