/** Checks the fields of passages and converts them to JSON. */
import {isDate} from 'node:util/types';
import {checkRecord, checkText, dateText, storedValue} from './values.ts';

const EXPECTED = 'a string, a finite number, a boolean, a Date or an array of strings and Dates';

/**
Checks the types of a passage's fields and returns them as JSON, in which dates are strings. The addon checks sizes. `what` is the start
of error messages.
*/
export function fieldsJson(what: string, fields: unknown): string {
	checkRecord(what, fields, 'an object of names and values');
	const entries = Object.entries(fields).map(([name, value]) => {
		checkText(`${what}: name`, name);
		return [name, Array.isArray(value) ? textsOf(`${what}.${name}`, value) : storedValue(`${what}.${name}`, value, EXPECTED)];
	});
	return JSON.stringify(Object.fromEntries(entries));
}

function textsOf(what: string, values: readonly unknown[]): string[] {
	// Unlike `map`, `Array.from` also visits the empty slots of a sparse array.
	return Array.from(values, (value, i) => {
		if (isDate(value)) {
			return dateText(`${what}[${i}]`, value);
		}
		checkText(`${what}[${i}]`, value);
		return value;
	});
}
