/** How the command line reports errors. */
import {isNativeError} from 'node:util/types';
import {RetrievalError} from '../core/errors.ts';

/** A usage error. The exit status is 2. */
export class UsageError extends Error {
	override readonly name = 'UsageError';
}

/** Prints an error to standard error as one line, or as one object with `--json`. Bugs are printed with their stack. */
export function reportError(error: unknown, json: boolean): void {
	const {message, stack} = isNativeError(error) ? error : new Error(String(error));
	const code = error instanceof RetrievalError ? error.code : error instanceof UsageError ? 'ERR_USAGE' : 'ERR_INTERNAL';
	if (json) {
		process.stderr.write(`${JSON.stringify({error: {code, message}})}\n`);
		return;
	}
	const expected = code !== 'ERR_INTERNAL';
	process.stderr.write(`passagekit: ${expected ? message : (stack ?? message)}${expected ? ` (${code})` : ''}\n`);
}
