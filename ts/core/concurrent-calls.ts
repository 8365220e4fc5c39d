import type {CallOptions} from './types.ts';

/**
Runs calls concurrently; the first one reports progress. If one fails, for example because `onProgress` threw, the others are
aborted, and the promise rejects with its error once all have stopped. Without `onProgress`, as in searches for single queries,
this is `Promise.all`.
*/
export async function runConcurrently<T>(
	{signal, onProgress}: CallOptions,
	calls: ReadonlyArray<(options: CallOptions) => Promise<T>>,
): Promise<T[]> {
	if (onProgress === undefined) {
		return Promise.all(calls.map(async call => call({signal})));
	}
	// `AbortSignal.any` ignores signals of other realms and polyfills.
	const controller = new AbortController();
	const abort = (): void => controller.abort(signal?.reason);
	signal?.throwIfAborted();
	signal?.addEventListener('abort', abort);
	let failure: {readonly error: unknown} | undefined;
	const results = await Promise.all(
		calls.map(async (call, i) => {
			try {
				return [await call({signal: controller.signal, ...(i === 0 ? {onProgress} : {})})];
			} catch (error) {
				failure ??= {error};
				controller.abort(error);
				return [];
			}
		}),
	);
	signal?.removeEventListener('abort', abort);
	if (failure !== undefined) {
		throw (failure as {readonly error: unknown}).error;
	}
	return results.flat(1) as T[];
}
