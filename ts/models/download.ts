/** Downloads a file over HTTP: resumes broken transfers, retries, and verifies the checksum before the file gets its name. */
import {createHash} from 'node:crypto';
import {createReadStream} from 'node:fs';
import {type FileHandle, mkdir, open, readdir, rename, rm, stat} from 'node:fs/promises';
import {basename, dirname, join} from 'node:path';
import {isNativeError} from 'node:util/types';
import {RetrievalError} from '../core/errors.ts';
import {onPath, pathError} from '../core/file-system.ts';
import {pause} from './pause.ts';

export interface RequestOptions {
	readonly headers: Readonly<Record<string, string>>;
	readonly signal: AbortSignal | undefined;
}

/** What the hub tells about a file before it is downloaded. */
export interface FileFacts {
	/** Size in bytes. Some mirrors do not tell it. */
	readonly size: number | undefined;
	/** SHA-256 of a large file, or git's SHA-1 of the blob of a small file. Tags of other servers are not checksums. */
	readonly checksum: string | undefined;
	/** The commit that the revision resolves to. */
	readonly commit: string | undefined;
}

/** A download fails after this many successive attempts without a new byte. */
const ATTEMPTS = 4;
/** Maximum pause between attempts, even if the server asks for a longer one. */
const LONGEST_PAUSE_MS = 30_000;
const REDIRECTS = 5;

/** A broken connection or a busy server. The request is retried. */
class Broken extends Error {
	readonly pauseMs: number;

	constructor(message: string, {pauseMs = 0, ...options}: ErrorOptions & {pauseMs?: number} = {}) {
		super(message, options);
		this.pauseMs = pauseMs;
	}
}

/** Requests size, checksum and commit of the file at `url`. Resolves to `undefined` if the server does not have the file. */
export async function askFacts(url: string, options: RequestOptions): Promise<FileFacts | undefined> {
	return persist(url, options.signal, async () => {
		let at = url;
		for (let redirects = 0; ; redirects++) {
			// Redirects to other hosts are not followed: the hub's own response has the checksum, that of the file store does not.
			const response = await request(at, {method: 'HEAD', redirect: 'manual'}, options);
			if (response.status === 404 && (response.headers.get('x-error-code') ?? 'EntryNotFound') === 'EntryNotFound') {
				return undefined;
			}
			if (response.status >= 400) {
				throw refusal(url, response);
			}
			const facts = factsOf(response);
			const target = response.status >= 300 && facts.checksum === undefined && response.headers.get('location');
			if (!target || new URL(target, at).origin !== new URL(at).origin || redirects === REDIRECTS) {
				return facts;
			}
			at = new URL(target, at).href;
		}
	});
}

/**
Downloads `url` to `path`, unless `path` already has the file that `facts` describe. The file is renamed to `path` only when it is
complete and its checksum is right. `onBytes` is called with the number of bytes received so far. Only one call at a time may
download to the same `path`.
*/
export async function fetchFile(
	url: string,
	path: string,
	facts: FileFacts,
	options: RequestOptions & {readonly onBytes: (done: number) => Promise<void>},
): Promise<void> {
	const {signal, onBytes} = options;
	const there = await sizeOf(path);
	if (there !== undefined && (await fault(path, facts, signal)) === undefined) {
		await onBytes(there);
		return;
	}
	const part = await partOf(path, facts);
	let maxSize = (await sizeOf(part)) ?? 0;
	await persist(
		url,
		signal,
		async () => receive(url, part, facts, options),
		async () => {
			const size = (await sizeOf(part)) ?? 0;
			const gained = size > maxSize;
			maxSize = Math.max(maxSize, size);
			return gained;
		},
	);
	const wrong = await fault(part, facts, signal);
	if (wrong !== undefined) {
		await onPath('remove', part, async () => rm(part, {force: true}));
		throw new RetrievalError('ERR_DOWNLOAD', `fetch ${url}: ${wrong}. What came was thrown away; try again.`);
	}
	await onPath('write', path, async () => rename(part, path));
}

/**
Returns the path of the partial file, and removes partial files of other versions. Its name contains the checksum, so that a
download never continues the partial file of another version.
*/
async function partOf(path: string, {checksum}: FileFacts): Promise<string> {
	const part = `${path}.${checksum?.slice(0, 16) ?? 'unknown'}.part`;
	await onPath('write', path, async () => {
		await mkdir(dirname(path), {recursive: true});
		for (const name of await readdir(dirname(path))) {
			const old = name.startsWith(`${basename(path)}.`) && name.endsWith('.part');
			if (old && (name !== basename(part) || checksum === undefined)) {
				await rm(join(dirname(path), name), {force: true});
			}
		}
	});
	return part;
}

/** Requests the missing bytes and appends them to the partial file. */
async function receive(
	url: string,
	part: string,
	{size}: FileFacts,
	options: RequestOptions & {readonly onBytes: (done: number) => Promise<void>},
): Promise<void> {
	let have = (await sizeOf(part)) ?? 0;
	if (size !== undefined && have > size) {
		await onPath('remove', part, async () => rm(part));
		have = 0;
	}
	await options.onBytes(have);
	if (have > 0 && have === size) {
		return;
	}
	const response = await request(url, {headers: have > 0 ? {range: `bytes=${have}-`} : {}}, options);
	const resumed = response.status === 206;
	if (response.status === 416 || (resumed && !response.headers.get('content-range')?.startsWith(`bytes ${have}-`))) {
		await response.body?.cancel();
		await onPath('remove', part, async () => rm(part, {force: true}));
		throw new Broken(`the server has no bytes from ${have} on`);
	}
	if (!response.ok) {
		await response.body?.cancel();
		throw refusal(url, response);
	}
	// A server that does not support range requests sends the whole file again.
	const file = await onPath('write', part, async () => open(part, resumed ? 'a' : 'w'));
	try {
		const done = await append(file, part, resumed ? have : 0, response, options);
		if (size !== undefined && done !== size) {
			throw new Broken(`${done} of ${size} bytes came`);
		}
	} finally {
		await file.close();
	}
}

/** Appends the body to the file in order, so that the download can be resumed at any point. Resolves to the new length of the file. */
async function append(
	file: FileHandle,
	path: string,
	from: number,
	response: Response,
	{signal, onBytes}: RequestOptions & {readonly onBytes: (done: number) => Promise<void>},
): Promise<number> {
	let done = from;
	const reader = response.body?.getReader();
	try {
		for (;;) {
			const chunk = await reader?.read().catch((error: unknown) => {
				signal?.throwIfAborted();
				throw new Broken(reason(error), {cause: error});
			});
			if (!chunk || chunk.done) {
				return done;
			}
			await onPath('write', path, async () => file.writeFile(chunk.value));
			done += chunk.value.length;
			await onBytes(done);
		}
	} finally {
		await reader?.cancel().catch(() => {});
	}
}

/** Describes the difference between a file and its facts, as part of an error message. `undefined` if the file is right. */
async function fault(path: string, {size, checksum}: FileFacts, signal: AbortSignal | undefined): Promise<string | undefined> {
	const got = await sizeOf(path);
	if (size !== undefined && got !== size) {
		return `expected ${size} bytes, got ${got ?? 'none'}`;
	}
	if (checksum === undefined) {
		return undefined;
	}
	const hash = checksum.length === 64 ? createHash('sha256') : createHash('sha1').update(`blob ${got}\0`);
	try {
		for await (const chunk of createReadStream(path, {signal})) {
			hash.update(chunk as Buffer);
		}
	} catch (error) {
		signal?.throwIfAborted();
		throw pathError('read', path, error);
	}
	const sum = hash.digest('hex');
	return sum === checksum ? undefined : `expected checksum ${checksum}, got ${sum}`;
}

function factsOf({status, headers}: Response): FileFacts {
	const unquoted = (name: string): string | undefined => headers.get(name)?.replaceAll(/^(W\/)?"|"$/gu, '');
	// In a redirect, the plain headers describe the redirect and not the file.
	const plain = status < 300;
	const size = headers.get('x-linked-size') ?? (plain ? headers.get('content-length') : null);
	const tag = unquoted('x-linked-etag') ?? (plain ? unquoted('etag') : undefined);
	const commit = headers.get('x-repo-commit') ?? '';
	return {
		size: size !== null && /^\d+$/u.test(size) ? Number(size) : undefined,
		checksum: tag !== undefined && /^([\da-f]{64}|[\da-f]{40})$/u.test(tag) ? tag : undefined,
		commit: /^[\da-f]{40}$/u.test(commit) ? commit : undefined,
	};
}

async function request(url: string, init: RequestInit, {headers, signal}: RequestOptions): Promise<Response> {
	let response;
	try {
		// No compression: the length and the ranges of a compressed response are not those of the file.
		const all = {...headers, 'accept-encoding': 'identity', ...(init.headers as Record<string, string>)};
		response = await fetch(url, {...init, headers: all, signal: signal ?? null});
	} catch (error) {
		signal?.throwIfAborted();
		throw new Broken(reason(error), {cause: error});
	}
	if (response.status >= 500 || response.status === 408 || response.status === 429) {
		await response.body?.cancel();
		throw new Broken(`status ${response.status}`, {pauseMs: 1000 * (Number(response.headers.get('retry-after')) || 0)});
	}
	return response;
}

/** Retries `attempt` with exponential backoff until it fails `ATTEMPTS` times in a row without progress. */
async function persist<T>(
	url: string,
	signal: AbortSignal | undefined,
	attempt: () => Promise<T>,
	gained: () => Promise<boolean> = async () => false,
): Promise<T> {
	for (let failures = 1; ; failures++) {
		try {
			return await attempt();
		} catch (error) {
			if (!(error instanceof Broken)) {
				throw error;
			}
			if (await gained()) {
				failures = 1;
			}
			if (failures === ATTEMPTS) {
				throw new RetrievalError(
					'ERR_DOWNLOAD',
					`fetch ${url}: ${error.message}, ${ATTEMPTS} times. Call again later; what came is kept.`,
					{cause: error.cause ?? error},
				);
			}
			await pause(Math.min(LONGEST_PAUSE_MS, Math.max(error.pauseMs, 100 * 2 ** failures)), signal);
		}
	}
}

function refusal(url: string, {status, headers}: Response): RetrievalError {
	const advice =
		{
			// The hub also returns this status for models that do not exist, so as not to reveal private ones.
			401: 'There is no such model, or it is private and needs a token of somebody who may read it: `token`, or HF_TOKEN.',
			403: 'The model needs a token of somebody who was granted access on its page: `token`, or HF_TOKEN.',
			404: headers.get('x-error-code') === 'RevisionNotFound' ? 'The model has no such revision.' : 'There is no such model.',
		}[status] ?? '';
	return new RetrievalError('ERR_DOWNLOAD', `fetch ${url}: expected a file, got status ${status}. ${advice}`.trim());
}

function reason(error: unknown): string {
	const {message, cause} = error as Error;
	const why = isNativeError(cause) ? cause.message || (cause as NodeJS.ErrnoException).code : undefined;
	return why ? `${message} (${why})` : message;
}

async function sizeOf(path: string): Promise<number | undefined> {
	return (await stat(path).catch(() => undefined))?.size;
}
