import {awaitUnlessAborted} from '../../core/callbacks.ts';

/** Runs the changes of a collection one after another, in the order in which they were requested. */
export class WriteQueue {
	#last: Promise<unknown> = Promise.resolve();
	#count = 0;

	/** Whether work runs or waits. */
	get isBusy(): boolean {
		return this.#count > 0;
	}

	/**
	Runs `work` once all work that was queued before it has succeeded or failed. If the signal aborts before that, the call rejects at once, and
	`work` is not run.
	*/
	async run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
		let hasStarted = false;
		const start = async (): Promise<T> => {
			signal?.throwIfAborted();
			hasStarted = true;
			return work();
		};
		const previous = this.#last;
		const result = previous.then(start, start);
		this.#count += 1;
		this.#last = result
			.catch(() => {})
			.finally(() => {
				this.#count -= 1;
			});
		if (signal !== undefined) {
			await awaitUnlessAborted(previous, signal);
			if (!hasStarted) {
				signal.throwIfAborted();
			}
		}
		return result;
	}
}
