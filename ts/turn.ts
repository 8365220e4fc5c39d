import {nextTurn} from './native.ts';

/** How long searches and slices of long work may go on on the JavaScript thread before others have their turn. */
const MOST_MS = 1;

let watching = false;
/** When this turn of the event loop was first asked for time. */
let began = 0;
/** What waits for the next turn. */
let waiting: (() => void) | undefined;

/** Whether this turn of the event loop has time left for a quick search, or for a slice of long work. */
export function turnHasTime(): boolean {
	const now = performance.now();
	if (!watching) {
		watching = true;
		began = now;
		setImmediate(newTurn);
	}
	return now - began < MOST_MS;
}

/** Waits for a turn of the event loop that has time left: all searches and slices share it. */
export async function turnWithTime(): Promise<void> {
	while (!turnHasTime()) {
		await nextTurn();
	}
}

/** Whether nothing waits for the next turn yet. */
export function nextTurnIsFree(): boolean {
	return waiting === undefined;
}

/**
Does `work` first thing in the next turn of the event loop, which must be free. Who searches, waits and searches again then
wakes no thread, which would take longer; those who search at the same time had better.
*/
export async function inNextTurn<T>(work: () => T | PromiseLike<T>): Promise<T> {
	return new Promise((resolve, reject) => {
		waiting = () => {
			waiting = undefined;
			try {
				resolve(work());
			} catch (error) {
				reject(error as Error);
			}
		};
	});
}

/** Does what waits for the next turn now: for who takes away what it needs. */
export function hurry(): void {
	waiting?.();
}

function newTurn(): void {
	watching = false;
	if (waiting !== undefined) {
		turnHasTime();
		waiting();
	}
}
