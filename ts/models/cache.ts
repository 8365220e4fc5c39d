/** Where downloaded models and computed results are cached. */
import {homedir} from 'node:os';
import {join, resolve} from 'node:path';
import {checkString} from '../core/checks.ts';

/**
Returns the cache folder: the given one, or else the one in the environment variable PASSAGEKIT_CACHE, or else `.cache/passagekit` in the
home folder.
*/
export function cacheFolderOf(given?: string): string {
	const folder = given ?? (process.env['PASSAGEKIT_CACHE'] || join(homedir(), '.cache', 'passagekit'));
	checkString('cacheFolder', folder);
	return resolve(folder);
}
