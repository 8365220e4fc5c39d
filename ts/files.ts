/** What the operating system refuses, as errors of this package: all uses of `node:fs` go through here or say why not. */
import {statSync} from 'node:fs';
import {isNativeError} from 'node:util/types';
import {RetrievalError} from './errors.ts';

/** Runs work on a file or folder; a refusal of the system becomes `ERR_IO` with the operation and the path. */
export async function onPath<T>(operation: string, path: string, work: () => Promise<T>): Promise<T> {
	try {
		return await work();
	} catch (error) {
		throw pathError(operation, path, error);
	}
}

/** The same for work that does not wait. */
export function onPathSync<T>(operation: string, path: string, work: () => T): T {
	try {
		return work();
	} catch (error) {
		throw pathError(operation, path, error);
	}
}

/** `ERR_IO` for an error of the system, which stays its cause; any other error as it is. */
export function pathError(operation: string, path: string, error: unknown): unknown {
	if (!isNativeError(error)) {
		return error;
	}
	const {code, syscall} = error as NodeJS.ErrnoException;
	if (code === 'ERR_INVALID_ARG_VALUE') {
		return new RetrievalError('ERR_ARGUMENT', `${operation} ${JSON.stringify(path)}: expected a path, got one with a null byte`, {
			cause: error,
		});
	}
	return syscall === undefined ? error : new RetrievalError('ERR_IO', `${operation} ${path}: ${error.message}`, {cause: error});
}

/** Whether a folder is there that can be looked at. Models are named by folder or by name, so this refuses nothing. */
export function isFolder(path: string): boolean {
	try {
		return statSync(path, {throwIfNoEntry: false})?.isDirectory() ?? false;
	} catch {
		// No permission, or no path at all.
		return false;
	}
}

/** Whether an error says that there is no such file. A path that leads through a file has none either. */
export function isMissing(error: unknown): boolean {
	const {code} = error as NodeJS.ErrnoException;
	return code === 'ENOENT' || code === 'ENOTDIR';
}
