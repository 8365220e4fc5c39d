/** Converts phrases to row ids, which are the ids of their vectors in a vector index, and back. */
import {checkId, checkObject, shown} from '../core/checks.ts';
import {RetrievalError} from '../core/errors.ts';
import type {Hit} from '../core/types.ts';

/** Where a phrase is: a passage, and a range of its text. */
export interface PhrasePlace {
	/** Id of the passage. */
	readonly id: string;
	/** Offset of the first character in the passage's text, in UTF-16 code units. */
	readonly start: number;
	/** Offset after the last character. */
	readonly end: number;
}

/** A retrieved passage with the place of its best phrase, or a retrieved phrase. */
export interface PhraseHit extends Hit, PhrasePlace {}

/** Separates the passage id, the start and the end in the row id of a phrase. Passage ids must not contain this character. */
const SEPARATOR = '\u{1f}';

/** Returns the row id of a phrase: its id in the vector index. `at` is the start of error messages. */
export function rowOf(at: string, phrase: PhrasePlace): string {
	checkObject(at, phrase, 'a phrase {id, start, end}');
	const {id, start, end} = phrase;
	checkId(`${at}.id`, id);
	if (id === '' || id.includes(SEPARATOR)) {
		const got = id === '' ? 'an empty one' : JSON.stringify(id);
		throw new RetrievalError('ERR_ARGUMENT', `${at}.id: expected an id of one character or more, none of them U+001F, got ${got}`);
	}
	if (!Number.isSafeInteger(start) || !Number.isSafeInteger(end) || start < 0 || end < start) {
		throw new RetrievalError('ERR_ARGUMENT', `${at}: expected whole numbers 0 ≤ start ≤ end, got ${shown(start)} and ${shown(end)}`);
	}
	return `${id}${SEPARATOR}${start}${SEPARATOR}${end}`;
}

/** Returns the phrase with this row id. */
export function placeOf(row: string): PhrasePlace {
	const [id, start, end] = row.split(SEPARATOR);
	return {id: id!, start: Number(start), end: Number(end)};
}

/** Returns the passage id in a row id. */
export function passageOf(row: string): string {
	return row.slice(0, row.indexOf(SEPARATOR));
}

/** Converts hits with row ids to hits with passage ids and offsets. */
export function phraseHits(hits: readonly Hit[]): PhraseHit[] {
	return hits.map(({id: row, score}) => {
		const [id, start, end] = row.split(SEPARATOR);
		return {id: id!, score, start: Number(start), end: Number(end)};
	});
}
