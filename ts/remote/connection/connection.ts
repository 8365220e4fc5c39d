/**
A connection with a cluster: sends requests through the official client, repeats those that failed because a node was unreachable or
overloaded, and converts errors. Only requests that may be repeated are sent here: writes have explicit ids, so a repetition changes
nothing that the first attempt has already changed.
*/
import {cancelOnAbort} from '../../core/abort.ts';
import {RetrievalError} from '../../core/errors.ts';
import {createClient} from './client.ts';
import {isMissingIndexError, isRetryable, remoteError, statusOf} from './errors.ts';
import type {CheckedRemote, OpenSearchClient} from './options.ts';

/** A request. */
export interface RemoteRequest {
	/** What is attempted, for messages. */
	readonly what: string;
	readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'HEAD';
	readonly path: string;
	readonly query?: Readonly<Record<string, string | number | boolean>>;
	/** JSON. */
	readonly body?: unknown;
	/** Lines of JSON, each ending in a line feed, for `_bulk` and `_msearch`. */
	readonly lines?: string;
	readonly signal?: AbortSignal | undefined;
	/** Statuses after which the caller decides what to do, although the request could be repeated. */
	readonly unrepeated?: readonly number[];
	/** How often the request is repeated. @default the connection's `maxRetries` */
	readonly maxRetries?: number;
}

/** The oldest and the newest major version of OpenSearch that this package supports. */
const MAJORS = [2, 3] as const;
/** How often a request is repeated, per address, before an index is reported as missing. */
const MISSING_INDEX_RETRIES = 3;
/** The mean wait before the first retry, and its maximum, in milliseconds. */
const FIRST_WAIT_MS = 100;
const MAX_WAIT_MS = 5000;

/** An open connection. */
export class Connection {
	readonly #client: OpenSearchClient;
	readonly #remote: CheckedRemote;
	readonly #where: string;
	#isClosed = false;

	private constructor(remote: CheckedRemote) {
		this.#remote = remote;
		this.#where = remote.urls.length === 0 ? 'the cluster' : remote.urls.join(', ');
		this.#client = remote.client ?? createClient(remote);
	}

	/** Connects, and checks that the other side is an OpenSearch cluster of a supported version. Returns its version too. */
	static async open(remote: CheckedRemote, signal?: AbortSignal): Promise<{readonly connection: Connection; readonly version: string}> {
		const connection = new Connection(remote);
		try {
			const info = await connection.send<{readonly version?: {readonly number?: unknown; readonly distribution?: unknown}}>({
				what: 'connect',
				method: 'GET',
				path: '/',
				signal,
				// A wrong address should fail within seconds. Other requests wait longer for a cluster that recovers.
				maxRetries: Math.min(2, remote.maxRetries),
			});
			return {connection, version: checkedVersion(connection.#where, info?.version)};
		} catch (error) {
			await connection.close();
			throw error;
		}
	}

	/** The addresses, for messages. */
	get where(): string {
		return this.#where;
	}

	/** How often a request, or a part of one, is repeated. */
	get maxRetries(): number {
		return this.#remote.maxRetries;
	}

	/**
	How often a request is repeated if its node does not know the index: a node that was disconnected may not know a new index yet. Requests
	use the addresses in turn, and others are sent meanwhile, so one repetition per address would not always reach another node. Each comes after
	a short wait, so that an index that does not exist is reported soon.
	*/
	get missingIndexRetries(): number {
		return MISSING_INDEX_RETRIES * Math.max(1, this.#remote.urls.length);
	}

	/** Sends a request and returns the body of the answer. Fails with a `RetrievalError`, or with the reason of the signal. */
	async send<T>(request: RemoteRequest): Promise<T> {
		const {what, signal, unrepeated = [], maxRetries = this.#remote.maxRetries} = request;
		let missingCount = 0;
		for (let attempt = 0; ; attempt++) {
			signal?.throwIfAborted();
			if (this.#isClosed) {
				throw new RetrievalError('ERR_CLOSED', `${what}: expected an open collection, got a closed one`);
			}
			try {
				return await this.#attempt<T>(request);
			} catch (error) {
				signal?.throwIfAborted();
				const isMissing = isMissingIndexError(error) && missingCount++ < this.missingIndexRetries;
				const mayRepeat = isMissing || (attempt < maxRetries && isRetryable(error));
				if (!mayRepeat || unrepeated.includes(statusOf(error) ?? 0)) {
					throw remoteError(what, this.#where, error, this.#remote.timeoutMs);
				}
				await wait(isMissing ? 0 : attempt, signal);
			}
		}
	}

	/** Releases the connections. A client that the caller passed stays open. */
	async close(): Promise<void> {
		if (!this.#isClosed) {
			this.#isClosed = true;
			if (this.#remote.client === undefined) {
				await this.#client.close();
			}
		}
	}

	async #attempt<T>({method, path, query, body, lines, signal}: RemoteRequest): Promise<T> {
		const sent = this.#client.transport.request(
			{
				method,
				path,
				...(query === undefined ? {} : {querystring: {...query}}),
				...(body === undefined ? {} : {body: JSON.stringify(body)}),
				...(lines === undefined ? {} : {bulkBody: lines}),
			},
			{requestTimeout: this.#remote.timeoutMs, maxRetries: 0},
		);
		const unregister = signal === undefined ? undefined : cancelOnAbort(signal, {cancel: () => sent.abort?.()});
		try {
			return (await sent).body as T;
		} finally {
			unregister?.();
		}
	}
}

/** Waits before a retry: a random time whose mean doubles with each attempt, so that the clients of a busy cluster do not retry together. */
export async function wait(attempt: number, signal: AbortSignal | undefined): Promise<void> {
	const mean = Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** attempt);
	signal?.throwIfAborted();
	await new Promise<void>(resolve => {
		const timer = setTimeout(end, Math.random() * 2 * mean);
		const unregister = signal === undefined ? undefined : cancelOnAbort(signal, {cancel: end});
		function end(): void {
			clearTimeout(timer);
			unregister?.();
			resolve();
		}
	});
	signal?.throwIfAborted();
}

function checkedVersion(where: string, version: {readonly number?: unknown; readonly distribution?: unknown} | undefined): string {
	const number = version?.number;
	const major = typeof number === 'string' ? Number(/^\d+/u.exec(number)?.[0]) : Number.NaN;
	if (version?.distribution !== 'opensearch' || !(major >= MAJORS[0] && major <= MAJORS[1])) {
		const got =
			typeof number === 'string'
				? `${version?.distribution === 'opensearch' ? 'OpenSearch' : 'another system, version'} ${number}`
				: 'something else';
		throw new RetrievalError(
			'ERR_REMOTE',
			`connect: expected OpenSearch ${MAJORS.join(' or ')} at ${where}, got ${got}; check the address, or use a supported version`,
		);
	}
	return number as string;
}
