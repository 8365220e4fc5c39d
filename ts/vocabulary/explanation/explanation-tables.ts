/**
The tables of an explanation as data, which the HTML page and the terminal output format. Q is the projection of the question's vector
onto the vocabulary, P that of the passage's vector.
*/
import type {Cell, ReportTable, Row} from '../../drawing/table.ts';
import {withCommas} from '../../drawing/format.ts';
import type {RankedToken} from '../analysis/ranked-pairs.ts';
import type {MatchExplanation} from './explain-match.ts';

/** A cell with a rank, or with a dash if there is none. */
const rank = (value: number | undefined): Cell => ({text: value === undefined ? '–' : withCommas(value)});

/** Tokens that question and passage share, with their ranks in Q and P and, if there is an enrichment, their ranks with it. */
export function sharedTable(explanation: MatchExplanation): ReportTable {
	const {dense, forgottenAfter} = explanation;
	return tokenTable(
		explanation,
		'Shared tokens',
		dense.shared.length === 0
			? 'Question and passage share no tokens except stop words and punctuation marks.'
			: `Tokens that are in both question and passage, without stop words and punctuation marks, and their ranks in the question’s projection Q and the passage’s projection P. † forgotten: rank in P worse than ${withCommas(forgottenAfter)}.`,
		dense.shared,
		passageRank => passageRank > forgottenAfter,
	);
}

/** Tokens of the passage that the question's vector adds to the question. */
export function expansionTable(explanation: MatchExplanation): ReportTable {
	const {dense, k} = explanation;
	return tokenTable(
		explanation,
		'Query expansion',
		dense.expansion.length === 0
			? `Except for stop words and punctuation marks, no token that is only in the passage is among the first ${k} tokens of Q.`
			: `Tokens of the passage, without stop words and punctuation marks, that are not in the question but are among the first ${k} tokens of Q.`,
		dense.expansion,
		() => false,
	);
}

/** The terms of the BM25 score, largest contribution first. */
export function bm25Table({bm25}: Required<Pick<MatchExplanation, 'bm25'>>): ReportTable {
	const terms = bm25.terms.toSorted((a, b) => b.contribution - a.contribution);
	return {
		name: 'BM25',
		caption: `The score, ${bm25.score.toFixed(2)}, is the sum of contributions: idf, times the term’s frequency in the question, times a factor below 1 that grows with its frequency in this passage (“here”). Terms are those of the index’s analyzer; “passages” is the number of passages that contain the term.`,
		firstHeading: 'Term',
		columns: [{heading: 'here'}, {heading: 'passages'}, {heading: 'idf'}, {heading: 'contribution'}],
		blocks: [
			{
				rows: terms.map(({term, frequency, passages, idf, contribution}) => ({
					heading: {text: term},
					cells: [{text: withCommas(frequency)}, {text: withCommas(passages)}, {text: idf.toFixed(2)}, {text: contribution.toFixed(2)}],
				})),
			},
		],
	};
}

/** Makes a table of tokens with their ranks. Ranks in P for which `isMarked` returns true get the marker †. */
function tokenTable(
	{enriched}: MatchExplanation,
	name: string,
	caption: string,
	tokens: readonly RankedToken[],
	isMarked: (passageRank: number) => boolean,
): ReportTable {
	const group = enriched && {before: 'As encoded', after: `Enriched, λ = ${Number(enriched.lambda.toPrecision(3))}`};
	const rankInPassage = (value: number | undefined): Cell => ({
		...rank(value),
		...(value !== undefined && isMarked(value) ? {markers: '†'} : {}),
	});
	const row = (token: RankedToken): Row => {
		const after = enriched?.ranked.find(({id}) => id === token.id);
		return {
			heading: {text: token.token},
			cells: [
				rank(token.questionRank),
				rankInPassage(token.passageRank),
				...(enriched ? [rank(after?.questionRank), rankInPassage(after?.passageRank)] : []),
			],
		};
	};
	return {
		name,
		caption,
		firstHeading: 'Token',
		columns: [
			...['rank in Q', 'rank in P'].map(heading => ({...(group && {group: group.before}), heading})),
			...(group ? ['rank in Q', 'rank in P'].map(heading => ({group: group.after, heading})) : []),
		],
		blocks: [{rows: tokens.map(row)}],
	};
}
