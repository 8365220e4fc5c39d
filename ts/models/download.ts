/**
Downloads a file over HTTP, usually from the Hugging Face hub. `requestFileInfo` asks the server for the size and the checksum. `fetchFile`
downloads to a partial file, resumes and retries after a broken connection, compares the checksum, and gives the file its final name.
*/
import {createHash} from 'node:crypto';
import {createReadStream} from 'node:fs';
import {type FileHandle, mkdir, open, readdir, rename, rm, stat} from 'node:fs/promises';
import {basename, dirname, join} from 'node:path';
import {isNativeError} from 'node:util/types';
import {RetrievalError} from '../core/errors.ts';
import {onPath, pathError} from '../core/file-system.ts';
import {pause} from './pause.ts';

/** Headers and cancellation of the requests. */
export interface RequestOptions {
	readonly headers: Readonly<Record<string, string>>;
	readonly signal: AbortSignal | undefined;
}

/** What the server says about a file before it is downloaded. */
export interface FileInfo {
	/** Size in bytes. Some mirrors of the hub do not send it. */
	readonly size: number | undefined;
	/** The ETag if it is a checksum, as on the hub: SHA-256 for a large file, git's SHA-1 of the blob for a small one. */
	readonly checksum: string | undefined;
	/** The commit to which the revision (branch, tag or commit) resolves. */
	readonly commit: string | undefined;
}

/** Number of consecutive failures after which a call gives up. A failure after new bytes of the file were received counts as the first. */
const MAX_ATTEMPTS = 4;
/** Maximum pause between attempts in milliseconds, even if the server asks for a longer one. */
const MAX_PAUSE_MS = 30_000;
const MAX_REDIRECTS = 5;

/** A temporary failure, such as a broken connection or a busy server. The request is retried. */
class TemporaryFailure extends Error {
	/** Minimum pause in milliseconds before the next attempt: the one that the server asked for, or 0. */
	readonly pauseMs: number;

	constructor(message: string, {pauseMs = 0, ...options}: ErrorOptions & {pauseMs?: number} = {}) {
		super(message, options);
		this.pauseMs = pauseMs;
	}
}

/** Requests size, checksum and commit of the file at `url`. Resolves to `undefined` if the server does not have the file. */
export async function requestFileInfo(url: string, options: RequestOptions): Promise<FileInfo | undefined> {
	return withRetries(url, options.signal, async () => {
		let at = url;
		for (let redirects = 0; ; redirects++) {
			// Redirects to other hosts are not followed: the hub's own response has the checksum; that of its file storage does not.
			const response = await request(at, {method: 'HEAD', redirect: 'manual'}, options);
			if (response.status === 404 && (response.headers.get('x-error-code') ?? 'EntryNotFound') === 'EntryNotFound') {
				return undefined;
			}
			if (response.status >= 400) {
				throw refusal(url, response);
			}
			const info = fileInfoOf(response);
			const target = response.status >= 300 && info.checksum === undefined && response.headers.get('location');
			if (!target || new URL(target, at).origin !== new URL(at).origin || redirects === MAX_REDIRECTS) {
				return info;
			}
			at = new URL(target, at).href;
		}
	});
}

/**
Downloads `url` to `path`, unless `path` already has the file that `info` describes. The file is renamed to `path` only when it is
complete and has the right checksum. `onBytes` is called with the number of bytes received so far. Only one call at a time may download to
the same `path`.
*/
export async function fetchFile(
	url: string,
	path: string,
	info: FileInfo,
	options: RequestOptions & {readonly onBytes: (done: number) => Promise<void>},
): Promise<void> {
	const {signal, onBytes} = options;
	const existingSize = await sizeOf(path);
	if (existingSize !== undefined && (await differenceTo(info, path, signal)) === undefined) {
		await onBytes(existingSize);
		return;
	}
	const part = await partialFileOf(path, info);
	let maxSize = (await sizeOf(part)) ?? 0;
	await withRetries(
		url,
		signal,
		async () => receive(url, part, info, options),
		async () => {
			const size = (await sizeOf(part)) ?? 0;
			const hasGrown = size > maxSize;
			maxSize = Math.max(maxSize, size);
			return hasGrown;
		},
	);
	const difference = await differenceTo(info, part, signal);
	if (difference !== undefined) {
		await onPath('remove', part, async () => rm(part, {force: true}));
		throw new RetrievalError('ERR_DOWNLOAD', `fetch ${url}: ${difference}. The downloaded file was deleted; try again.`);
	}
	await onPath('write', path, async () => rename(part, path));
}

/**
Returns the path of the partial file, and removes partial files of other versions. The name of a partial file contains the checksum, so
that a download never continues the partial file of another version.
*/
async function partialFileOf(path: string, {checksum}: FileInfo): Promise<string> {
	const part = `${path}.${checksum?.slice(0, 16) ?? 'unknown'}.part`;
	await onPath('write', path, async () => {
		await mkdir(dirname(path), {recursive: true});
		for (const name of await readdir(dirname(path))) {
			const isPartial = name.startsWith(`${basename(path)}.`) && name.endsWith('.part');
			if (isPartial && (name !== basename(part) || checksum === undefined)) {
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
	{size}: FileInfo,
	options: RequestOptions & {readonly onBytes: (done: number) => Promise<void>},
): Promise<void> {
	let received = (await sizeOf(part)) ?? 0;
	if (size !== undefined && received > size) {
		await onPath('remove', part, async () => rm(part));
		received = 0;
	}
	await options.onBytes(received);
	if (received > 0 && received === size) {
		return;
	}
	const response = await request(url, {headers: received > 0 ? {range: `bytes=${received}-`} : {}}, options);
	const isResumed = response.status === 206;
	if (response.status === 416 || (isResumed && !response.headers.get('content-range')?.startsWith(`bytes ${received}-`))) {
		await response.body?.cancel();
		await onPath('remove', part, async () => rm(part, {force: true}));
		throw new TemporaryFailure(`the server cannot send the bytes after position ${received}`);
	}
	if (!response.ok) {
		await response.body?.cancel();
		throw refusal(url, response);
	}
	// A server that does not support range requests sends the whole file again.
	const file = await onPath('write', part, async () => open(part, isResumed ? 'a' : 'w'));
	try {
		const done = await append(file, part, isResumed ? received : 0, response, options);
		if (size !== undefined && done !== size) {
			throw new TemporaryFailure(`received ${done} of ${size} bytes`);
		}
	} finally {
		await file.close();
	}
}

/** Appends the body of the response to the file, which has `from` bytes. Resolves to the new length of the file. */
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
				throw new TemporaryFailure(reasonOf(error), {cause: error});
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

/** Describes, for an error message, how a file differs from the expected size or checksum; `undefined` if it does not differ. */
async function differenceTo({size, checksum}: FileInfo, path: string, signal: AbortSignal | undefined): Promise<string | undefined> {
	const got = await sizeOf(path);
	if (size !== undefined && got !== size) {
		return `expected ${size} bytes, got ${got ?? 'none'}`;
	}
	if (checksum === undefined) {
		return undefined;
	}
	// The checksum of a small file is that of its git blob, which begins with this header.
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

function fileInfoOf({status, headers}: Response): FileInfo {
	const unquoted = (name: string): string | undefined => headers.get(name)?.replaceAll(/^(W\/)?"|"$/gu, '');
	// In a redirect, the standard headers describe the redirect itself; the hub's headers `x-linked-…` describe the file.
	const describesFile = status < 300;
	const size = headers.get('x-linked-size') ?? (describesFile ? headers.get('content-length') : null);
	const tag = unquoted('x-linked-etag') ?? (describesFile ? unquoted('etag') : undefined);
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
		throw new TemporaryFailure(reasonOf(error), {cause: error});
	}
	if (response.status >= 500 || response.status === 408 || response.status === 429) {
		await response.body?.cancel();
		throw new TemporaryFailure(`status ${response.status}`, {pauseMs: 1000 * (Number(response.headers.get('retry-after')) || 0)});
	}
	return response;
}

/**
Calls `attempt` until it succeeds, with exponential backoff. Fails after `MAX_ATTEMPTS` consecutive temporary failures. `hasProgressed` is
called after each of them; if it resolves to true, the failure counts as the first.
*/
async function withRetries<T>(
	url: string,
	signal: AbortSignal | undefined,
	attempt: () => Promise<T>,
	hasProgressed: () => Promise<boolean> = async () => false,
): Promise<T> {
	for (let failures = 1; ; failures++) {
		try {
			return await attempt();
		} catch (error) {
			if (!(error instanceof TemporaryFailure)) {
				throw error;
			}
			if (await hasProgressed()) {
				failures = 1;
			}
			if (failures === MAX_ATTEMPTS) {
				throw new RetrievalError(
					'ERR_DOWNLOAD',
					`fetch ${url}: ${error.message}, ${MAX_ATTEMPTS} times. Try again later; the bytes received so far are kept.`,
					{cause: error.cause ?? error},
				);
			}
			await pause(Math.min(MAX_PAUSE_MS, Math.max(error.pauseMs, 100 * 2 ** failures)), signal);
		}
	}
}

function refusal(url: string, {status, headers}: Response): RetrievalError {
	const advice =
		{
			// The hub also returns this status for models that do not exist, so that it does not reveal which private models exist.
			401: 'There is no such model, or it is private and needs a token of a user who may read it: `token`, or HF_TOKEN.',
			403: 'The model needs a token of a user who was granted access on its page: `token`, or HF_TOKEN.',
			404: headers.get('x-error-code') === 'RevisionNotFound' ? 'The model has no such revision.' : 'There is no such model.',
		}[status] ?? '';
	return new RetrievalError('ERR_DOWNLOAD', `fetch ${url}: expected a file, got status ${status}. ${advice}`.trim());
}

function reasonOf(error: unknown): string {
	const {message, cause} = error as Error;
	const detail = isNativeError(cause) ? cause.message || (cause as NodeJS.ErrnoException).code : undefined;
	return detail ? `${message} (${detail})` : message;
}

async function sizeOf(path: string): Promise<number | undefined> {
	return (await stat(path).catch(() => undefined))?.size;
}
