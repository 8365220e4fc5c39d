/** Errors of the command line, and how they are printed. */
import {isNativeError} from 'node:util/types';
import {RetrievalError} from '../core/errors.ts';

/** A mistake in the arguments that the user typed. The exit status is then 2. */
export class UsageError extends Error {
	override readonly name = 'UsageError';
}

/**
Prints an error to standard error. With `--json`, it is one JSON object with a code and the message. Otherwise an
expected error is one line, and an unexpected one is printed with its stack.
*/
export function reportError(error: unknown, json: boolean): void {
	const {message, stack} = isNativeError(error) ? error : new Error(String(error));
	const code = error instanceof RetrievalError ? error.code : error instanceof UsageError ? 'ERR_USAGE' : 'ERR_INTERNAL';
	if (json) {
		process.stderr.write(`${JSON.stringify({error: {code, message}})}\n`);
		return;
	}
	const isExpected = code !== 'ERR_INTERNAL';
	process.stderr.write(`passagekit: ${isExpected ? message : (stack ?? message)}${isExpected ? ` (${code})` : ''}\n`);
}
