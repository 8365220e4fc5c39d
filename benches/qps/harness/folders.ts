// The folders that the benchmarks of queries per second use, and a function that returns the size of a folder.
import {readdirSync, statSync} from 'node:fs';
import {join} from 'node:path';
import {packageRoot} from '../../../ts/core/native/addon.ts';

/** The folder `benches/qps`. */
export const qpsFolder = join(packageRoot, 'benches', 'qps');
/** The folder with prepared data, indexes and installed systems. It can be deleted at any time. */
export const cache = join(qpsFolder, '.cache');
/**
The folder with the data (`data/`) and models (`models/`) that the benchmarks read. They are not in the repository, because they are too
large or may not be redistributed.
*/
export const shared = process.env['PASSAGEKIT_SHARED'] ?? join(packageRoot, '..', 'shared');

/** Returns the total size of a folder's files, in bytes. */
export function bytesOf(folder: string): number {
	return readdirSync(folder, {recursive: true, withFileTypes: true})
		.filter(entry => entry.isFile())
		.reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}
