/**
Calls the callbacks of users, such as `onProgress`. If a callback throws or returns a promise that rejects, the work that the callback
belongs to ends. The error never becomes an uncaught exception or an unhandled rejection.
*/

/** Waits until a callback's result settles or the signal aborts, so that a promise that never settles does not block an aborted call. */
export async function awaitUnlessAborted(returned: unknown, signal: AbortSignal | undefined): Promise<void> {
	if (signal === undefined) {
		await returned;
		return;
	}
	let onAbort = (): void => {};
	const aborted = new Promise<void>(resolve => {
		onAbort = resolve;
	});
	signal.addEventListener('abort', onAbort);
	if (signal.aborted) {
		onAbort();
	}
	try {
		await Promise.race([returned, aborted]);
	} finally {
		signal.removeEventListener('abort', onAbort);
	}
}

/**
Calls a user's callback during work that does not wait for the callback. If the callback throws or its promise rejects, the work
stops, the callback is not called again, and `settled` returns the error.
*/
export class CallbackRunner<T> {
	readonly #callback: (value: T) => unknown;
	readonly #stop: () => void;
	readonly #pending = new Set<Promise<void>>();
	#failure: {readonly error: unknown} | undefined;

	/** `stop` ends the work. It is called once, at the first error of the callback. */
	constructor(callback: (value: T) => unknown, stop: () => void) {
		this.#callback = callback;
		this.#stop = stop;
	}

	/** The first error of the callback so far. It is wrapped in an object, because any value can be thrown, even `undefined`. */
	get failure(): {readonly error: unknown} | undefined {
		return this.#failure;
	}

	/** Whether a promise that the callback returned has not settled. Ask only if there is no `failure`: a rejected promise counts as pending. */
	get isPending(): boolean {
		return this.#pending.size > 0;
	}

	/** Calls the callback. Never throws: timers call it, and an exception in a timer would end the process. */
	call(value: T): void {
		if (this.#failure !== undefined) {
			return;
		}
		try {
			const returned = this.#callback(value);
			if (typeof (returned as PromiseLike<unknown> | undefined)?.then === 'function') {
				const pending: Promise<void> = Promise.resolve(returned).then(
					() => void this.#pending.delete(pending),
					(error: unknown) => this.#fail(error),
				);
				this.#pending.add(pending);
			}
		} catch (error) {
			this.#fail(error);
		}
	}

	/**
	Waits until all promises that the callback returned have settled, so that no rejection is lost, or until the signal aborts. Returns the
	first error of the callback, if any.
	*/
	async settled(signal: AbortSignal | undefined): Promise<{readonly error: unknown} | undefined> {
		await awaitUnlessAborted(Promise.all(this.#pending), signal);
		return this.#failure;
	}

	#fail(error: unknown): void {
		if (this.#failure === undefined) {
			this.#failure = {error};
			this.#stop();
		}
	}
}
