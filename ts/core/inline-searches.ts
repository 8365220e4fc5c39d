import {hasTimeLeft, isSearchWaiting, searchInNextIteration} from './event-loop.ts';

/**
Decides, for the searches of one index, which run inline on the JavaScript thread: waking another thread takes longer than a quick
search. Sequential callers, who await one search before they start the next, run inline; concurrent callers use the thread pool.
*/
export class InlineSearches {
	/** Whether the search that was tried last was quick. */
	#wasQuick = false;

	/**
	Calls `inline`, which returns `undefined` if the search would not be quick, if this iteration of the event loop has time left.
	Otherwise does so in the next iteration, if the last search was quick and no other search waits for that iteration. In all other
	cases calls `onThreadPool`. `keep` is called if the search has to wait, so that the caller can copy arguments that JavaScript may
	change meanwhile.
	*/
	search<T>(
		inline: () => T | undefined,
		onThreadPool: () => Promise<T>,
		{keep, signal}: {readonly keep?: () => void; readonly signal?: AbortSignal | undefined} = {},
	): T | Promise<T> {
		if (hasTimeLeft()) {
			return this.#try(inline) ?? onThreadPool();
		}
		if (!this.#wasQuick || isSearchWaiting()) {
			return onThreadPool();
		}
		keep?.();
		return searchInNextIteration(() => {
			signal?.throwIfAborted();
			return this.#try(inline) ?? onThreadPool();
		});
	}

	#try<T>(inline: () => T | undefined): T | undefined {
		const found = inline();
		this.#wasQuick = found !== undefined;
		return found;
	}
}
