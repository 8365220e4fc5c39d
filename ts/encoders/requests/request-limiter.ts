/**
Limits the requests of one encoder, across all of its calls: how many run at the same time, and how many start per minute. Waiting requests
start in the order in which they arrived.
*/
import {awaitUnlessAborted} from '../../core/callbacks.ts';
import {pause} from '../../models/pause.ts';

const MS_PER_MINUTE = 60_000;

/** The limits of an encoder. */
export interface RequestLimits {
	/** Maximum number of requests at the same time. */
	readonly concurrency: number;
	/** Maximum number of requests that start per minute; `Infinity` for no limit. */
	readonly requestsPerMinute: number;
	/** Maximum number of texts per minute; `Infinity` for no limit. */
	readonly textsPerMinute: number;
}

/**
Starts requests as the limits allow. Requests are spaced evenly: with 600 per minute, a request starts at least 100 ms after the
previous one. A limit on texts works in the same way, and the time after a request is proportional to its number of texts.
*/
export class RequestLimiter {
	readonly #limits: RequestLimits;
	/** Number of requests that may start now without exceeding `concurrency`. */
	#free: number;
	/** Requests that wait for others to end, in order of arrival. */
	readonly #waiting = new Set<() => void>();
	/** Settles when the last request that waits for its start time has started or was aborted. Never rejects. */
	#lastStart: Promise<void> = Promise.resolve();
	/** Earliest time of the next start according to the rate limits, on the clock of `performance.now()`. */
	#nextStart = 0;
	/** End of the longest pause that the server has asked for, on the same clock. */
	#pausedUntil = 0;

	constructor(limits: RequestLimits) {
		this.#limits = limits;
		this.#free = limits.concurrency;
	}

	/** Runs `work`, which makes one request at a time, as soon as fewer than `concurrency` others run. */
	async run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
		await this.#acquire(signal);
		try {
			return await work();
		} finally {
			this.#release();
		}
	}

	/** Waits until a request of `textCount` texts may start. Retries wait too, because servers count them. */
	async awaitStart(textCount: number, signal: AbortSignal): Promise<void> {
		const previous = this.#lastStart;
		let finish = (): void => {};
		this.#lastStart = new Promise(resolve => {
			finish = resolve;
		});
		try {
			await awaitUnlessAborted(previous, signal);
			signal.throwIfAborted();
			for (;;) {
				// Computed again after each wait, because the server may have asked for a longer pause, and timers may fire early.
				const wait = Math.max(this.#nextStart, this.#pausedUntil) - performance.now();
				if (wait <= 0) {
					break;
				}
				await pause(wait, signal);
			}
			const {requestsPerMinute, textsPerMinute} = this.#limits;
			this.#nextStart = performance.now() + Math.max(MS_PER_MINUTE / requestsPerMinute, (MS_PER_MINUTE * textCount) / textsPerMinute);
		} finally {
			// An aborted request must not let the next one overtake the previous one.
			void previous.then(finish);
		}
	}

	/** Starts no request in the next `ms` milliseconds, because the server asked for a pause. */
	pauseFor(ms: number): void {
		this.#pausedUntil = Math.max(this.#pausedUntil, performance.now() + ms);
	}

	async #acquire(signal: AbortSignal): Promise<void> {
		signal.throwIfAborted();
		if (this.#free > 0) {
			this.#free--;
			return;
		}
		await new Promise<void>((resolve, reject) => {
			const start = (): void => {
				signal.removeEventListener('abort', stop);
				resolve();
			};
			const stop = (): void => {
				this.#waiting.delete(start);
				reject(signal.reason as Error);
			};
			signal.addEventListener('abort', stop, {once: true});
			this.#waiting.add(start);
		});
	}

	#release(): void {
		const [next] = this.#waiting;
		if (next === undefined) {
			this.#free++;
		} else {
			this.#waiting.delete(next);
			next();
		}
	}
}
