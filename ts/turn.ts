/** How much work may be done at once on the JavaScript thread before others have their turn. */
const MOST_MS = 1;

let spent = 0;
let watching = false;

/**
Does `work` here and now if this turn of the event loop has time left, and counts how long it took. `undefined` if there
is no time left, or if `work` says so.
*/
export function inThisTurn<T>(work: () => T | undefined): T | undefined {
	if (spent >= MOST_MS) {
		return undefined;
	}
	if (!watching) {
		watching = true;
		setImmediate(() => {
			spent = 0;
			watching = false;
		});
	}
	const start = performance.now();
	try {
		return work();
	} finally {
		spent += performance.now() - start;
	}
}
