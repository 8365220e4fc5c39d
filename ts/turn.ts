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

/** How the searches of one index are done that may be quick: waking another thread takes longer than they do. */
export class QuickSearches {
	/** Whether the one that was tried last was quick. */
	#quick = false;

	/**
	Searches `here`, which gives `undefined` where that would not be quick, as far as this turn of the event loop has time left;
	or first thing in the next turn, if no other waits for that. Who searches, waits and searches again then wakes no thread;
	those who search at the same time had better, and do so `elsewhere`. `keep` is called where the search has to wait: the
	caller may write to what it was given meanwhile.
	*/
	search<T>(
		here: () => T | undefined,
		elsewhere: () => Promise<T>,
		{keep, signal}: {readonly keep?: () => void; readonly signal?: AbortSignal | undefined} = {},
	): T | Promise<T> {
		if (turnHasTime()) {
			return this.#try(here) ?? elsewhere();
		}
		if (!this.#quick || waiting !== undefined) {
			return elsewhere();
		}
		keep?.();
		return inNextTurn(() => {
			signal?.throwIfAborted();
			return this.#try(here) ?? elsewhere();
		});
	}

	#try<T>(here: () => T | undefined): T | undefined {
		const found = here();
		this.#quick = found !== undefined;
		return found;
	}
}

async function inNextTurn<T>(work: () => T | PromiseLike<T>): Promise<T> {
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
