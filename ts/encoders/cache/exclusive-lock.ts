/**
A lock file that lets only one object at a time use a file. It names its holder, so that the lock of a process that was killed is
recognized and broken at once.
*/
import {randomUUID} from 'node:crypto';
import {constants, copyFile, link, readFile, rename, rm, writeFile} from 'node:fs/promises';
import {isMissing, onPath} from '../../core/file-system.ts';
import {RetrievalError} from '../../core/errors.ts';
import {hasEnded, parsedRecord, thisProcess} from '../../core/files/process-record.ts';

/**
Creates the lock file `<path>.lock` and returns a function that removes it. Fails with `ERR_INDEX_LOCKED` if the process that created an
existing lock file may still run, which includes this process.
*/
export async function lockExclusively(path: string): Promise<() => Promise<void>> {
	const lock = `${path}.lock`;
	const content = JSON.stringify({...thisProcess(), id: randomUUID()});
	while (!(await created(path, lock, content))) {
		const existing = await onPath('read', lock, async () => readFile(lock, 'utf8').catch(unlessMissing));
		const record = existing === undefined ? undefined : parsedRecord(existing);
		if (existing !== undefined && (record === undefined || hasEnded(record) !== true)) {
			const holder = record === undefined ? 'another process' : `process ${record.pid} of ${record.host}`;
			throw new RetrievalError(
				'ERR_INDEX_LOCKED',
				`open ${path}: expected a file that is not in use, got one that ${holder} has open. If that process has ended, delete ${lock}.`,
			);
		}
		if (existing !== undefined) {
			await breakLock(lock, existing);
		}
	}
	return async () => {
		if ((await readFile(lock, 'utf8').catch(() => '')) === content) {
			await rm(lock, {force: true}).catch(() => {});
		}
	};
}

/** Creates the lock file with its whole content in one step. Returns false if it exists. */
async function created(path: string, lock: string, content: string): Promise<boolean> {
	const temporary = `${lock}.${randomUUID()}`;
	return onPath('open', path, async () => {
		try {
			await writeFile(temporary, content, {flag: 'wx'});
			try {
				await link(temporary, lock);
			} catch (error) {
				if ((error as NodeJS.ErrnoException).code === 'EEXIST') {
					return false;
				}
				// Some file systems, such as exFAT, have no links.
				await copyFile(temporary, lock, constants.COPYFILE_EXCL);
			}
			return true;
		} catch (error) {
			if ((error as NodeJS.ErrnoException).code === 'EEXIST') {
				return false;
			}
			throw error;
		} finally {
			await rm(temporary, {force: true}).catch(() => {});
		}
	});
}

/** Removes the lock of a process that has ended. If several processes try at once, only one can rename the file. */
async function breakLock(lock: string, content: string): Promise<void> {
	const aside = `${lock}.${randomUUID()}`;
	try {
		await rename(lock, aside);
	} catch {
		return;
	}
	if ((await readFile(aside, 'utf8').catch(() => '')) !== content) {
		// Another process has already broken the lock and holds it now, so its file is restored.
		await link(aside, lock).catch(() => {});
	}
	await onPath('remove', aside, async () => rm(aside, {force: true}));
}

/** Returns `undefined` for a missing file, and throws any other error. */
function unlessMissing(error: unknown): undefined {
	if (!isMissing(error)) {
		throw error;
	}
}
