/** Checks the values that fields have and that filters compare: strings, numbers, booleans, and dates, which are stored as strings. */
import {isDate} from 'node:util/types';
import {isArray, isWellFormed, kindOf, shown} from '../checks.ts';
import {RetrievalError} from '../errors.ts';
import type {Scalar} from './filter.ts';

/** Length of `toISOString()` for the years 0000 to 9999, as in `2024-05-31T12:00:00.000Z`. Other years have a sign and six digits. */
const ISO_LENGTH = 24;

/** Accepts any object except arrays and instances of built-in classes. */
export function checkRecord(what: string, value: unknown, expected: string): asserts value is Readonly<Record<string, unknown>> {
	// A Map is rejected too: it has no properties and would be taken for an empty object.
	if (!isRecord(value)) {
		refuse(what, expected, value);
	}
}

function isRecord(value: unknown): boolean {
	try {
		return Object.prototype.toString.call(value) === '[object Object]';
	} catch {
		// The value is a revoked proxy.
		return false;
	}
}

/**
Whether a value is an object literal, of any realm, or an object without a prototype. Instances of classes are refused as filters, because
their properties may be private or on the prototype, and would be ignored.
*/
export function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
	if (!isRecord(value)) {
		return false;
	}
	const prototype = Object.getPrototypeOf(value) as object | null;
	return prototype === null || (Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype, 'hasOwnProperty'));
}

/** Accepts a string without lone surrogates. */
export function checkText(what: string, value: unknown): asserts value is string {
	if (typeof value !== 'string') {
		refuse(what, 'a string', value);
	}
	if (!isWellFormed(value)) {
		throw new RetrievalError('ERR_ARGUMENT', `${what}: expected well-formed Unicode, got a lone surrogate`);
	}
}

/**
Returns a string, a finite number or a boolean as it is, and a `Date` as the string that is stored for it. Refuses all other values;
`expected` describes the accepted values in the message.
*/
export function storedValue(what: string, value: unknown, expected: string): Scalar {
	if (typeof value === 'string') {
		checkText(what, value);
		return value;
	}
	if (typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))) {
		return value;
	}
	return isDate(value) ? dateText(what, value) : refuse(what, expected, value);
}

/** Whether `value` is a string, a boolean, a finite number or a `Date`. Lone surrogates and invalid dates are left to `storedValue`. */
export function isValue(value: unknown): value is Scalar | Date {
	return typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value) || isDate(value);
}

/** Returns `toISOString()`, whose code point order is chronological order, or fails if the year is not from 0000 to 9999. */
export function dateText(what: string, date: Date): string {
	// Calls the methods of `Date` itself, because a subclass could override them.
	const isValid = !Number.isNaN(Date.prototype.getTime.call(date));
	const text = isValid ? Date.prototype.toISOString.call(date) : 'an invalid Date';
	if (text.length !== ISO_LENGTH) {
		throw new RetrievalError('ERR_ARGUMENT', `${what}: expected a Date in the years 0000 to 9999, got ${text}`);
	}
	return text;
}

/** Throws an error that describes `value`. The content of a string is left out, because it may be long. */
export function refuse(what: string, expected: string, value: unknown, hint = ''): never {
	throw new RetrievalError('ERR_ARGUMENT', `${what}: expected ${expected}, got ${described(value)}${hint}`);
}

function described(value: unknown): string {
	if (isArray(value)) {
		return 'an array';
	}
	return typeof value === 'string' ? kindOf(value) : shown(value);
}
