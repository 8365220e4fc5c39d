/** Formats hits for the terminal: rank, title, document id and score, and the passage with the words of the query in bold. */
import type {CollectionHit, Highlight} from '../../collection/index.ts';
import {styled} from '../output.ts';
import {wrapped} from '../table.ts';

/** The indentation of the lines of a passage. */
const INDENT = '   ';
/** A longer passage is cut to about this number of characters around its first highlight. */
const MAX_LENGTH = 700;
/** Maximum number of characters that are shown before the first highlight of a passage that is cut. */
const MAX_LENGTH_BEFORE = 150;

/** Formats hits, with lines of at most `columns` characters. */
export function shownHits(hits: readonly CollectionHit[], columns: number): string {
	return hits
		.map(({document, score, title, text = '', highlights = []}, i) => {
			const details = styled('dim', `${singleSpaced(document)} · ${score.toFixed(3)}`);
			const heading = title === undefined ? details : `${styled('bold', singleSpaced(title))}  ${details}`;
			const passage = wrapped(shownText(text, highlights), Math.max(20, columns - INDENT.length));
			return [`${i + 1}. ${heading}`, ...passage.split('\n').map(line => INDENT + line), ''].join('\n');
		})
		.join('\n');
}

/** Returns a text, or its part around the first highlight, with highlights in bold. */
function shownText(text: string, highlights: readonly Highlight[]): string {
	const {from, to} = shownPart(text, highlights[0]?.start ?? 0);
	const parts: string[] = [];
	let at = from;
	for (const {start, end} of highlights) {
		if (start >= at && end <= to) {
			// Each word is styled on its own, so that no style extends over a line break.
			const words = singleSpaced(text.slice(start, end)).split(' ');
			parts.push(singleSpaced(text.slice(at, start)), words.map(word => styled('bold', word)).join(' '));
			at = end;
		}
	}
	parts.push(singleSpaced(text.slice(at, to)));
	return `${from > 0 ? '… ' : ''}${parts.join('').trim()}${to < text.length ? ' …' : ''}`;
}

/** Returns the range of a text to show: all of a short text; otherwise, a part around the position `first`, cut between words if possible. */
function shownPart(text: string, first: number): {readonly from: number; readonly to: number} {
	if (text.length <= MAX_LENGTH) {
		return {from: 0, to: text.length};
	}
	const from = first <= MAX_LENGTH_BEFORE ? 0 : text.indexOf(' ', first - MAX_LENGTH_BEFORE) + 1;
	const space = text.lastIndexOf(' ', from + MAX_LENGTH);
	return {from, to: from + MAX_LENGTH >= text.length ? text.length : space <= first ? from + MAX_LENGTH : space};
}

/** Replaces each sequence of white space and control characters, which could change the state of the terminal, with one space. */
function singleSpaced(text: string): string {
	return text.replaceAll(/[\s\p{Cc}]+/gu, ' ');
}
