/** Chooses between the JavaScript thread and the thread pool for each search. */
import {hasTimeLeft, isSearchWaiting, searchInNextIteration} from './event-loop.ts';

/**
Decides for each search of an index whether it runs inline, that is, on the JavaScript thread, or on the thread pool. Quick searches run
inline, because waking another thread takes longer than the search. As a result, the searches of callers that await each search before they
start the next one run inline, and those of callers that start many searches concurrently mostly use the thread pool.
*/
export class InlineSearches {
	/** Whether the last search that was tried inline was quick enough to run there. */
	#wasQuick = false;

	/**
	Runs a search. `inline` runs it on the JavaScript thread, or returns `undefined` if it would not be quick; `onThreadPool` then runs it.

	- If the current iteration of the event loop has time left, `inline` is called now.
	- Else, if the last search was quick and no other search waits, `inline` is called at the start of the next iteration. Before the search
	  waits, `keep` copies the arguments that the caller may change meanwhile.
	- Else, `onThreadPool` is called now.
	*/
	search<T>(
		inline: () => T | undefined,
		onThreadPool: () => Promise<T>,
		{keep, signal}: {readonly keep?: () => void; readonly signal?: AbortSignal | undefined} = {},
	): T | Promise<T> {
		if (hasTimeLeft()) {
			return this.#tryInline(inline) ?? onThreadPool();
		}
		if (!this.#wasQuick || isSearchWaiting()) {
			return onThreadPool();
		}
		keep?.();
		return searchInNextIteration(() => {
			signal?.throwIfAborted();
			return this.#tryInline(inline) ?? onThreadPool();
		});
	}

	#tryInline<T>(inline: () => T | undefined): T | undefined {
		const found = inline();
		this.#wasQuick = found !== undefined;
		return found;
	}
}
