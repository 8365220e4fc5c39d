/**
Finds the words of a text that match words of a query, for collections that `passagekit index` built and for those in a cluster: their
searches return no highlights. Searches of collections that `passagekit add` changes do, so they do not need this module. Words are those of
Unicode's word segmentation (UAX #29).
*/
import type {Highlight} from '../../collection/index.ts';

/** An index that returns the terms of a text. */
interface Analyzing {
	terms(text: string): string[];
}

const segmenter = new Intl.Segmenter('en', {granularity: 'word'});

/** Returns the positions of the words of a text whose terms are all terms of the query. */
export function highlightsIn(text: string, query: string, index: Analyzing): Highlight[] {
	const queryTerms = new Set(index.terms(query));
	return [...segmenter.segment(text)].flatMap(({segment, index: start, isWordLike}) => {
		const terms = isWordLike ? index.terms(segment) : [];
		const isMatch = terms.length > 0 && terms.every(term => queryTerms.has(term));
		return isMatch ? [{start, end: start + segment.length}] : [];
	});
}
