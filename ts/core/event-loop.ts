/**
Shares the JavaScript thread between this package and its caller. Everything that this package does on that thread, quick searches
and slices of long work, draws on one time budget per iteration of the event loop, so that timers and sockets are never blocked for
much longer than the budget.
*/

/** The time budget of one iteration of the event loop. */
const BUDGET_MS = 1;

let isCounting = false;
/** When this iteration of the event loop was first asked for time. */
let startedAt = 0;
/** The search that waits for the next iteration, if any. */
let waitingSearch: (() => void) | undefined;

/** Whether this iteration of the event loop has time left for a quick search or for a slice of long work. */
export function hasTimeLeft(): boolean {
	const now = performance.now();
	if (!isCounting) {
		isCounting = true;
		startedAt = now;
		setImmediate(startIteration);
	}
	return now - startedAt < BUDGET_MS;
}

/** Waits for an iteration of the event loop that has time left. */
export async function waitForTime(): Promise<void> {
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

/** Whether a search waits for the next iteration. Only one may: others go to the thread pool. */
export function isSearchWaiting(): boolean {
	return waitingSearch !== undefined;
}

/** Runs a search first thing in the next iteration of the event loop. */
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

/** Runs the waiting search now. Called before something that the search needs, such as an open index, is taken away. */
export function runWaitingSearch(): void {
	waitingSearch?.();
}

function startIteration(): void {
	isCounting = false;
	if (waitingSearch !== undefined) {
		hasTimeLeft();
		waitingSearch();
	}
}
