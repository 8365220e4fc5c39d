/** Converts the cells of tables and the properties of JSON objects to the values of fields. */
import {isWellFormed} from '../../core/checks.ts';
import type {FieldValue} from '../../core/types.ts';
import type {DocumentFieldType} from './mapping.ts';
import {described, quoted} from './record.ts';

/** The error for a value that does not fit. The caller adds the name of the column or property, and the line. */
export class ValueError extends Error {
	readonly expected: string;
	readonly got: string;

	constructor(expected: string, got: string) {
		super(`expected ${expected}, got ${got}`);
		this.expected = expected;
		this.got = got;
	}
}

/** The limits that an index sets for the values of fields. */
const MAX_STRING_BYTES = 32_000;
const MAX_STRINGS = 10_000;

/**
Converts a value to a type. Without a type, the value keeps its own. For the type `strings`, a text is split at `separator`. Fails with a
`ValueError` if the value does not fit the type or the limits of fields.
*/
export function fieldValue(value: unknown, type: DocumentFieldType | undefined, separator: string | RegExp): FieldValue {
	const converted = type === undefined ? value : converters[type](value, separator);
	if (isArrayOfStrings(converted)) {
		if (converted.length > MAX_STRINGS) {
			throw new ValueError('at most 10,000 strings', String(converted.length));
		}
		converted.forEach(checkText);
		return converted;
	}
	if (typeof converted === 'string') {
		checkText(converted);
		return converted;
	}
	if (typeof converted === 'boolean' || (typeof converted === 'number' && Number.isFinite(converted))) {
		return converted;
	}
	throw new ValueError(
		type === undefined ? 'a string, a finite number, a boolean or an array of strings' : expected[type],
		described(value),
	);
}

/** What values of a type look like, for error messages. */
const expected: Readonly<Record<DocumentFieldType, string>> = {
	string: 'a string, a number or a boolean',
	number: 'a number',
	boolean: 'true, false, yes, no, 1 or 0',
	date: 'a date such as 2024-03-01 or 2024-03-01T12:00:00Z',
	strings: 'an array of strings, or a text',
};

/** Functions that convert a value to a type, and return undefined if it does not fit. */
const converters: Readonly<Record<DocumentFieldType, (value: unknown, separator: string | RegExp) => unknown>> = {
	string: value =>
		typeof value === 'number' || typeof value === 'boolean' ? String(value) : typeof value === 'string' ? value : undefined,
	number: value => (typeof value === 'string' ? parsedNumber(value) : typeof value === 'number' ? value : undefined),
	boolean: value => (typeof value === 'boolean' ? value : booleans.get(String(value).trim().toLowerCase())),
	date: value => (typeof value === 'string' ? parsedDate(value.trim()) : undefined),
	strings: (value, separator) =>
		typeof value === 'string'
			? value
					.split(separator)
					.map(part => part.trim())
					.filter(part => part !== '')
			: isArrayOfStrings(value)
				? value
				: undefined,
};

const booleans: ReadonlyMap<string, boolean> = new Map([
	['true', true],
	['yes', true],
	['1', true],
	['false', false],
	['no', false],
	['0', false],
]);

/** Parses a decimal number. `Number` alone would accept empty texts, hexadecimal numbers and `Infinity`. */
function parsedNumber(text: string): number | undefined {
	return /^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?\s*$/iu.test(text) ? Number(text) : undefined;
}

const DATE = /^(\d{4})-(\d\d)(?:-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?(Z|[+-]\d\d:?\d\d)?)?)?$/iu;

/**
Parses a date in ISO 8601 format, and returns it as `toISOString()` does. `Date.parse` alone would accept days that do not exist, and would
take a time without an offset as local time, so that the result would depend on the machine.
*/
function parsedDate(text: string): string | undefined {
	const match = DATE.exec(text);
	if (match === null) {
		return undefined;
	}
	const [, year, month, day = '01', hour = '00', minute = '00', second = '00', fraction = '', offset = 'Z'] = match;
	const date = `${year}-${month}-${day}`;
	const millisecond = fraction.slice(0, 3).padEnd(3, '0');
	const utc = Date.parse(`${date}T${hour}:${minute}:${second}.${millisecond}Z`);
	// `Date.parse` turns a day that does not exist into a day of the next month. Only the time 24:00 may change the day.
	if (Number.isNaN(utc) || (hour !== '24' && !new Date(utc).toISOString().startsWith(date))) {
		return undefined;
	}
	if (offset.toUpperCase() === 'Z') {
		return new Date(utc).toISOString();
	}
	const [hours, minutes] = [Number(offset.slice(1, 3)), Number(offset.slice(-2))];
	if (hours > 23 || minutes > 59) {
		return undefined;
	}
	return new Date(utc - (offset.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * 60_000).toISOString();
}

function isArrayOfStrings(value: unknown): value is readonly string[] {
	return Array.isArray(value) && value.every(item => typeof item === 'string');
}

function checkText(text: string): void {
	if (!isWellFormed(text)) {
		throw new ValueError('well-formed Unicode', `a lone surrogate in ${quoted(text)}`);
	}
	// A UTF-16 code unit takes one to three bytes of UTF-8.
	if (text.length * 3 > MAX_STRING_BYTES && Buffer.byteLength(text) > MAX_STRING_BYTES) {
		throw new ValueError('at most 32,000 bytes of text in a field', `${Buffer.byteLength(text)}; leave it out of the mapping's fields`);
	}
}
