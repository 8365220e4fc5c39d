/**
 * The most that one of up to three attempts counts; no more attempts are made once one counts more than `enough`.
 *
 * What the event loop does while work runs elsewhere is counted, not timed: where the work holds the loop, every attempt
 * counts next to nothing. But a busy machine may give the loop's thread nothing for as long as one call takes, which says
 * nothing of the call, so one attempt does not decide.
 */
export async function mostOfThree(enough: number, attempt: () => Promise<number>): Promise<number> {
	let most = 0;
	for (let made = 0; made < 3 && most <= enough; made++) {
		most = Math.max(most, await attempt());
	}
	return most;
}
