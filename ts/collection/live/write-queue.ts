/** Runs the changes of a collection one after another, in the order in which they were requested. */
export class WriteQueue {
	#last: Promise<unknown> = Promise.resolve();

	/** Runs `work` once all work that was queued before it has succeeded or failed. */
	async run<T>(work: () => Promise<T>): Promise<T> {
		const result = this.#last.then(work, work);
		this.#last = result.catch(() => {});
		return result;
	}
}
