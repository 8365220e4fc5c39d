/** Runs several calls at the same time and combines their results and errors. */
import type {CallOptions} from './types.ts';

/**
Runs calls concurrently and resolves to their results. With `onProgress`, only the first call reports progress; if a call fails, for example
because `onProgress` threw, the other calls are aborted, and the promise rejects with that error once all calls have stopped. Without
`onProgress`, as in searches for a single query, the function is just `Promise.all`, which has less overhead and aborts no call.
*/
export async function runConcurrently<T>(
	{signal, onProgress}: CallOptions,
	calls: ReadonlyArray<(options: CallOptions) => Promise<T>>,
): Promise<T[]> {
	if (onProgress === undefined) {
		return Promise.all(calls.map(async call => call({signal})));
	}
	// `AbortSignal.any` does not follow signals of other realms or of polyfills.
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
