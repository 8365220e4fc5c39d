import {checkId, checkObject, shown} from '../core/checks.ts';
import {RetrievalError} from '../core/errors.ts';
import type {Hit} from '../core/types.ts';

/** A phrase by its passage and place. */
export interface PhrasePlace {
	/** Of the passage. */
	readonly id: string;
	/** UTF-16 code units of the passage's text, half-open: `[start, end)`. */
	readonly start: number;
	readonly end: number;
}

/** A passage, by its best phrase. */
export interface PhraseHit extends Hit, PhrasePlace {}

/** Stands in ids of rows behind the passage's and between start and end; no passage's id has it. */
const BETWEEN = '\u{1f}';

/** The id of the row of a phrase. `at` begins the message of what is refused. */
export function rowOf(at: string, phrase: PhrasePlace): string {
	checkObject(at, phrase, 'a phrase {id, start, end}');
	const {id, start, end} = phrase;
	checkId(`${at}.id`, id);
	if (id === '' || id.includes(BETWEEN)) {
		const got = id === '' ? 'an empty one' : JSON.stringify(id);
		throw new RetrievalError('ERR_ARGUMENT', `${at}.id: expected an id of one character or more, none of them U+001F, got ${got}`);
	}
	if (!Number.isSafeInteger(start) || !Number.isSafeInteger(end) || start < 0 || end < start) {
		throw new RetrievalError('ERR_ARGUMENT', `${at}: expected whole numbers 0 ≤ start ≤ end, got ${shown(start)} and ${shown(end)}`);
	}
	return `${id}${BETWEEN}${start}${BETWEEN}${end}`;
}

/** The phrase whose row has this id. */
export function placeOf(row: string): PhrasePlace {
	const [id, start, end] = row.split(BETWEEN);
	return {id: id!, start: Number(start), end: Number(end)};
}

export function passageOf(row: string): string {
	return row.slice(0, row.indexOf(BETWEEN));
}

export function phraseHits(hits: readonly Hit[]): PhraseHit[] {
	return hits.map(({id: row, score}) => {
		const [id, start, end] = row.split(BETWEEN);
		return {id: id!, score, start: Number(start), end: Number(end)};
	});
}
