/** Opens collections for commands. The errors say which command makes a collection of the expected kind. */
import {readdir, stat} from 'node:fs/promises';
import {join} from 'node:path';
import {Collection, type CollectionOptions} from '../collection/index.ts';
import {versionOf} from '../collection/manifest.ts';
import {RetrievalError} from '../core/errors.ts';
import {onPath} from '../core/file-system.ts';

/** Whether a folder has a collection that `passagekit add` changes. False if it has none, or one that `passagekit index` built. */
export async function isLive(folder: string): Promise<boolean> {
	return (await versionOf(folder)) === 2;
}

/** Fails if a folder has a collection that `passagekit index` built. `what` is the start of the message. */
export async function checkNotBuilt(what: string, folder: string): Promise<void> {
	if ((await versionOf(folder)) === 1) {
		throw new RetrievalError(
			'ERR_ARGUMENT',
			`${what}: expected a collection that \`passagekit add\` made, got ${folder}, which \`passagekit index\` built and which never changes`,
		);
	}
}

/** Opens an updatable collection. Fails with a message that begins with `what` if `passagekit index` built it, or if there is none. */
export async function openLive(what: string, folder: string, options: CollectionOptions = {}): Promise<Collection> {
	await checkNotBuilt(what, folder);
	if ((await versionOf(folder)) === undefined) {
		throw new RetrievalError(
			'ERR_IO',
			`${what}: expected a collection in ${folder}, got none; make one with \`passagekit add <files> --collection ${folder}\``,
		);
	}
	return Collection.open(folder, options);
}

/** Returns the size in bytes of a file, or of all files in a folder. Files that are removed meanwhile count as 0. */
export async function bytesOf(path: string): Promise<number> {
	const status = await stat(path).catch(() => undefined);
	if (status === undefined || !status.isDirectory()) {
		return status?.size ?? 0;
	}
	const names = await onPath('read', path, async () => readdir(path));
	const sizes = await Promise.all(names.map(async name => bytesOf(join(path, name))));
	return sizes.reduce((sum, size) => sum + size, 0);
}
