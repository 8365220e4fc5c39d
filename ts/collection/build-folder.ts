/**
The temporary folder in which a collection is built. It is next to the target folder and is called `.NAME.building-PID-RANDOM`, where NAME
is the name of the target and PID the id of the building process. A file in the folder records that process, so that later builds can tell
whether a process that was killed left the folder behind.
*/
import {randomUUID} from 'node:crypto';
import {type Stats, chmodSync, chownSync, mkdirSync, readFileSync, renameSync, rmSync, rmdirSync, statSync, writeFileSync} from 'node:fs';
import {mkdir, readdir, readlink, realpath, rm, stat} from 'node:fs/promises';
import {basename, dirname, join, resolve} from 'node:path';
import {RetrievalError} from '../core/errors.ts';
import {callSync, native} from '../core/native/native.ts';
import {type ProcessRecord, hasEnded, isRunning, parsedRecord, thisProcess} from '../core/files/process-record.ts';
import {onForcedExit} from '../core/files/unfinished-files.ts';
import {parts} from './manifest.ts';

/** The file with the record of the building process. */
const RECORD = 'building.json';
/**
A folder without a record counts as abandoned after this time without a change, if this machine has no process with the PID in the folder's
name.
*/
const ABANDONED_WITHOUT_RECORD_MS = 5 * 60_000;
/** A folder of a process on another machine or in another container counts as abandoned after this time without a change. */
const ABANDONED_ELSEWHERE_MS = 24 * 60 * 60_000;
/** Maximum number of symbolic links that are followed one after another; Linux has the same limit. */
const MAX_LINKS = 40;

/** Returns the path to which a collection is written. Symbolic links are followed, so that the build does not replace the links. */
export async function targetOf(output: string): Promise<string> {
	let path = resolve(output);
	for (let links = 0; links <= MAX_LINKS; links++) {
		const link = await readlink(path).catch(() => undefined);
		if (link === undefined) {
			return path;
		}
		path = resolve(await realpath(dirname(path)), link);
	}
	throw new RetrievalError('ERR_IO', `write ${output}: expected a folder, got a chain of more than ${MAX_LINKS} symbolic links, or a loop`);
}

/** A temporary folder that `moveToTarget` turns into a collection, or that is removed. */
export class BuildFolder {
	readonly path: string;
	readonly #target: string;
	/** Mode and owner of the folder that is replaced, if there is one. */
	readonly #replaced: Stats | undefined;
	/** Unregisters the callback that removes the folder if the process is forced to exit. */
	readonly #unregister: () => void;
	/** Whether the replaced collection was moved aside and could not be restored. */
	#keepsOld = false;

	private constructor(path: string, target: string, replaced: Stats | undefined) {
		this.path = path;
		this.#target = target;
		this.#replaced = replaced;
		this.#unregister = onForcedExit(() => this.#removeSync());
	}

	/** Creates a folder next to `target`, a path that `targetOf` returned, and removes the folders of killed builds. */
	static async create(target: string): Promise<BuildFolder> {
		const path = join(dirname(target), `.${basename(target)}.building-${process.pid}-${randomUUID().slice(0, 8)}`);
		let folder: BuildFolder | undefined;
		try {
			await mkdir(dirname(target), {recursive: true});
			await removeLeftovers(target);
			const replaced = statSync(target, {throwIfNoEntry: false});
			// Even during the build, the folder grants no permissions that the replaced folder does not grant.
			mkdirSync(path, {mode: replaced === undefined ? 0o777 : replaced.mode & 0o777});
			folder = new BuildFolder(path, target, replaced);
			writeFileSync(join(path, RECORD), JSON.stringify(thisProcess()));
			return folder;
		} catch (error) {
			await folder?.remove().catch(() => {});
			throw writeError(target, error);
		}
	}

	/**
	Moves the folder to the target path. With `overwrite`, it replaces an existing folder: in one step if the operating system can exchange
	two folders, otherwise by two renames. The method is synchronous, so that no other code of this thread runs between the renames.
	*/
	moveToTarget(overwrite: boolean): void {
		try {
			this.#keepPermissions();
			if (overwrite && statSync(this.#target, {throwIfNoEntry: false})) {
				this.#exchange();
			} else {
				// Windows cannot rename a folder to the path of an empty folder.
				removeEmpty(this.#target);
				renameSync(this.path, this.#target);
			}
			// Removed only now: until the new collection is in place, other builds need the record to know whether this process still runs.
			rmSync(join(this.#target, RECORD), {force: true});
		} catch (error) {
			throw writeError(this.#target, error);
		}
	}

	/** Removes the temporary folder: the unfinished collection, or, after a move, the collection that was replaced. */
	async remove(): Promise<void> {
		await rm(this.path, {recursive: true, force: true});
		if (!this.#keepsOld) {
			await rm(this.#old(), {recursive: true, force: true});
		}
		this.#unregister();
	}

	/** The path to which the replaced collection is moved if the operating system cannot exchange two folders. */
	#old(): string {
		return `${this.path}.old`;
	}

	/** Replaces the folder at the target. Afterwards, the replaced folder is at `path` or at `#old()`, where `remove` deletes it. */
	#exchange(): void {
		if (callSync(() => native.exchangeFolders(this.path, this.#target))) {
			return;
		}
		const old = this.#old();
		renameSync(this.#target, old);
		try {
			renameSync(this.path, this.#target);
		} catch (error) {
			try {
				renameSync(old, this.#target);
			} catch {
				this.#keepsOld = true;
				const {message} = error as Error;
				throw new RetrievalError('ERR_IO', `write ${this.#target}: ${message}; the collection that was there is now ${old}`, {
					cause: error,
				});
			}
			throw error;
		}
	}

	/** Gives the temporary folder the owner and mode of the folder that it replaces. */
	#keepPermissions(): void {
		if (this.#replaced !== undefined) {
			const {mode, uid, gid} = this.#replaced;
			try {
				chownSync(this.path, uid, gid);
			} catch {
				// Only root can change the owner.
			}
			chmodSync(this.path, mode & 0o7777);
		}
	}

	/** Removes the temporary folder when the process is forced to exit. */
	#removeSync(): void {
		const gone = `${this.path}.gone`;
		// After the rename, threads that still write cannot create more files in the folder.
		renameSync(this.path, gone);
		rmSync(gone, {recursive: true, force: true, maxRetries: 3});
		if (!this.#keepsOld) {
			rmSync(this.#old(), {recursive: true, force: true});
		}
	}
}

/**
Restores a collection that a build moved aside but did not replace, because the build was killed between its two renames. Returns whether
there was such a collection; also returns true if another process has just restored it.
*/
export async function restoreMovedAside(target: string): Promise<boolean> {
	for (const name of await leftovers(target)) {
		const path = join(dirname(target), name);
		if (name.endsWith('.old') && hasBuilderEnded(path)) {
			try {
				renameSync(path, target);
				return true;
			} catch (error) {
				if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
					return true;
				}
			}
		}
	}
	return false;
}

/** Removes the leftovers of killed builds of `target`. */
async function removeLeftovers(target: string): Promise<void> {
	for (const name of await leftovers(target)) {
		const path = join(dirname(target), name);
		// A collection that was moved aside is kept until there is a collection at the target.
		const isNeeded = name.endsWith('.old') && !(await stat(join(target, parts.manifest)).catch(() => undefined));
		if (!isNeeded && (await isAbandoned(path))) {
			await rm(path, {recursive: true, force: true}).catch(() => {});
		}
	}
}

/**
Returns the names of the temporary folders of builds of `target`. Names that end in `.old` are those of collections that were moved aside;
folders whose names end in `.gone` are being removed.
*/
async function leftovers(target: string): Promise<string[]> {
	const start = `.${basename(target)}.building-`;
	const names = await readdir(dirname(target)).catch(() => []);
	return names.filter(name => name.startsWith(start) && /^\d+(?:-[\da-f]{8})?(?:\.old|\.gone)?$/u.test(name.slice(start.length)));
}

/** Whether the process that moved a collection aside to `old` has ended. */
function hasBuilderEnded(old: string): boolean {
	// The record is in the temporary folder of that process, whose name is the same without `.old`.
	const record = recordIn(old.slice(0, -'.old'.length));
	return record ? hasEnded(record) === true : !isRunning(pidOf(basename(old)));
}

function recordIn(folder: string): ProcessRecord | undefined {
	try {
		return parsedRecord(readFileSync(join(folder, RECORD), 'utf8'));
	} catch {
		return undefined;
	}
}

/** Whether the process that created a temporary folder has ended or, if this cannot be known, has probably ended. */
async function isAbandoned(path: string): Promise<boolean> {
	const record = recordIn(path);
	const ended = record && hasEnded(record);
	if (ended !== undefined) {
		return ended;
	}
	const unchanged = await millisecondsUnchanged(path);
	return record ? unchanged > ABANDONED_ELSEWHERE_MS : unchanged > ABANDONED_WITHOUT_RECORD_MS && !isRunning(pidOf(basename(path)));
}

/** Time since the folder or one of its entries last changed. */
async function millisecondsUnchanged(folder: string): Promise<number> {
	const names = await readdir(folder).catch(() => []);
	const paths = [folder, ...names.map(name => join(folder, name))];
	const changes = await Promise.all(
		paths.map(async path =>
			stat(path)
				.then(({mtimeMs}) => mtimeMs)
				.catch(() => 0),
		),
	);
	return Date.now() - Math.max(...changes);
}

function pidOf(name: string): number {
	return Number(/\.building-(\d+)/u.exec(name)?.[1]);
}

/** Removes a folder if it is empty. */
function removeEmpty(folder: string): void {
	try {
		rmdirSync(folder);
	} catch {
		// The folder is missing or not empty. In the latter case, the rename that follows fails.
	}
}

function writeError(target: string, error: unknown): unknown {
	return error instanceof RetrievalError
		? error
		: new RetrievalError('ERR_IO', `write ${target}: ${(error as Error).message}`, {cause: error});
}
