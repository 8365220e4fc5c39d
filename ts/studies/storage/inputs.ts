/** What a study was made of: files and models, told by name and SHA-256. */
import {createHash} from 'node:crypto';
import {createReadStream} from 'node:fs';
import {readdir, stat} from 'node:fs/promises';
import {basename, join, relative, resolve} from 'node:path';
import {isFolder, onPath} from '../../core/file-system.ts';

export interface Counted {
	readonly count: number;
	/** Of the file, without its folder. */
	readonly name?: string;
	/** Of the file, or of the texts where there is none. */
	readonly sha256: string;
}

export interface Model {
	readonly name: string;
	readonly sha256: string;
}

/** A folder's own name, so that a study says nothing of where it was made; the name of a model as it is. */
export function named(model: string): string {
	return isFolder(model) ? basename(resolve(model)) : model;
}

/** A word as a shell takes it. */
export function quoted(word: string): string {
	return /^[\w./,@:-]+$/u.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

/** SHA-256 of a file, or of the names and contents of a folder's files in the order of their names. */
export async function sha256(path: string, signal: AbortSignal | undefined): Promise<string> {
	const hash = createHash('sha256');
	const take = async (file: string): Promise<void> =>
		onPath('read', file, async () => {
			try {
				for await (const chunk of createReadStream(file, {signal})) {
					hash.update(chunk as Buffer);
				}
			} catch (error) {
				signal?.throwIfAborted();
				throw error;
			}
		});
	if (!(await onPath('open', path, async () => stat(path))).isDirectory()) {
		await take(path);
		return hash.digest('hex');
	}
	const entries = await onPath('read', path, async () => readdir(path, {recursive: true, withFileTypes: true}));
	const files = entries.filter(entry => entry.isFile()).map(entry => relative(path, join(entry.parentPath, entry.name)));
	for (const file of files.toSorted()) {
		hash.update(`${file}\0`);
		await take(join(path, file));
	}
	return hash.digest('hex');
}
