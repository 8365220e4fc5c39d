/**
Finds files in the shared folder, which has data sets that cannot be published, and the outputs of other systems for these
data sets. The CI machine has this folder; most checkouts do not.
*/
import {existsSync} from 'node:fs';
import {join} from 'node:path';
import {packageRoot} from '../../ts/core/native/addon.ts';

/** The path of the shared folder: `PASSAGEKIT_SHARED`, or `shared` next to the checkout. */
export const sharedFolder = process.env['PASSAGEKIT_SHARED'] ?? join(packageRoot, '..', 'shared');

/** Returns the path of a file in the shared folder. If the file is absent, prints a line to stderr and returns `undefined`. */
export function sharedFile(...parts: readonly string[]): string | undefined {
	const path = join(sharedFolder, ...parts);
	if (existsSync(path)) {
		return path;
	}
	console.error(`SKIPPED: ${parts.join('/')} is not in ${sharedFolder}`);
	return undefined;
}
