// Reads the compressed files of the shared data sets.
import {readFile} from 'node:fs/promises';
import {gunzipSync} from 'node:zlib';

/** Reads the lines of a compressed file of JSON lines. */
export async function linesOf<T>(path: string): Promise<T[]> {
	return gunzipSync(await readFile(path))
		.toString('utf8')
		.trimEnd()
		.split('\n')
		.map(line => JSON.parse(line) as T);
}
