/** The stored form of passages in a remote index. */
import {randomBytes} from 'node:crypto';
import {documentOf} from '../../core/filters/document-id.ts';
import type {StoredFieldsOf} from '../../core/typed-fields.ts';
import type {StoredFields} from '../../core/types.ts';
import type {StoredPassage} from '../../collection/live/types.ts';
import type {TermAnalyzer} from '../index/analyzer.ts';
import {names} from '../index/schema.ts';
import {attributesOf} from '../search/attributes.ts';
import {jsonNumbers} from '../search/requests.ts';

/** A passage to store. */
export interface RemotePassage {
	readonly id: string;
	/** The number of the passage in its document, from 0. */
	readonly number: number;
	/** The number of passages of its document. */
	readonly count: number;
	/** '' without a title. */
	readonly title: string;
	readonly text: string;
	/** The fields as JSON; '' without fields. */
	readonly fields: string;
	readonly vector: Float32Array | undefined;
	/** Orders passages by when they were added. */
	readonly added: number;
}

/** A passage as it is stored. */
export interface Source {
	readonly [names.number]: number;
	readonly [names.count]: number;
	readonly [names.added]: number;
	readonly [names.title]?: string;
	readonly [names.text]: string;
	readonly [names.fields]?: string;
	readonly [names.vector]?: readonly number[];
	readonly [names.write]?: string;
}

/** Returns a passage as JSON. `write` identifies the call that writes it. */
export function sourceJson(passage: RemotePassage, analyzer: TermAnalyzer, write: string): string {
	const {id, number, count, title, text, fields, vector, added} = passage;
	return JSON.stringify({
		[names.id]: id,
		[names.document]: documentOf(id),
		[names.number]: number,
		[names.count]: count,
		[names.added]: added,
		[names.terms]: analyzer.termsOf(passage),
		...(title === '' ? {} : {[names.title]: title}),
		[names.text]: text,
		...(fields === '' ? {} : {[names.fields]: fields, [names.attributes]: attributesOf(JSON.parse(fields) as StoredFields)}),
		...(vector === undefined ? {} : {[names.vector]: jsonNumbers(vector)}),
		[names.write]: write,
	});
}

/** Converts a stored passage. */
export function passageOf<Fields>(id: string, source: Readonly<Record<string, unknown>>): StoredPassage<Fields> {
	const {title, text, fields} = source as unknown as Source;
	return {
		id,
		document: documentOf(id),
		...(title === undefined ? {} : {title}),
		text,
		fields: (fields === undefined ? {} : JSON.parse(fields)) as StoredFieldsOf<Fields>,
	};
}

/** Returns a new identifier of a call that writes. */
export function newWriteId(): string {
	return randomBytes(12).toString('base64url');
}

let lastAdded = 0;

/**
Returns increasing numbers, which order passages by when they were added: microseconds since 1970, so that the passages of different
processes are ordered as well as their clocks agree. Returns the first of `count` numbers.
*/
export function nextAdded(count: number): number {
	const first = Math.max(lastAdded + 1, Date.now() * 1000);
	lastAdded = first + count - 1;
	return first;
}

/** Makes `nextAdded` return larger numbers than this one, which was chosen in another way. */
export function noteAdded(added: number): void {
	lastAdded = Math.max(lastAdded, added);
}
