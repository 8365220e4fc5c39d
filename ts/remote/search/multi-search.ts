/** Runs searches in one request, and checks that each answer is complete. */
import {RetrievalError} from '../../core/errors.ts';
import {type Connection, wait} from '../connection/connection.ts';
import {type RemoteCause, causeMeaning, isMissingIndex, isRetryableStatus} from '../connection/errors.ts';
import type {RemoteSearch} from './requests.ts';

/** A hit, with the stored parts that the search asked for. */
export interface RemoteHit {
	readonly id: string;
	readonly score: number;
	/** The concrete index that has the passage. */
	readonly index: string;
	readonly source: Readonly<Record<string, unknown>>;
}

/** The answer to one search. */
export interface Answer {
	readonly status?: number;
	readonly error?: RemoteCause;
	readonly timed_out?: boolean;
	readonly _shards?: {
		readonly total: number;
		readonly successful: number;
		readonly failures?: ReadonlyArray<{readonly reason?: RemoteCause}>;
	};
	readonly hits?: {
		readonly total?: {readonly value: number};
		readonly hits: ReadonlyArray<{
			readonly _id: string;
			readonly _index: string;
			readonly _score: number | null;
			readonly sort?: readonly unknown[];
			readonly _source?: Readonly<Record<string, unknown>>;
		}>;
	};
	readonly aggregations?: unknown;
}

/** Where and how searches run. */
export interface SearchTarget {
	readonly connection: Connection;
	/** The name of the index or the alias. */
	readonly name: string;
	readonly signal?: AbortSignal | undefined;
}

/**
Runs searches in one request and returns the hits of each. Fails with `ERR_REMOTE_INCOMPLETE` if an answer lacks shards or ran out of time:
hits are never silently incomplete.
*/
export async function searchAll(target: SearchTarget, searches: readonly RemoteSearch[]): Promise<RemoteHit[][]> {
	const answers = await answersOf(
		target,
		searches.map(({body, globalStatistics}) => ({body, dfs: globalStatistics})),
	);
	return answers.map(({hits}, i) =>
		(hits?.hits ?? []).map(({_id, _index, _score, sort, _source}) => ({
			id: _id,
			index: _index,
			score: searches[i]!.score((_score ?? sort?.[0]) as number),
			source: _source ?? {},
		})),
	);
}

/** Runs searches in one request and returns the checked answers. Those that fail for a reason that may pass are repeated. */
export async function answersOf(
	{connection, name, signal}: SearchTarget,
	searches: ReadonlyArray<{readonly body: unknown; readonly dfs: boolean}>,
): Promise<Answer[]> {
	const answers: Answer[] = Array.from({length: searches.length});
	let open = searches.map((_, i) => i);
	let missingCount = 0;
	for (let attempt = 0; open.length > 0; attempt++) {
		const lines = open.map(i => {
			const {body, dfs} = searches[i]!;
			const header = {index: name, allow_partial_search_results: false, ...(dfs ? {search_type: 'dfs_query_then_fetch'} : {})};
			return `${JSON.stringify(header)}\n${JSON.stringify(body)}\n`;
		});
		const {responses} = await connection.send<{readonly responses: readonly Answer[]}>({
			what: `search ${name}`,
			method: 'POST',
			path: '/_msearch',
			lines: lines.join(''),
			signal,
		});
		const failed: number[] = [];
		// A node that does not know the index answers no search.
		const isMissing = responses.some(({error}) => isMissingIndex(error)) && missingCount++ < connection.missingIndexRetries;
		for (const [at, i] of open.entries()) {
			const answer = responses[at]!;
			const failure = failureOf(name, answer);
			if (failure === undefined) {
				answers[i] = answer;
			} else if ((failure.isRetryable && attempt < connection.maxRetries) || (isMissing && isMissingIndex(answer.error))) {
				failed.push(i);
			} else {
				throw failure.error;
			}
		}
		open = failed;
		if (open.length > 0) {
			await wait(isMissing ? 0 : attempt, signal);
		}
	}
	return answers;
}

/** Returns the error of an answer that is not complete; `undefined` for a complete one. */
function failureOf(name: string, answer: Answer): {readonly error: RetrievalError; readonly isRetryable: boolean} | undefined {
	const {error, status = 200, timed_out: timedOut, _shards: shards} = answer;
	if (error !== undefined) {
		const {code, message} = causeMeaning(error, status);
		const isRetryable = isRetryableStatus(status) || (code === 'ERR_REMOTE_INCOMPLETE' && status >= 500);
		return {error: new RetrievalError(code, `search ${name}: ${message}`), isRetryable};
	}
	if (timedOut === true) {
		const message = `search ${name}: expected a complete answer, got a partial one, because the cluster ran out of time (search.default_search_timeout)`;
		return {error: new RetrievalError('ERR_REMOTE_INCOMPLETE', message), isRetryable: false};
	}
	if (shards === undefined || shards.successful < shards.total) {
		const got = shards === undefined ? 'none' : `${shards.successful}`;
		const why = shards?.failures?.[0]?.reason;
		const message = `search ${name}: expected answers of ${shards?.total ?? 'all'} shards, got ${got}${why === undefined ? '' : ` (${why.type}: ${why.reason})`}; check the health of the cluster`;
		return {error: new RetrievalError('ERR_REMOTE_INCOMPLETE', message), isRetryable: true};
	}
	return undefined;
}
