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

/** What the hub says of a file before it is fetched. */
export interface FileFacts {
	/** Bytes; not known behind some mirrors. */
	readonly size: number | undefined;
	/** SHA-256 of a large file, git's SHA-1 of the blob of a small one; other servers' tags are no checksums. */
	readonly checksum: string | undefined;
	/** The commit that the revision stands for. */
	readonly commit: string | undefined;
}

/** Attempts without a new byte after which a file is given up. */
const ATTEMPTS = 4;
/** Longest wait that a busy server may ask for. */
const LONGEST_PAUSE_MS = 30_000;
const REDIRECTS = 5;

/** A broken connection or a busy server: worth another attempt. */
class Broken extends Error {
	readonly pauseMs: number;

	constructor(message: string, {pauseMs = 0, ...options}: ErrorOptions & {pauseMs?: number} = {}) {
		super(message, options);
		this.pauseMs = pauseMs;
	}
}

/** Asks what the file at `url` is; `undefined` if the server has none. */
export async function askFacts(url: string, options: RequestOptions): Promise<FileFacts | undefined> {
	return persist(url, options.signal, async () => {
		let at = url;
		for (let redirects = 0; ; redirects++) {
			// Not followed to other hosts: the checksum stands in the hub's own answer, not in the store's that it sends us to.
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
Fetches `url` into the file `path`, unless the file that `facts` describe is there. It gets its name when it is whole and
its checksum is right. `onBytes` hears how many bytes of the file are here. One call at a time may fetch a `path`.
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
	let most = (await sizeOf(part)) ?? 0;
	await persist(
		url,
		signal,
		async () => receive(url, part, facts, options),
		async () => {
			const size = (await sizeOf(part)) ?? 0;
			const gained = size > most;
			most = Math.max(most, size);
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

/** Where the file is put together. Named after the checksum: what came of another version must not be continued. */
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

/** Appends to the part file what it lacks. */
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
	// A server without ranges sends the whole file again.
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

/** Resolves to the length of the file then. Written byte for byte in turn, so that the file can be continued at any time. */
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

/** What is wrong with a file, as a part of a sentence. */
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
	// On a redirect the plain headers describe the redirect.
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
		// Bytes as they are: of a compressed answer neither the length nor a range would be the file's.
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

/** Repeats what broke off, until it has done so `ATTEMPTS` times in a row with nothing gained. */
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
			// The hub answers so to whoever may not know whether there is such a model.
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
