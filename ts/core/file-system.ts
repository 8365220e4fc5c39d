/** Converts errors of the operating system to errors of this package, with the code `ERR_IO`. */
import {statSync} from 'node:fs';
import {isNativeError} from 'node:util/types';
import {RetrievalError} from './errors.ts';

/** Runs work on a file or folder; a system error becomes `ERR_IO` with the operation and the path. */
export async function onPath<T>(operation: string, path: string, work: () => Promise<T>): Promise<T> {
	try {
		return await work();
	} catch (error) {
		throw pathError(operation, path, error);
	}
}

/** Runs synchronous work on a file or folder; a system error becomes `ERR_IO` with the operation and the path. */
export function onPathSync<T>(operation: string, path: string, work: () => T): T {
	try {
		return work();
	} catch (error) {
		throw pathError(operation, path, error);
	}
}

/**
Converts a system error to `ERR_IO`, and the error for a path with a null byte to `ERR_ARGUMENT`, with the original error as the cause.
Returns any other error unchanged.
*/
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

/** Whether the path is an existing folder. Never throws, because the argument may be the name of a model instead of a path. */
export function isFolder(path: string): boolean {
	try {
		return statSync(path, {throwIfNoEntry: false})?.isDirectory() ?? false;
	} catch {
		// No permission, or not a valid path.
		return false;
	}
}

/** Whether an error says that a file does not exist, including the case that a parent folder in its path is a file. */
export function isMissing(error: unknown): boolean {
	const {code} = error as NodeJS.ErrnoException;
	return code === 'ENOENT' || code === 'ENOTDIR';
}
