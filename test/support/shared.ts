/** Finds files in the shared folder: collections and outputs of other systems that cannot be published. CI has them; most checkouts do not. */
import {existsSync} from 'node:fs';
import {join} from 'node:path';
import {packageRoot} from '../../ts/core/native/addon.ts';

export const sharedFolder = process.env['PASSAGEKIT_SHARED'] ?? join(packageRoot, '..', 'shared');

/** The path of a shared file; `undefined`, with a note on standard error, if it is absent. */
export function sharedFile(...parts: readonly string[]): string | undefined {
	const path = join(sharedFolder, ...parts);
	if (existsSync(path)) {
		return path;
	}
	console.error(`SKIPPED: ${parts.join('/')} is not in ${sharedFolder}`);
	return undefined;
}
