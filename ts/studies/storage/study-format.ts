/**
Checks that a value is the result of a study, because callers may pass any value that they have parsed from a JSON file.
*/
import {isObject, kindOf, shown} from '../../core/checks.ts';
import {RetrievalError} from '../../core/errors.ts';

/** Fails with `ERR_FORMAT` if `value` is not an object whose property `format` is the given one. */
export function checkStudyFormat(value: unknown, format: string): void {
	const found = isObject(value) ? value['format'] : undefined;
	if (found !== format) {
		const got = found === undefined ? kindOf(value) : `format ${shown(found)}`;
		throw new RetrievalError('ERR_FORMAT', `study: expected an object of format "${format}", got ${got}`);
	}
}

/**
Fails with `ERR_FORMAT` unless `values` has the same length as the third argument. In the message, `name` names the
values, and `each` names an element of the third argument.
*/
export function checkValueCount(name: string, values: readonly number[], {length}: readonly unknown[], each: string): void {
	if (values.length !== length) {
		throw new RetrievalError('ERR_FORMAT', `study: ${name}: expected ${length} values, one for each ${each}, got ${values.length}`);
	}
}
