/** The cache folder for downloaded models and computed results. */
import {homedir} from 'node:os';
import {join, resolve} from 'node:path';
import {checkString} from '../core/checks.ts';

/** Returns the cache folder: the given folder, else PASSAGEKIT_CACHE, else `.cache/passagekit` in the home folder. */
export function cacheFolderOf(named?: string): string {
	const folder = named ?? (process.env['PASSAGEKIT_CACHE'] || join(homedir(), '.cache', 'passagekit'));
	checkString('cacheFolder', folder);
	return resolve(folder);
}
