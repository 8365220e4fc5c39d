import {checkId, checkObject, shown} from '../core/checks.ts';
import {RetrievalError} from '../core/errors.ts';
import type {Hit} from '../core/types.ts';

/** A phrase: a range of the text of a passage. */
export interface PhrasePlace {
	/** Id of the passage. */
	readonly id: string;
	/** Offset in UTF-16 code units of the passage's text; the range is half-open: `[start, end)`. */
	readonly start: number;
	readonly end: number;
}

/** A retrieved passage with its best phrase, or a retrieved phrase. */
export interface PhraseHit extends Hit, PhrasePlace {}

/** Separates passage id, start and end in the id of a row. Passage ids must not contain it. */
const SEPARATOR = '\u{1f}';

/** The id of the index row of a phrase. `at` is the start of error messages. */
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

/** The phrase whose row has this id. */
export function placeOf(row: string): PhrasePlace {
	const [id, start, end] = row.split(SEPARATOR);
	return {id: id!, start: Number(start), end: Number(end)};
}

export function passageOf(row: string): string {
	return row.slice(0, row.indexOf(SEPARATOR));
}

export function phraseHits(hits: readonly Hit[]): PhraseHit[] {
	return hits.map(({id: row, score}) => {
		const [id, start, end] = row.split(SEPARATOR);
		return {id: id!, score, start: Number(start), end: Number(end)};
	});
}
