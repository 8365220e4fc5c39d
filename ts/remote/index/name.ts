/** Checks the names of indexes and aliases. */
import {shown} from '../../core/checks.ts';
import {RetrievalError} from '../../core/errors.ts';

/** Maximum length of a name in bytes of UTF-8. */
const MAX_BYTES = 255;

/**
Fails with `ERR_ARGUMENT` unless OpenSearch accepts a name for one index. Other names must not be sent: with wildcards, commas or `_all`, a
request is for several indexes, and dates are replaced in names in angle brackets.
*/
export function checkIndexName(what: string, name: string): void {
	const isValid =
		!/^[_+-]|^\.{0,2}$|[\s\\/*?"<>|,#:\p{Cc}]/u.test(name) && name === name.toLowerCase() && Buffer.byteLength(name) <= MAX_BYTES;
	if (!isValid) {
		throw new RetrievalError(
			'ERR_ARGUMENT',
			`${what}: expected a valid name of an index: up to ${MAX_BYTES} bytes in lowercase, which do not begin with _, - or +, without spaces and \\ / * ? " < > | , # :, got ${shown(name)}`,
		);
	}
}
