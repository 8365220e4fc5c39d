/**
Sends many writes to an index: in batches whose size adapts to the cluster, several at a time, and slower when the cluster is overloaded.

Every write has an explicit id, so a write that is repeated after a failure leaves the same passage. Only the writes that failed are
repeated.
*/
import {type ErrorCode, RetrievalError} from '../../core/errors.ts';
import {documentOf} from '../../core/filters/document-id.ts';
import {type Connection, wait} from '../connection/connection.ts';
import type {RemoteOptions} from '../connection/options.ts';
import {causeMeaning, isBlock, isMissingIndex, isRetryableStatus, type RemoteCause, statusOf} from '../connection/errors.ts';

/** One write. */
export interface Write {
	/** `index` replaces a passage, `create` fails if there is one, `delete` accepts that there is none. */
	readonly action: 'index' | 'create' | 'delete';
	readonly id: string;
	readonly routing: string;
	/** The passage as JSON; '' to delete. */
	readonly source: string;
}

/** Returns the write that deletes a passage. */
export function removal(id: string): Write {
	return {action: 'delete', id, routing: documentOf(id), source: ''};
}

/** A write that the cluster refused. */
export interface RefusedWrite {
	/** The id of the passage. */
	readonly id: string;
	readonly code: ErrorCode;
	readonly message: string;
	/** The status that the cluster returned. */
	readonly status: number;
}

/** Some writes of a call were refused. The other writes of the call may have been done. */
export class RemoteWriteError extends RetrievalError {
	/** The writes that were refused. */
	readonly refused: readonly RefusedWrite[];

	constructor(message: string, refused: readonly RefusedWrite[], options?: ErrorOptions) {
		super(refused[0]?.code ?? 'ERR_REMOTE', message, options);
		this.refused = refused;
	}
}

/** What became of a write: it was done, or the passage of a `create` existed already. */
export type Outcome = 'done' | 'exists';

/** The limits of batches. A batch has at least one write, however long. */
const MIN_WRITES = 16;
const FIRST_WRITES = 256;
const MAX_WRITES = 4096;
const MAX_UNITS = 8 << 20;
/** Batches that take less time become larger, and those that take more become smaller. */
const TARGET_MS = 1000;
/** Maximum number of batches in flight. */
const MAX_IN_FLIGHT = 4;
/** How often the writes of a batch are repeated by default; the waits add up to about half a minute. */
const MAX_RETRIES = 12;
/** The default of the connection's `timeoutMs`. */
const TIMEOUT_MS = 30_000;
/**
The part of the connection's timeout for which the cluster waits for a shard. A request that waits there must fail before the client gives
up, because the cluster would otherwise execute it later, possibly after a newer change of the same passage.
*/
const SHARD_WAIT = 0.75;
/** The parts of an answer that are read. An answer repeats much more of each write. */
const ANSWER_PARTS = 'items.*.status,items.*.error';

/** The status of a request that the cluster cannot accept at any time. */
const TOO_LARGE = 413;
/** The statuses of requests that the cluster refuses as a whole, before it has done any of their writes. */
const OVERLOADED: readonly number[] = [429, TOO_LARGE];

/** Where the results of the writes go. */
interface Results {
	readonly outcomes: Outcome[];
	readonly refused: RefusedWrite[];
	readonly signal: AbortSignal | undefined;
}

/** The answer to a bulk request. */
interface BulkAnswer {
	readonly items?: ReadonlyArray<Readonly<Record<string, {readonly status: number; readonly error?: RemoteCause}>>>;
}

/** The results of the writes of a request, in their order. */
type Items = NonNullable<BulkAnswer['items']>;

/** A writer of one index. Its batch size is kept from call to call. */
export class BulkWriter {
	readonly #connection: Connection;
	readonly #maxRetries: number;
	readonly #shardWait: string;
	#batchWrites = FIRST_WRITES;

	/** `maxRetries` and `timeoutMs` are those that the caller gave for the connection. */
	constructor(connection: Connection, {maxRetries = MAX_RETRIES, timeoutMs = TIMEOUT_MS}: Pick<RemoteOptions, 'maxRetries' | 'timeoutMs'>) {
		this.#connection = connection;
		this.#maxRetries = maxRetries;
		this.#shardWait = `${Math.max(1, Math.floor(timeoutMs * SHARD_WAIT))}ms`;
	}

	/** Number of writes in the next batch. */
	get batchWrites(): number {
		return this.#batchWrites;
	}

	/**
	Does all writes and returns what became of each, in their order. Fails with a `RemoteWriteError` if the cluster refuses some, after it
	has answered for all. `done` is called with the number of writes of each batch.
	*/
	async write(
		index: string,
		writes: readonly Write[],
		{signal, done}: {readonly signal?: AbortSignal | undefined; readonly done?: (count: number) => void} = {},
	): Promise<Outcome[]> {
		const outcomes: Outcome[] = Array.from({length: writes.length});
		const refused: RefusedWrite[] = [];
		let next = 0;
		let failure: {readonly error: unknown} | undefined;
		const work = async (): Promise<void> => {
			while (next < writes.length && failure === undefined) {
				const from = next;
				next = this.#endOfBatch(writes, from);
				const batch = Array.from({length: next - from}, (_, i) => from + i);
				try {
					await this.#batch(index, writes, batch, {outcomes, refused, signal});
				} catch (error) {
					failure ??= {error};
					return;
				}
				done?.(batch.length);
			}
		};
		await Promise.all(Array.from({length: MAX_IN_FLIGHT}, work));
		if (failure !== undefined) {
			throw (failure as {readonly error: unknown}).error;
		}
		if (refused.length > 0) {
			const [{id, message}] = refused as [RefusedWrite];
			throw new RemoteWriteError(`write ${index}: ${refused.length} of ${writes.length} writes were refused; "${id}": ${message}`, refused);
		}
		return outcomes;
	}

	#endOfBatch(writes: readonly Write[], from: number): number {
		let [end, units] = [from, 0];
		while (end < writes.length && end - from < this.#batchWrites) {
			units += writes[end]!.source.length;
			if (end > from && units > MAX_UNITS) {
				break;
			}
			end += 1;
		}
		return end;
	}

	/**
	Does the writes of one batch, and repeats those that failed because the cluster was overloaded or a shard was not available. A batch that
	the cluster refuses as a whole, because it has no memory for it or it is too large, is divided.
	*/
	async #batch(index: string, writes: readonly Write[], batch: readonly number[], results: Results, firstAttempt = 0): Promise<void> {
		const {outcomes, refused, signal} = results;
		let open = batch;
		let missingCount = 0;
		for (let attempt = firstAttempt; ; attempt++) {
			const startedAt = performance.now();
			let items: Items;
			try {
				items = await this.#send(
					index,
					open.map(i => writes[i]!),
					signal,
				);
			} catch (error) {
				signal?.throwIfAborted();
				// An error of this package, for example of a closed collection, has no cause.
				const cause: unknown = error instanceof RetrievalError ? error.cause : undefined;
				const status = cause === undefined ? 0 : (statusOf(cause) ?? 0);
				const isDivisible = open.length > 1;
				if (!OVERLOADED.includes(status) || attempt >= this.#maxRetries || (status === TOO_LARGE && !isDivisible)) {
					throw error;
				}
				this.#adapt(0, true);
				await wait(attempt, signal);
				if (isDivisible) {
					const middle = Math.ceil(open.length / 2);
					await this.#batch(index, writes, open.slice(0, middle), results, attempt + 1);
					await this.#batch(index, writes, open.slice(middle), results, attempt + 1);
					return;
				}
				continue;
			}
			const failed: number[] = [];
			const isMissing =
				items.some(item => isMissingIndex(Object.values(item)[0]!.error)) && missingCount++ < this.#connection.missingIndexRetries;
			for (const [at, i] of open.entries()) {
				const {status, error} = Object.values(items[at]!)[0]!;
				const {action, id} = writes[i]!;
				if (status < 300 || (action === 'delete' && status === 404 && error === undefined)) {
					outcomes[i] = 'done';
				} else if (action === 'create' && status === 409) {
					outcomes[i] = 'exists';
				} else if (attempt < this.#maxRetries && !isBlock(error) && (isRetryableStatus(status) || isPassing(error))) {
					failed.push(i);
				} else if (isMissing && isMissingIndex(error)) {
					failed.push(i);
				} else {
					refused.push({id, status, ...causeMeaning(error ?? {}, status)});
				}
			}
			this.#adapt(performance.now() - startedAt, failed.length > 0);
			if (failed.length === 0) {
				return;
			}
			open = failed;
			await wait(isMissing ? 0 : attempt, signal);
		}
	}

	async #send(index: string, writes: readonly Write[], signal: AbortSignal | undefined): Promise<Items> {
		const what = `write ${index}`;
		const {items = []} = await this.#connection.send<BulkAnswer>({
			what,
			method: 'POST',
			path: `/${encodeURIComponent(index)}/_bulk`,
			query: {timeout: this.#shardWait, filter_path: ANSWER_PARTS},
			lines: writes.map(linesOf).join(''),
			signal,
			unrepeated: OVERLOADED,
			maxRetries: this.#maxRetries,
		});
		if (items.length !== writes.length) {
			throw new RetrievalError(
				'ERR_REMOTE',
				`${what}: expected the results of ${writes.length} writes, got ${items.length}; check that the address is that of an OpenSearch cluster`,
			);
		}
		return items;
	}

	/** Changes the size of the next batch. */
	#adapt(milliseconds: number, wasOverloaded: boolean): void {
		const factor = wasOverloaded ? 0.5 : milliseconds < TARGET_MS / 2 ? 1.5 : milliseconds > 2 * TARGET_MS ? 0.5 : 1;
		this.#batchWrites = Math.round(Math.min(MAX_WRITES, Math.max(MIN_WRITES, this.#batchWrites * factor)));
	}
}

function linesOf({action, id, routing, source}: Write): string {
	const line = `${JSON.stringify({[action]: {_id: id, routing}})}\n`;
	return action === 'delete' ? line : `${line}${source}\n`;
}

/** Whether an error is that of a node that was lost while it wrote. */
function isPassing(error: RemoteCause | undefined): boolean {
	return /node_(?:closed|disconnected|not_connected)|primary_shard|shard_not_|connect_transport|no_shard_available|unavailable_shards|already_closed/u.test(
		error?.type ?? '',
	);
}
