import {isArray, isWellFormed, kindOf, shown} from '../core/checks.ts';
import {RetrievalError} from '../core/errors.ts';

/** The fields of a passage as JSON, after a check of their types. The addon checks their sizes. */
export function fieldsJson(what: string, fields: unknown): string {
	checkRecord(what, fields, 'an object of names and values');
	for (const [name, value] of Object.entries(fields)) {
		checkText(`${what}: name`, name);
		if (Array.isArray(value)) {
			for (const [i, text] of value.entries()) {
				checkText(`${what}.${name}[${i}]`, text);
			}
		} else if (!isScalar(value)) {
			refuse(`${what}.${name}`, 'a string, a finite number, a boolean or an array of strings', value);
		} else if (typeof value === 'string') {
			checkText(`${what}.${name}`, value);
		}
	}
	return JSON.stringify(fields);
}

export function checkRecord(what: string, value: unknown, expected: string): asserts value is Readonly<Record<string, unknown>> {
	// A Map has no properties and would pass for an empty object.
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

export function checkText(what: string, value: unknown): asserts value is string {
	if (typeof value !== 'string') {
		refuse(what, 'a string', value);
	}
	if (!isWellFormed(value)) {
		throw new RetrievalError('ERR_ARGUMENT', `${what}: expected well-formed Unicode, got a lone surrogate`);
	}
}

export function isScalar(value: unknown): value is string | number | boolean {
	return typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value);
}

export function refuse(what: string, expected: string, value: unknown): never {
	throw new RetrievalError(
		'ERR_ARGUMENT',
		`${what}: expected ${expected}, got ${isArray(value) ? 'an array' : typeof value === 'string' ? kindOf(value) : shown(value)}`,
	);
}
