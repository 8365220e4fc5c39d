/**
A lock file that lets only one object at a time use another file. The lock file names the process that created it, so that the lock of a
process that was killed is recognized, and removed when the other file is opened again.
*/
import {randomUUID} from 'node:crypto';
import {constants, copyFile, link, readFile, rename, rm, writeFile} from 'node:fs/promises';
import {isMissing, onPath} from '../../core/file-system.ts';
import {RetrievalError} from '../../core/errors.ts';
import {hasEnded, parsedRecord, thisProcess} from '../../core/files/process-record.ts';

/**
Creates the lock file `<path>.lock` and returns a function that removes it. Fails with `ERR_INDEX_LOCKED` if there is a lock
file already and the process that created it, which may be this one, may still be running.
*/
export async function lockExclusively(path: string): Promise<() => Promise<void>> {
	const lock = `${path}.lock`;
	const content = JSON.stringify({...thisProcess(), id: randomUUID()});
	while (!(await created(path, lock, content))) {
		const existing = await onPath('read', lock, async () => readFile(lock, 'utf8').catch(unlessMissing));
		const record = existing === undefined ? undefined : parsedRecord(existing);
		if (existing !== undefined && (record === undefined || hasEnded(record) !== true)) {
			const holder = record === undefined ? 'another process' : `process ${record.pid} on ${record.host}`;
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

/** Creates the lock file; on file systems with hard links, it appears with all of its content in one step. Returns false if it exists. */
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
				// Some file systems, such as exFAT, have no hard links.
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

/** Removes the lock file of a process that has ended. If several processes try at the same time, only one can rename the file. */
async function breakLock(lock: string, content: string): Promise<void> {
	const aside = `${lock}.${randomUUID()}`;
	try {
		await rename(lock, aside);
	} catch {
		return;
	}
	if ((await readFile(aside, 'utf8').catch(() => '')) !== content) {
		// Another process broke the old lock first, and the renamed file is its new lock, so it is put back.
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
