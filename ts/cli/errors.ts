import {isNativeError} from 'node:util/types';
import {RetrievalError} from '../core/errors.ts';

/** A call that cannot be understood: exit status 2. */
export class UsageError extends Error {
	override readonly name = 'UsageError';
}

/** One line on standard error, or with `--json` one object. A bug shows its stack. */
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
