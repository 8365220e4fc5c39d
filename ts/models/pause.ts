import {setTimeout as sleep} from 'node:timers/promises';

/** Waits; an aborted signal ends the wait with its own reason. */
export async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
	try {
		await sleep(ms, undefined, {signal});
	} catch (error) {
		signal?.throwIfAborted();
		throw error;
	}
}
