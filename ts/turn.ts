import {nextTurn} from './native.ts';

/** How much work may be done at once on the JavaScript thread before others have their turn. */
const MOST_MS = 1;

let spent = 0;
let watching = false;

/**
Does `work` here and now if this turn of the event loop has time left, and counts how long it took. `undefined` if there
is no time left, or if `work` says so.
*/
export function inThisTurn<T>(work: () => T | undefined): T | undefined {
	return hasTime() ? counted(work) : undefined;
}

/** Waits for a turn of the event loop that has time left: other calls' slices count. */
export async function turnWithTime(): Promise<void> {
	while (!hasTime()) {
		await nextTurn();
	}
}

/** Does one slice of long work, and counts how long it took. A slice is to be a fraction of a millisecond. */
export function counted<T>(work: () => T): T {
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

function hasTime(): boolean {
	return spent < MOST_MS;
}
