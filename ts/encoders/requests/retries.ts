/**
Retries requests that fail. `withRetries` understands the errors of `fetch`, of Node and of the common HTTP clients: their status, and the
pause that the server asks for in the header `Retry-After` (RFC 9110, section 10.2.3).
*/
import {isNativeError} from 'node:util/types';
import {hasMethods, isObject, kindOf} from '../../core/checks.ts';
import {RetrievalError} from '../../core/errors.ts';
import {pause} from '../../models/pause.ts';
import type {RequestLimiter} from './request-limiter.ts';

/** How often, and after which errors, a request is sent again. */
export interface RetryPolicy {
	/** Maximum number of attempts after the first one. */
	readonly retries: number;
	/** Pause before the first retry, in milliseconds. It doubles with each further retry. */
	readonly minDelayMs: number;
	/** Maximum pause between attempts, in milliseconds, unless the server asks for a longer one. */
	readonly maxDelayMs: number;
	/** Whether to retry after this error. */
	readonly retryIf: (error: unknown) => boolean;
}

/** If the server asks for a pause longer than this and than `maxDelayMs`, the request is not retried. Daily quotas cause such pauses. */
const MAX_RETRY_AFTER_MS = 600_000;

/**
Calls `attempt` until it succeeds. Fails with `ERR_ENCODER` after the last attempt, or after an error that is not retried. `texts` describes
the texts of the request, for the message.
*/
export async function withRetries<T>(
	texts: string,
	policy: RetryPolicy,
	limiter: RequestLimiter,
	signal: AbortSignal,
	attempt: () => Promise<T>,
): Promise<T> {
	const {retries, minDelayMs, maxDelayMs, retryIf} = policy;
	for (let attempts = 1; ; attempts++) {
		try {
			return await attempt();
		} catch (error) {
			signal.throwIfAborted();
			const askedMs = retryAfterMs(error) ?? 0;
			const isTooLong = askedMs > Math.max(MAX_RETRY_AFTER_MS, maxDelayMs);
			if (isTooLong || attempts > retries || !retryIf(error)) {
				const count = attempts === 1 ? '1 attempt' : `${attempts} attempts`;
				const advice = isTooLong ? ` The server asks to wait ${Math.ceil(askedMs / 1000)} seconds.` : '';
				throw new RetrievalError('ERR_ENCODER', `encode: embed failed for ${texts} after ${count}: ${reasonOf(error)}.${advice}`, {
					cause: error,
				});
			}
			if (askedMs > 0) {
				// The other requests would be refused as well.
				limiter.pauseFor(askedMs);
			}
			const delay = Math.min(maxDelayMs, minDelayMs * 2 ** (attempts - 1));
			// The random part keeps clients that failed together from retrying together.
			await pause(Math.max(askedMs, delay * (0.5 + 0.5 * Math.random())), signal);
		}
	}
}

/**
Whether an error is likely to be temporary: any status except 4xx, the status 408 or 429, or no status, as after a broken connection. Errors
of JavaScript itself, such as the `TypeError` for a property of `undefined`, are bugs in the user's function and not temporary.
*/
export function isTemporary(error: unknown): boolean {
	const status = statusOf(error);
	if (status !== undefined) {
		return status === 408 || status === 429 || status < 400 || status >= 500;
	}
	if (!isNativeError(error)) {
		return true;
	}
	if (error.name === 'TypeError') {
		// `fetch` reports broken connections as a TypeError with a cause, and an invalid URL as one whose cause is another TypeError.
		return isNativeError(error.cause) && error.cause.name !== 'TypeError';
	}
	return error.name !== 'ReferenceError' && error.name !== 'RangeError';
}

/** The pause in milliseconds that an error asks for: `retryAfterMs`, `retryAfter` in seconds, or a header of its response. */
export function retryAfterMs(error: unknown): number | undefined {
	const response = property(error, 'response');
	const allHeaders = [property(error, 'headers'), property(response, 'headers')];
	for (const [value, unit] of [
		[property(error, 'retryAfterMs'), 1],
		[property(error, 'retryAfter'), 1000],
		...allHeaders.map(headers => [header(headers, 'retry-after-ms'), 1] as const),
		...allHeaders.map(headers => [header(headers, 'retry-after'), 1000] as const),
	] as const) {
		const ms = duration(value, unit);
		if (ms !== undefined) {
			return ms;
		}
	}
	return undefined;
}

/** Converts a number of units, or an HTTP date, to milliseconds from now. `undefined` if it is neither. */
function duration(value: unknown, unitMs: number): number | undefined {
	if (typeof value === 'number') {
		return value >= 0 ? value * unitMs : undefined;
	}
	if (typeof value !== 'string' || value.trim() === '') {
		return undefined;
	}
	const amount = Number(value);
	if (!Number.isNaN(amount)) {
		return duration(amount, unitMs);
	}
	const date = Date.parse(value);
	return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}

/** The HTTP status of an error: its `status` or `statusCode`, or that of its `response`. */
function statusOf(error: unknown): number | undefined {
	const response = property(error, 'response');
	const statuses = [property(error, 'status'), property(error, 'statusCode'), property(response, 'status')];
	return statuses.find((status): status is number => typeof status === 'number');
}

/** Reads a header of a `Headers` object, a map or a plain object. */
function header(headers: unknown, name: string): unknown {
	try {
		if (hasMethods(headers, 'get')) {
			return (headers as {get(name: string): unknown}).get(name) ?? undefined;
		}
		const key = isObject(headers) ? Object.keys(headers).find(each => each.toLowerCase() === name) : undefined;
		return key === undefined ? undefined : property(headers, key);
	} catch {
		return undefined;
	}
}

/** Reads a property of any value; `undefined` if it cannot be read. */
function property(value: unknown, name: string): unknown {
	try {
		return isObject(value) ? value[name] : undefined;
	} catch {
		return undefined;
	}
}

function reasonOf(error: unknown): string {
	const [message, status] = [property(error, 'message'), statusOf(error)];
	const text = typeof message === 'string' && message !== '' ? message : typeof error === 'string' ? error : kindOf(error);
	const cause = property(property(error, 'cause'), 'message');
	const detail = typeof cause === 'string' && cause !== '' ? ` (${cause})` : '';
	const known = status === undefined || text.includes(String(status)) ? '' : ` (status ${status})`;
	return `${text}${detail}${known}`.replace(/\.$/u, '');
}
