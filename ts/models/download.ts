import {type Hash, createHash} from 'node:crypto';
import {createReadStream, createWriteStream} from 'node:fs';
import {mkdir, open, readFile, rename, rm, stat} from 'node:fs/promises';
import {dirname} from 'node:path';
import {Readable, Transform} from 'node:stream';
import {pipeline} from 'node:stream/promises';
import {setTimeout as sleep} from 'node:timers/promises';
import {RetrievalError} from '../errors.ts';
import type {CallOptions} from '../types.ts';

interface FetchOptions extends CallOptions {
	readonly headers: Readonly<Record<string, string>>;
}

/** What the hub says of a file before it is fetched. */
interface FileFacts {
	readonly size: number | undefined;
	/** SHA-256 for large files, git's SHA-1 of the blob for small ones. */
	readonly etag: string | undefined;
}

/** Attempts at one file; each resumes where the one before broke off. */
const ATTEMPTS = 4;

/**
Fetches `url` into the file `path`, unless it is there. Resolves to whether the server has it. Other processes that want
the same file wait for this one.
*/
export async function fetchFile(url: string, path: string, options: FetchOptions): Promise<boolean> {
	if (await sizeOf(path) !== undefined) {
		return true;
	}
	await mkdir(dirname(path), {recursive: true});
	const unlock = await lock(`${path}.lock`, options.signal);
	try {
		if (await sizeOf(path) !== undefined) {
			return true;
		}
		const facts = await ask(url, options);
		if (!facts) {
			return false;
		}
		const part = `${path}.part`;
		for (let attempt = 1; ; attempt++) {
			try {
				await receive(url, part, facts, options);
				break;
			} catch (error) {
				options.signal?.throwIfAborted();
				if (attempt === ATTEMPTS || error instanceof RetrievalError) {
					throw error instanceof RetrievalError ? error : new RetrievalError('ERR_DOWNLOAD', `fetch ${url}: ${reason(error)}; what came is kept, and the next call resumes`, {cause: error});
				}
				await sleep(100 * 2 ** attempt, undefined, {signal: options.signal});
			}
		}
		await verify(url, part, facts);
		await rename(part, path);
		return true;
	} finally {
		await unlock();
	}
}

async function ask(url: string, {headers, signal}: FetchOptions): Promise<FileFacts | undefined> {
	let response;
	try {
		// Not followed: the checksum stands on the hub's own answer, not on the store's that it sends us to.
		response = await fetch(url, {method: 'HEAD', headers, redirect: 'manual', signal: signal ?? null});
	} catch (error) {
		signal?.throwIfAborted();
		throw new RetrievalError('ERR_DOWNLOAD', `fetch ${url}: ${reason(error)}`, {cause: error});
	}
	if (response.status === 404) {
		return undefined;
	}
	if (response.status >= 400) {
		throw new RetrievalError('ERR_DOWNLOAD', `fetch ${url}: expected a file, got status ${response.status}${response.status === 401 || response.status === 403 ? '; a private model needs a token' : ''}`);
	}
	const header = (name: string): string | undefined => response.headers.get(name)?.replace(/^(W\/)?"|"$/gu, '') || undefined;
	const size = header('x-linked-size') ?? (response.status < 300 ? header('content-length') : undefined);
	return {size: size === undefined ? undefined : Number(size), etag: header('x-linked-etag') ?? header('etag')};
}

/** Appends to the part file what it lacks. */
async function receive(url: string, part: string, facts: FileFacts, {headers, signal, onProgress}: FetchOptions): Promise<void> {
	let have = await sizeOf(part) ?? 0;
	if (facts.size !== undefined && have === facts.size) {
		return;
	}
	if (facts.size !== undefined && have > facts.size) {
		await rm(part);
		have = 0;
	}
	const response = await fetch(url, {headers: {...headers, ...(have > 0 ? {range: `bytes=${have}-`} : {})}, signal: signal ?? null});
	if (!response.ok || !response.body) {
		throw new Error(`status ${response.status}`);
	}
	// A server without ranges sends the whole file.
	const resumed = response.status === 206;
	let done = resumed ? have : 0;
	const total = facts.size ?? done + Number(response.headers.get('content-length') ?? 0);
	const count = new Transform({
		transform(chunk: Buffer, _encoding, next) {
			done += chunk.length;
			onProgress?.({done, total});
			next(null, chunk);
		},
	});
	const body = Readable.fromWeb(response.body as import('node:stream/web').ReadableStream);
	await pipeline(body, count, createWriteStream(part, {flags: resumed ? 'a' : 'w'}), {signal: signal as AbortSignal});
	if (facts.size !== undefined && done !== facts.size) {
		throw new Error(`${done} of ${facts.size} bytes came`);
	}
}

/** Compares the part file with the hub's checksum; a file that differs is thrown away. */
async function verify(url: string, part: string, {size, etag}: FileFacts): Promise<void> {
	let hash: Hash;
	if (etag && /^[\da-f]{64}$/u.test(etag)) {
		hash = createHash('sha256');
	} else if (etag && /^[\da-f]{40}$/u.test(etag)) {
		hash = createHash('sha1').update(`blob ${await sizeOf(part)}\0`);
	} else {
		// Other servers' tags are no checksums; the size must do.
		if (size !== undefined && await sizeOf(part) !== size) {
			await rm(part, {force: true});
			throw new RetrievalError('ERR_DOWNLOAD', `fetch ${url}: expected ${size} bytes, got another number`);
		}
		return;
	}
	for await (const chunk of createReadStream(part)) {
		hash.update(chunk as Buffer);
	}
	const got = hash.digest('hex');
	if (got !== etag) {
		await rm(part, {force: true});
		throw new RetrievalError('ERR_DOWNLOAD', `fetch ${url}: expected checksum ${etag}, got ${got}; the file was thrown away`);
	}
}

/** Takes a lock file, waiting for its holder while that lives. */
async function lock(path: string, signal: AbortSignal | undefined): Promise<() => Promise<void>> {
	for (;;) {
		signal?.throwIfAborted();
		try {
			const file = await open(path, 'wx');
			await file.writeFile(String(process.pid));
			await file.close();
			return async () => rm(path, {force: true});
		} catch (error) {
			if ((error as NodeJS.ErrnoException).code !== 'EEXIST') {
				throw new RetrievalError('ERR_IO', `write ${path}: ${(error as Error).message}`, {cause: error});
			}
		}
		const holder = Number(await readFile(path, 'utf8').catch(() => ''));
		if (holder > 0 && holder !== process.pid && !alive(holder)) {
			await rm(path, {force: true});
			continue;
		}
		await sleep(100, undefined, {signal});
	}
}

function alive(pid: number): boolean {
	try {
		process.kill(pid, 0);
		return true;
	} catch (error) {
		return (error as NodeJS.ErrnoException).code === 'EPERM';
	}
}

function reason(error: unknown): string {
	const {message, cause} = error as Error;
	return cause instanceof Error ? `${message} (${cause.message})` : message;
}

async function sizeOf(path: string): Promise<number | undefined> {
	return (await stat(path).catch(() => undefined))?.size;
}
