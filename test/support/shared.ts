import {existsSync} from 'node:fs';
import {join} from 'node:path';
import type {ExecutionContext} from 'ava';
import {packageRoot} from '../../ts/core/native/addon.ts';

/** Other people's collections and outputs, which cannot be published. CI has them; most users do not. */
export const sharedFolder = process.env['PASSAGEKIT_SHARED'] ?? join(packageRoot, '..', 'shared');

/** The path of a shared file; `undefined`, and said so loudly, where there is none. */
export function shared(t: ExecutionContext | undefined, ...parts: string[]): string | undefined {
	const path = join(sharedFolder, ...parts);
	if (existsSync(path)) {
		return path;
	}
	const message = `SKIPPED: ${parts.join('/')} is not in ${sharedFolder}; this claim was not tested`;
	if (t) {
		t.log(message);
		t.pass(message);
	} else {
		console.error(message);
	}
	return undefined;
}
