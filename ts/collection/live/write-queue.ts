/** Runs changes of a collection one after another, in the order in which they were called. */
export class WriteQueue {
	#last: Promise<unknown> = Promise.resolve();

	/** Runs `work` after everything that was queued before, whether that failed or not. */
	async run<T>(work: () => Promise<T>): Promise<T> {
		const result = this.#last.then(work, work);
		this.#last = result.catch(() => {});
		return result;
	}
}
