/** Checks that a value is the result of a study, because callers pass what they have read from JSON files. */
import {isObject, kindOf, shown} from '../../core/checks.ts';
import {RetrievalError} from '../../core/errors.ts';

/** Fails with `ERR_FORMAT` if `value` is not an object of this format. */
export function checkStudyFormat(value: unknown, format: string): void {
	const found = isObject(value) ? value['format'] : undefined;
	if (found !== format) {
		const got = found === undefined ? kindOf(value) : `format ${shown(found)}`;
		throw new RetrievalError('ERR_FORMAT', `study: expected an object of format "${format}", got ${got}`);
	}
}

/** Fails with `ERR_FORMAT` if there is not one value for each cut-off or measure (`each`). */
export function checkValueCount(name: string, values: readonly number[], {length}: readonly unknown[], each: string): void {
	if (values.length !== length) {
		throw new RetrievalError('ERR_FORMAT', `study: ${name}: expected ${length} values, one for each ${each}, got ${values.length}`);
	}
}
