import {homedir} from 'node:os';
import {join, resolve} from 'node:path';
import {checkString} from '../core/checks.ts';

/** Where what was fetched or computed is kept: the folder that is named, else PASSAGEKIT_CACHE, else `.cache/passagekit` in the home folder. */
export function cacheFolderOf(named?: string): string {
	const folder = named ?? (process.env['PASSAGEKIT_CACHE'] || join(homedir(), '.cache', 'passagekit'));
	checkString('cacheFolder', folder);
	return resolve(folder);
}
