/** The calls in progress of an object that can be closed: closing it waits for them. */
import {RetrievalError} from './errors.ts';

export class CallsInProgress {
	readonly #what: string;
	#count = 0;
	#isClosed = false;
	readonly #onIdle: Array<() => void> = [];

	/** `what` names the object in errors. */
	constructor(what: string) {
		this.#what = what;
	}

	/** Fails with `ERR_CLOSED` after `close` was called. */
	checkOpen(): void {
		if (this.#isClosed) {
			throw new RetrievalError('ERR_CLOSED', `this ${this.#what} was closed`);
		}
	}

	/** Runs a call, for which `close` waits. Fails with `ERR_CLOSED` after `close` was called. */
	async run<T>(call: () => Promise<T>): Promise<T> {
		this.checkOpen();
		this.#count += 1;
		try {
			return await call();
		} finally {
			this.#count -= 1;
			if (this.#count === 0) {
				for (const release of this.#onIdle.splice(0)) {
					try {
						release();
					} catch {
						// The call must not fail because something cannot be released.
					}
				}
			}
		}
	}

	/** Refuses later calls, and waits until those in progress have succeeded or failed. */
	async close(): Promise<void> {
		return new Promise(resolve => this.closeThen(resolve));
	}

	/** Does the same as `close`, and then calls `release`: at once if no call is in progress. */
	closeThen(release: () => void): void {
		this.#isClosed = true;
		if (this.#count === 0) {
			release();
		} else {
			this.#onIdle.push(release);
		}
	}
}
