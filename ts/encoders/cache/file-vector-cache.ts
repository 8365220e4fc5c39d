/** A cache of vectors in a file, `FileVectorCache`. */
import {checkArray, checkCount, checkFactoryMade, checkFloats, checkString, isArray, kindOf, shown} from '../../core/checks.ts';
import {RetrievalError} from '../../core/errors.ts';
import {type OptionNames, checkRequiredOptions, optionNames} from '../../core/options.ts';
import type {CallOptions} from '../../core/types.ts';
import {lockExclusively} from './exclusive-lock.ts';
import type {VectorCache} from './vector-cache.ts';
import {type Entry, VectorCacheFile} from './vector-cache-file.ts';

/** The options of `FileVectorCache.open`. */
export interface FileVectorCacheOptions extends Pick<CallOptions, 'signal'> {
	/** Length of the vectors. */
	readonly dim: number;
}

const openOptions: OptionNames = optionNames<FileVectorCacheOptions>({dim: true, signal: true});

/**
Stores vectors in a file, for the option `cache` of `createEncoder`. Encoders with the same `dim` can share a cache, because their
identities are part of the keys. Vectors stay in the file; only their keys are in memory, about 100 bytes each.

Vectors are appended as they arrive. If the process is killed, the file loses at most the vectors of the last write, and these are
encoded again when they are needed. After a power loss, damaged vectors are recognized by their checksums.

@example
```
await using cache = await FileVectorCache.open('vectors.cache', {dim: 1536});
const encoder = createEncoder(embed, {dim: 1536, identity: 'text-embedding-3-small', cache});
```
*/
export class FileVectorCache implements VectorCache, AsyncDisposable {
	readonly #file: VectorCacheFile;
	readonly #unlock: () => Promise<void>;
	/** Calls that have not settled. */
	readonly #pending = new Set<Promise<unknown>>();
	/** Resolves when the last write has settled. Never rejects. */
	#lastWrite: Promise<unknown> = Promise.resolve();
	#closing: Promise<void> | undefined;

	private constructor(file: VectorCacheFile, unlock: () => Promise<void>) {
		checkFactoryMade('FileVectorCache', file, VectorCacheFile, 'FileVectorCache.open()');
		this.#file = file;
		this.#unlock = unlock;
	}

	/**
	Opens the file at `path`, or creates it. Reads the whole file once, to check it. Fails with `ERR_INDEX_LOCKED` if this process or
	another one has it open, with `ERR_DIMENSION` if its vectors do not have `dim` numbers, with `ERR_FORMAT` if it is not a vector cache, and
	with `ERR_INDEX_VERSION` if its format has another version. While the cache is open, there is a lock file, `<path>.lock`, next to it.
	*/
	static async open(path: string, options: FileVectorCacheOptions): Promise<FileVectorCache> {
		checkString('path', path);
		checkRequiredOptions('open', options, openOptions);
		const {dim, signal} = options;
		checkCount('dim', dim, 1, 1_000_000);
		signal?.throwIfAborted();
		const unlock = await lockExclusively(path);
		try {
			return new FileVectorCache(await VectorCacheFile.open(path, dim, signal), unlock);
		} catch (error) {
			await unlock();
			throw error;
		}
	}

	/** Length of the vectors. */
	get dim(): number {
		return this.#file.dim;
	}

	/** Number of vectors. */
	get size(): number {
		return this.#file.size;
	}

	/**
	Number of bytes that did not belong to a valid vector when the file was opened: those of damaged vectors, which are skipped, and those of
	an incomplete vector at the end of the file, which was removed. 0 for an intact file.
	*/
	get damagedBytes(): number {
		return this.#file.damagedBytes;
	}

	/** Returns the vector of each key, or `undefined` where there is none. Keys are SHA-256 hashes in hexadecimal, in lower case. */
	async get(keys: string[]): Promise<Array<Float32Array | undefined>> {
		checkArray('get: keys', keys, 'SHA-256 hashes');
		for (const [i, key] of keys.entries()) {
			checkKey(`get: keys[${i}]`, key);
		}
		this.#checkOpen('get');
		return this.#tracked(this.#file.read([...keys]));
	}

	/** Appends vectors with their keys. Entries whose keys are already in the cache are ignored. */
	async set(entries: Array<readonly [key: string, vector: Float32Array]>): Promise<void> {
		checkArray('set: entries', entries, '[key, vector]');
		const checked: Entry[] = [];
		for (const [i, entry] of entries.entries()) {
			if (!isArray(entry)) {
				throw new RetrievalError('ERR_ARGUMENT', `set: entries[${i}]: expected [key, vector], got ${kindOf(entry)}`);
			}
			const [key, vector] = entry;
			checkKey(`set: entries[${i}]: key`, key);
			checkFloats(`set: entries[${i}]: vector`, vector, this.dim);
			const invalid = vector.find(value => !Number.isFinite(value));
			if (invalid !== undefined) {
				throw new RetrievalError('ERR_ARGUMENT', `set: entries[${i}]: vector: expected finite numbers, got ${invalid}`);
			}
			checked.push([key, vector]);
		}
		this.#checkOpen('set');
		const write = this.#lastWrite.then(async () => this.#file.append(checked));
		this.#lastWrite = write.catch(() => {});
		await this.#tracked(write);
	}

	/** Closes the file once the calls in progress have ended. */
	async close(): Promise<void> {
		this.#closing ??= (async () => {
			await Promise.allSettled(this.#pending);
			try {
				await this.#file.close();
			} finally {
				await this.#unlock();
			}
		})();
		await this.#closing;
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.close();
	}

	#checkOpen(call: string): void {
		if (this.#closing !== undefined) {
			throw new RetrievalError('ERR_CLOSED', `${call}: expected an open FileVectorCache, got a closed one`);
		}
	}

	async #tracked<T>(call: Promise<T>): Promise<T> {
		this.#pending.add(call);
		try {
			return await call;
		} finally {
			this.#pending.delete(call);
		}
	}
}

function checkKey(what: string, key: unknown): asserts key is string {
	if (typeof key !== 'string' || !/^[\da-f]{64}$/u.test(key)) {
		throw new RetrievalError('ERR_ARGUMENT', `${what}: expected a SHA-256 hash of 64 hexadecimal digits, got ${shown(key)}`);
	}
}
