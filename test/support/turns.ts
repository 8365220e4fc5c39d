/**
 * Returns the highest count of up to three attempts. It stops once an attempt counts more than `enough`.
 *
 * Tests use it to check that a call does not block the event loop: they count event-loop ticks while the call runs. If the
 * call blocks the loop, every attempt counts almost none. On a busy machine, however, the loop's thread may not be scheduled
 * during one call, so a single low count does not prove that the call blocks.
 */
export async function mostOfThree(enough: number, attempt: () => Promise<number>): Promise<number> {
	let most = 0;
	for (let made = 0; made < 3 && most <= enough; made++) {
		most = Math.max(most, await attempt());
	}
	return most;
}
