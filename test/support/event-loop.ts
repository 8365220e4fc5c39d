/**
Returns the highest count of up to three attempts. It stops after the first attempt with a count above `threshold`.

Tests use this function to check that a call does not block the event loop: each attempt makes the call and counts how often
something else runs meanwhile, such as event-loop ticks, a timer or searches. The test passes if the highest count is above
the threshold. If the call blocks the loop, all three counts are close to 0. One low count is no proof of that, because a busy
machine may not schedule the loop's thread during the call.
*/
export async function highestOfThreeCounts(threshold: number, attempt: () => Promise<number>): Promise<number> {
	let highest = 0;
	for (let attempts = 0; attempts < 3 && highest <= threshold; attempts++) {
		highest = Math.max(highest, await attempt());
	}
	return highest;
}
