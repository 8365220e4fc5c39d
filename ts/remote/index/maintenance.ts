/** Requests that all shards of an index do something: refresh, flush, merge. */
import {RetrievalError} from '../../core/errors.ts';
import {wait} from '../connection/connection.ts';
import type {RemoteCause} from '../connection/errors.ts';
import type {RemoteIndex} from './remote-index.ts';

/** How long deleted passages that cannot be dropped yet are waited for. Copies of a shard report every 30 seconds what they still need. */
const MAX_WAIT_MS = 60_000;

/** Sends a request that all shards must carry out. Fails with `ERR_REMOTE_INCOMPLETE` if one of them fails. */
export async function onAllShards(
	index: RemoteIndex,
	what: string,
	call: string,
	{signal, query}: {readonly signal?: AbortSignal | undefined; readonly query?: Readonly<Record<string, number | boolean>>},
): Promise<void> {
	const {connection, name} = index.parts;
	const {_shards: shards} = await connection.send<{readonly _shards: {readonly failed: number}}>({
		what: `${what} ${name}`,
		method: 'POST',
		path: `/${encodeURIComponent(name)}/${call}`,
		signal,
		...(query === undefined ? {} : {query}),
	});
	if (shards.failed > 0) {
		throw new RetrievalError(
			'ERR_REMOTE_INCOMPLETE',
			`${what} ${name}: expected all shards to do it, got ${shards.failed} failures; check the health of the cluster`,
		);
	}
}

/** Merges each shard into one segment, and returns the number of deleted passages that remain, without those of further copies. */
export async function optimizeIndex(index: RemoteIndex, signal: AbortSignal | undefined): Promise<number> {
	const {connection, name} = index.parts;
	const startedAt = performance.now();
	for (let attempt = 0; ; attempt++) {
		await onAllShards(index, 'optimize', '_flush', {signal, query: {force: true, wait_if_ongoing: true}});
		await merge(index, signal);
		await onAllShards(index, 'optimize', '_refresh', {signal});
		const {_all: stats} = await connection.send<{
			readonly _all: Record<'total' | 'primaries', {readonly docs: {readonly deleted: number}}>;
		}>({
			what: `optimize ${name}`,
			method: 'GET',
			path: `/${encodeURIComponent(name)}/_stats/docs`,
			signal,
		});
		// All copies are waited for, because searches use each of them.
		if (stats.total.docs.deleted === 0 || performance.now() - startedAt > MAX_WAIT_MS) {
			return stats.primaries.docs.deleted;
		}
		await wait(attempt, signal);
	}
}

/** Merges each shard into one segment. The cluster does this as a task, which is asked for, because it may take longer than any timeout. */
async function merge(index: RemoteIndex, signal: AbortSignal | undefined): Promise<void> {
	const {connection, name} = index.parts;
	const what = `optimize ${name}`;
	const {task} = await connection.send<{readonly task: string}>({
		what,
		method: 'POST',
		path: `/${encodeURIComponent(name)}/_forcemerge`,
		query: {max_num_segments: 1, wait_for_completion: false},
		signal,
	});
	for (let attempt = 0; ; attempt++) {
		const {completed, error, response} = await connection.send<TaskAnswer>({what, method: 'GET', path: `/_tasks/${task}`, signal});
		const failures = response?._shards?.failed ?? 0;
		if (error !== undefined || failures > 0) {
			throw new RetrievalError(
				'ERR_REMOTE_INCOMPLETE',
				`${what}: expected all shards to merge, got ${error === undefined ? `${failures} failures` : `${error.type}: ${error.reason}`}; check the health of the cluster`,
			);
		}
		if (completed) {
			return;
		}
		await wait(attempt, signal);
	}
}

/** The state of a task. */
interface TaskAnswer {
	readonly completed: boolean;
	readonly error?: RemoteCause;
	readonly response?: {readonly _shards?: {readonly failed: number}};
}
