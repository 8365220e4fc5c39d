/** A pause that can be aborted. */
import {setTimeout as sleep} from 'node:timers/promises';

/** Waits `ms` milliseconds. If `signal` is aborted, rejects with the reason of the signal. */
export async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
	try {
		await sleep(ms, undefined, {signal});
	} catch (error) {
		signal?.throwIfAborted();
		throw error;
	}
}
