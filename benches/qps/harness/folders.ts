// The folders that the benchmarks of queries per second use, and a function that returns the size of a folder.
import {readdirSync, statSync} from 'node:fs';
import {join} from 'node:path';
import {packageRoot} from '../../../ts/core/native/addon.ts';

/** The folder `benches/qps`. */
export const qpsFolder = join(packageRoot, 'benches', 'qps');
/** Prepared data, indexes and installed peers. It can be deleted at any time. */
export const cache = join(qpsFolder, '.cache');
/** The folder with the data and models that all benchmarks read (`data/` and `models/`). They cannot be published. */
export const shared = process.env['PASSAGEKIT_SHARED'] ?? join(packageRoot, '..', 'shared');

/** Returns the total size of a folder's files, in bytes. */
export function bytesOf(folder: string): number {
	return readdirSync(folder, {recursive: true, withFileTypes: true})
		.filter(entry => entry.isFile())
		.reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}
