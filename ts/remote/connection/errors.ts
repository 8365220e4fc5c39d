/** Converts the errors of the OpenSearch client, and the errors in answers of a cluster, to errors that say what to do. */
import {type ErrorCode, RetrievalError} from '../../core/errors.ts';

/** The description of an error in an answer. */
export interface RemoteCause {
	readonly type?: string;
	readonly reason?: string;
	readonly root_cause?: readonly RemoteCause[];
	readonly caused_by?: RemoteCause;
	readonly failed_shards?: ReadonlyArray<{readonly reason?: RemoteCause}>;
}

/** An error of the client, as far as this module reads it. */
interface ClientError {
	readonly name?: string;
	readonly message?: string;
	readonly statusCode?: number;
	readonly body?: unknown;
	readonly meta?: {readonly statusCode?: number | null; readonly body?: unknown; readonly headers?: unknown};
}

/** The meaning of an error: its code, what happened, and what the reader can do. */
interface Meaning {
	readonly code: ErrorCode;
	readonly message: string;
}

/** Answers with these statuses are worth a retry: the node or the cluster was overloaded, or had no manager or no copy of a shard. */
const RETRYABLE: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** Whether a request that failed with this error may succeed later. */
export function isRetryable(error: unknown): boolean {
	const {name, statusCode} = error as ClientError;
	switch (name) {
		case 'ConnectionError': {
			return !isCertificateError((error as Error).message);
		}
		case 'TimeoutError':
		case 'NoLivingConnectionsError': {
			return true;
		}
		case 'ResponseError': {
			return (
				isRetryableStatus(statusCode ?? 0) && !isBlock(((error as ClientError).body as {readonly error?: RemoteCause} | undefined)?.error)
			);
		}
		default: {
			return false;
		}
	}
}

/** Whether an error says that a node does not know the index. */
export function isMissingIndexError(error: unknown): boolean {
	return isMissingIndex(((error as ClientError | undefined)?.body as {readonly error?: RemoteCause} | undefined)?.error);
}

/** Whether a cause says that a node does not know the index. */
export function isMissingIndex(cause: RemoteCause | undefined): boolean {
	return cause?.type === 'index_not_found_exception';
}

/** Whether a status means that the cluster was overloaded or not ready. */
export function isRetryableStatus(status: number): boolean {
	return RETRYABLE.has(status);
}

/** Returns the status of an answer; `undefined` for an error without an answer. */
export function statusOf(error: unknown): number | undefined {
	const {statusCode, meta} = error as ClientError;
	return statusCode ?? meta?.statusCode ?? undefined;
}

/** Whether an error says that an index could not be created because it exists. */
export function isExistsError(error: unknown): boolean {
	const {body} = ((error as Error).cause ?? {}) as {readonly body?: {readonly error?: RemoteCause}};
	return body?.error?.type === 'resource_already_exists_exception';
}

/** Converts an error of the client. `what` says what was attempted and is the start of the message; `where` names the addresses. */
export function remoteError(what: string, where: string, error: unknown, timeoutMs: number): unknown {
	if (error instanceof RetrievalError || !(error instanceof Error)) {
		return error;
	}
	const {code, message} = meaningOf(error as ClientError, where, timeoutMs);
	return new RetrievalError(code, `${what}: ${message}`, {cause: withoutCredentials(error)});
}

/** Returns a copy of an error without its request and its connection, whose headers have the credentials. */
function withoutCredentials(error: Error): Error {
	const {name, message, stack, body, meta} = error as ClientError & Error;
	const status = statusOf(error);
	const answer = body ?? meta?.body;
	const copy = Object.assign(new Error(message), {
		...(status === undefined ? {} : {statusCode: status}),
		...(answer === undefined ? {} : {body: answer}),
	});
	Object.defineProperty(copy, 'name', {value: name, configurable: true, writable: true});
	Object.defineProperty(copy, 'stack', {value: stack, configurable: true, writable: true});
	return copy;
}

function meaningOf(error: ClientError, where: string, timeoutMs: number): Meaning {
	const text = error.message ?? '';
	switch (error.name) {
		case 'TimeoutError': {
			return {
				code: 'ERR_REMOTE',
				message: `expected an answer from ${where} within ${timeoutMs} ms, got none; raise timeoutMs, or check the load of the cluster`,
			};
		}
		case 'NoLivingConnectionsError':
		case 'ConnectionError': {
			return connectionMeaning(text, where);
		}
		case 'DeserializationError': {
			return {
				code: 'ERR_REMOTE',
				message: `expected JSON from ${where}, got something else; check that the address is that of an OpenSearch cluster`,
			};
		}
		case 'ResponseError': {
			return answerMeaning(error, where);
		}
		default: {
			return {code: 'ERR_REMOTE', message: `the request to ${where} failed: ${text}`};
		}
	}
}

function connectionMeaning(text: string, where: string): Meaning {
	if (isCertificateError(text)) {
		return {
			code: 'ERR_REMOTE_ACCESS',
			message: `expected a certificate of ${where} that Node trusts, got one that it does not (${text}); pass the certificate of its authority as tls: {ca}`,
		};
	}
	if (/wrong version number|packet length too long|EPROTO/iu.test(text)) {
		return {
			code: 'ERR_REMOTE',
			message: `expected an encrypted connection with ${where}, got none (${text}); the address may begin with http://`,
		};
	}
	if (/socket hang up|ECONNRESET/iu.test(text)) {
		return {
			code: 'ERR_REMOTE',
			message: `${where} closed the connection (${text}); if the cluster is encrypted, the address begins with https://`,
		};
	}
	return {code: 'ERR_REMOTE', message: `no connection with ${where} (${text}); check the address, and that the cluster is running`};
}

function isCertificateError(text: string): boolean {
	return /certificate|self.signed|CERT_|altnames|unable to verify/iu.test(text);
}

function answerMeaning(error: ClientError, where: string): Meaning {
	const status = statusOf(error) ?? 0;
	const body = (error.body ?? error.meta?.body) as {readonly error?: RemoteCause | string} | string | undefined;
	const cause = typeof body === 'object' && typeof body?.error === 'object' ? body.error : undefined;
	if (status === 401) {
		return {
			code: 'ERR_REMOTE_ACCESS',
			message: `${where} refused the credentials (status 401); check the user name and the password, or the key, of the option auth`,
		};
	}
	if (cause === undefined) {
		if (status === 403) {
			return {code: 'ERR_REMOTE_ACCESS', message: `${where} refused the request (status 403); check the permissions of the user`};
		}
		const got = typeof body === 'string' ? `: ${body.slice(0, 200)}` : '';
		return {code: 'ERR_REMOTE', message: `expected an answer of OpenSearch from ${where}, got status ${status}${got}; check the address`};
	}
	return causeMeaning(cause, status);
}

/** Returns the meaning of an error that a cluster described, in an answer or for one item of a bulk request. */
export function causeMeaning(cause: RemoteCause, status: number): Meaning {
	const reasons = [...reasonsOf(cause)];
	const text = reasons.map(({type, reason}) => `${type}: ${reason}`).join('; ');
	const types = new Set(reasons.map(({type}) => type));
	const has = (pattern: RegExp): boolean => pattern.test(text);
	/** Whether a cause has this type, and a reason that matches. Reasons may quote queries and documents, so a reason alone says nothing. */
	const hasReason = (type: string, pattern: RegExp): boolean => reasons.some(cause => cause.type === type && pattern.test(cause.reason));
	if (hasReason('cluster_block_exception', FLOOD_STAGE)) {
		return {
			code: 'ERR_REMOTE',
			message:
				'the index is read-only, because a disk of the cluster is almost full (flood-stage watermark); free disk space, and then set index.blocks.read_only_allow_delete to null',
		};
	}
	if (hasReason('cluster_block_exception', /FORBIDDEN/u)) {
		return {
			code: 'ERR_REMOTE',
			message: `the index is read-only (${reasons[0]!.reason}); set index.blocks.write and index.blocks.read_only to false`,
		};
	}
	if (types.has('index_not_found_exception')) {
		return {
			code: 'ERR_REMOTE',
			message: `expected an index, got none (${reasons[0]!.reason}); create it with OpenSearchCollection.create or passagekit push`,
		};
	}
	if (types.has('resource_already_exists_exception')) {
		return {code: 'ERR_ARGUMENT', message: `expected the name of a new index, got one that exists (${reasons[0]!.reason})`};
	}
	if (types.has('invalid_index_name_exception')) {
		return {code: 'ERR_ARGUMENT', message: `expected a valid name of an index, got an invalid one (${reasons[0]!.reason})`};
	}
	if (types.has('too_many_clauses') || types.has('too_many_nested_clauses')) {
		return {
			code: 'ERR_ARGUMENT',
			message: `expected fewer distinct terms in the query, or fewer conditions in the filter, got more than the cluster accepts together (indices.query.bool.max_clause_count): ${text}`,
		};
	}
	if (types.has('search_context_missing_exception')) {
		return {
			code: 'ERR_REMOTE',
			message: `the fixed view of the index was lost (${text}): the scan paused for more than 5 minutes, or a node was lost; start the scan again`,
		};
	}
	if (
		types.has('mapper_parsing_exception') ||
		types.has('strict_dynamic_mapping_exception') ||
		hasReason('illegal_argument_exception', /mapper \[.*\] cannot be changed/u)
	) {
		return {
			code: 'ERR_REMOTE',
			message: `the mapping of the index does not accept the documents: ${text}; the index may belong to another program`,
		};
	}
	if (status === 403 || types.has('security_exception')) {
		return {code: 'ERR_REMOTE_ACCESS', message: `the cluster refused the request (${text}); check the permissions of the user`};
	}
	if (status === 429) {
		return {code: 'ERR_REMOTE', message: `the cluster is overloaded (${text}); send fewer requests at a time, or raise maxRetries`};
	}
	if (status === 413) {
		return {code: 'ERR_REMOTE', message: `the request is larger than the cluster accepts (http.max_content_length): ${text}`};
	}
	// With status 400, the shards did answer: they refused the search.
	if (
		types.has('search_phase_execution_exception') &&
		status !== 400 &&
		(status >= 500 || has(/Partial shards failure|shards? failed/iu))
	) {
		return {code: 'ERR_REMOTE_INCOMPLETE', message: `not all shards answered (${text}); check the health of the cluster`};
	}
	if (status === 503 || status === 504) {
		return {code: 'ERR_REMOTE', message: `the cluster is not ready (${text}); check its health`};
	}
	return {code: 'ERR_REMOTE', message: `the cluster refused the request with status ${status} (${text})`};
}

/** Iterates over the causes in the description of an error, without repetitions. */
function* reasonsOf(cause: RemoteCause, seen = new Set<string>()): Generator<{readonly type: string; readonly reason: string}> {
	const {type = 'error', reason = ''} = cause;
	const key = `${type} ${reason}`;
	if (!seen.has(key)) {
		seen.add(key);
		yield {type, reason};
	}
	for (const inner of [
		...(cause.root_cause ?? []),
		...(cause.caused_by ? [cause.caused_by] : []),
		...(cause.failed_shards ?? []).flatMap(({reason}) => (reason ? [reason] : [])),
	]) {
		yield* reasonsOf(inner, seen);
	}
}

/** Matches the reason of the block that a cluster sets on an index when a disk is almost full. */
const FLOOD_STAGE = /read-only.{1,3}allow.delete|\/12\//u;

/** Whether a cause is a block that stays until an administrator removes it, so that a retry is useless. */
export function isBlock(cause: RemoteCause | undefined): boolean {
	const {type, reason = ''} = cause ?? {};
	return type === 'cluster_block_exception' && (/FORBIDDEN/u.test(reason) || FLOOD_STAGE.test(reason));
}
