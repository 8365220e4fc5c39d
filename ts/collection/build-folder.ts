/**
The folder in which a collection is built before it takes its place: `.NAME.building-PROCESS-RANDOM` beside it. It holds a
record of the building process, by which the next build tells what killed builds left behind.
*/
import {randomUUID} from 'node:crypto';
import {type Stats, chmodSync, chownSync, mkdirSync, readFileSync, renameSync, rmSync, rmdirSync, statSync, writeFileSync} from 'node:fs';
import {mkdir, readdir, readlink, realpath, rm, stat} from 'node:fs/promises';
import {basename, dirname, join, resolve} from 'node:path';
import {RetrievalError} from '../errors.ts';
import {callSync, native} from '../native.ts';
import {type ProcessRecord, hasEnded, isRunning, parsedRecord, thisProcess} from '../process-record.ts';
import {whenLeft} from '../unfinished.ts';
import {parts} from './manifest.ts';

/** The record of the building process. */
const RECORD = 'building.json';
/** After this time without a change, a folder without a record is abandoned if its process does not run here. */
const WITHOUT_RECORD_MS = 5 * 60_000;
/** After this time without a change, a folder of a process that cannot be seen from here is abandoned. */
const UNSEEN_MS = 24 * 60 * 60_000;
/** Longest chain of symbolic links that is followed, as in Linux. */
const MAX_LINKS = 40;

/** Where a collection goes: symbolic links are followed, so that they stay. */
export async function placeOf(output: string): Promise<string> {
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

export class BuildFolder {
	readonly path: string;
	readonly #target: string;
	/** Of the collection that is replaced. */
	readonly #replaced: Stats | undefined;
	readonly #release: () => void;
	/** The replaced collection is there and could not be put back. */
	#keepsOld = false;

	private constructor(path: string, target: string, replaced: Stats | undefined) {
		this.path = path;
		this.#target = target;
		this.#replaced = replaced;
		this.#release = whenLeft(() => this.#removeSync());
	}

	/** Makes a folder beside `target`, a path without links at its end, and removes those of killed builds. */
	static async create(target: string): Promise<BuildFolder> {
		const path = join(dirname(target), `.${basename(target)}.building-${process.pid}-${randomUUID().slice(0, 8)}`);
		let folder: BuildFolder | undefined;
		try {
			await mkdir(dirname(target), {recursive: true});
			await sweep(target);
			const replaced = statSync(target, {throwIfNoEntry: false});
			// No wider than what it replaces, while it is built too.
			mkdirSync(path, {mode: replaced === undefined ? 0o777 : replaced.mode & 0o777});
			folder = new BuildFolder(path, target, replaced);
			writeFileSync(join(path, RECORD), JSON.stringify(thisProcess()));
			return folder;
		} catch (error) {
			await folder?.remove().catch(() => {});
			throw refused(target, error);
		}
	}

	/**
	Puts the folder in the place of the target. With `overwrite` it takes the place of what is there: in one step where the
	system can exchange two folders, else by two renames. Nothing else of this thread runs meanwhile.
	*/
	moveInto(overwrite: boolean): void {
		try {
			this.#keepPermissions();
			if (overwrite && statSync(this.#target, {throwIfNoEntry: false})) {
				this.#exchange();
			} else {
				// Windows renames nothing over an empty folder.
				removeEmpty(this.#target);
				renameSync(this.path, this.#target);
			}
			// Only now: until the new collection is in its place, others have to know whether this process still runs.
			rmSync(join(this.#target, RECORD), {force: true});
		} catch (error) {
			throw refused(this.#target, error);
		}
	}

	/** Removes what was built, or what was replaced by it. */
	async remove(): Promise<void> {
		await rm(this.path, {recursive: true, force: true});
		if (!this.#keepsOld) {
			await rm(this.#old(), {recursive: true, force: true});
		}
		this.#release();
	}

	#old(): string {
		return `${this.path}.old`;
	}

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

	#keepPermissions(): void {
		if (this.#replaced !== undefined) {
			const {mode, uid, gid} = this.#replaced;
			try {
				chownSync(this.path, uid, gid);
			} catch {
				// Only root gives folders away.
			}
			chmodSync(this.path, mode & 0o7777);
		}
	}

	#removeSync(): void {
		const gone = `${this.path}.gone`;
		// Threads that still write create no more files in a folder that has another name.
		renameSync(this.path, gone);
		rmSync(gone, {recursive: true, force: true, maxRetries: 3});
		if (!this.#keepsOld) {
			rmSync(this.#old(), {recursive: true, force: true});
		}
	}
}

/**
Puts back the collection that a build moved away and could not replace, because it was killed between two renames. Whether
there was one, or another process put it back meanwhile.
*/
export async function putBack(target: string): Promise<boolean> {
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

/** Removes what killed builds of `target` left behind. */
async function sweep(target: string): Promise<void> {
	for (const name of await leftovers(target)) {
		const path = join(dirname(target), name);
		// What was moved away is of no use only once there is a collection in its place.
		const wanted = name.endsWith('.old') && !(await stat(join(target, parts.manifest)).catch(() => undefined));
		if (!wanted && (await isAbandoned(path))) {
			await rm(path, {recursive: true, force: true}).catch(() => {});
		}
	}
}

async function leftovers(target: string): Promise<string[]> {
	const start = `.${basename(target)}.building-`;
	const names = await readdir(dirname(target)).catch(() => []);
	return names.filter(name => name.startsWith(start) && /^\d+(?:-[\da-f]{8})?(?:\.old|\.gone)?$/u.test(name.slice(start.length)));
}

/** Of a collection that was moved away: its builder's folder lies beside it. */
function hasBuilderEnded(old: string): boolean {
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

async function isAbandoned(path: string): Promise<boolean> {
	const record = recordIn(path);
	const ended = record && hasEnded(record);
	if (ended !== undefined) {
		return ended;
	}
	const unchanged = await millisecondsUnchanged(path);
	return record ? unchanged > UNSEEN_MS : unchanged > WITHOUT_RECORD_MS && !isRunning(pidOf(basename(path)));
}

/** Since the folder or one of its entries was changed. */
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

function removeEmpty(folder: string): void {
	try {
		rmdirSync(folder);
	} catch {
		// Missing, or not empty: renaming tells.
	}
}

function refused(target: string, error: unknown): unknown {
	return error instanceof RetrievalError
		? error
		: new RetrievalError('ERR_IO', `write ${target}: ${(error as Error).message}`, {cause: error});
}
