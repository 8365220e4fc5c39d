/**
Shares the JavaScript thread between this package and the rest of the program. On that thread, this package runs quick searches and slices
of long work. All of them together have a time budget in each iteration of the event loop, so that timers and sockets are not blocked for
much longer than the budget. The clock of an iteration starts with the first work of this package in it.
*/

/** The time budget of one iteration of the event loop. */
const BUDGET_MS = 1;

/** Whether `startedAt` belongs to the current iteration of the event loop. */
let isClockRunning = false;
/** Time of the first call of `hasTimeLeft` in the iteration, in milliseconds (`performance.now()`). */
let startedAt = 0;
/** The search that waits for the next iteration, if any. */
let waitingSearch: (() => void) | undefined;

/** Whether this iteration of the event loop has time left for a quick search or for a slice of long work. */
export function hasTimeLeft(): boolean {
	const now = performance.now();
	if (!isClockRunning) {
		isClockRunning = true;
		startedAt = now;
		setImmediate(startIteration);
	}
	return now - startedAt < BUDGET_MS;
}

/** Resolves immediately if the current iteration of the event loop has time left, or else in the next one that has. Long loops await this. */
export async function yieldIfOverBudget(): Promise<void> {
	while (!hasTimeLeft()) {
		await yieldToEventLoop();
	}
}

/** Lets timers, sockets and other callers run, and continues in the next iteration of the event loop. */
export async function yieldToEventLoop(): Promise<void> {
	return new Promise(resolve => {
		setImmediate(resolve);
	});
}

/** Whether a search waits for the next iteration. At most one search may wait; others use the thread pool. */
export function isSearchWaiting(): boolean {
	return waitingSearch !== undefined;
}

/** Runs a search at the start of the next iteration of the event loop. No other search may be waiting (`isSearchWaiting`). */
export async function searchInNextIteration<T>(search: () => T | PromiseLike<T>): Promise<T> {
	return new Promise((resolve, reject) => {
		waitingSearch = () => {
			waitingSearch = undefined;
			try {
				resolve(search());
			} catch (error) {
				reject(error as Error);
			}
		};
	});
}

/** Runs the waiting search now, if there is one. Called before an index is closed, because the search may need that index. */
export function runWaitingSearch(): void {
	waitingSearch?.();
}

function startIteration(): void {
	isClockRunning = false;
	if (waitingSearch !== undefined) {
		// Starts the clock, so that the time of the search counts.
		hasTimeLeft();
		waitingSearch();
	}
}
