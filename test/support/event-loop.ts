/**
Makes up to three attempts and returns the highest count. Stops after the first attempt with a count above `threshold`.

Tests use this function to check that a call does not block the event loop: each attempt makes the call and counts how often
something else runs meanwhile, such as event-loop ticks, a timer or searches. The test passes if the highest count is above
the threshold. If the call blocks the loop, all three counts are close to 0. A single low count does not prove that the call
blocks the loop, because a busy machine may not schedule the loop's thread during the call.
*/
export async function highestOfThreeCounts(threshold: number, attempt: () => Promise<number>): Promise<number> {
	let highest = 0;
	for (let attempts = 0; attempts < 3 && highest <= threshold; attempts++) {
		highest = Math.max(highest, await attempt());
	}
	return highest;
}

/**
Whether one of up to three attempts succeeds. Tests that interrupt a call while it runs use this function: on a busy machine, the call may be
complete before the thread of the test runs again.
*/
export async function succeedsOnce(attempt: () => Promise<boolean>): Promise<boolean> {
	return (await highestOfThreeCounts(0, async () => ((await attempt()) ? 1 : 0))) > 0;
}

/** Whether a call rejects with the reason of its abort; false if it was complete before the abort. Throws any other error. */
export async function isAborted(call: Promise<unknown>, reason: unknown): Promise<boolean> {
	return call.then(
		() => false,
		(error: unknown) => {
			if (error !== reason) {
				throw error;
			}
			return true;
		},
	);
}

/** Whether a promise settles in the current iteration of the event loop, so that its work cannot have run on another thread. */
export async function settlesAtOnce(promise: Promise<unknown>): Promise<boolean> {
	const pending = Symbol('pending');
	const settled = promise.catch(() => undefined);
	for (let i = 0; i < 50; i++) {
		// Runs the callbacks of promises that have settled, and nothing else.
		if ((await Promise.race([settled, pending])) !== pending) {
			return true;
		}
	}
	return false;
}
