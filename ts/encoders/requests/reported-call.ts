/** Runs work in JavaScript with the behavior that `CallOptions` promises for `signal` and `onProgress`. */
import {setMaxListeners} from 'node:events';
import {cancelOnAbort} from '../../core/abort.ts';
import {CallbackRunner} from '../../core/callbacks.ts';
import type {CallOptions, Progress} from '../../core/types.ts';

const PROGRESS_INTERVAL_MS = 100;

/** How the work of a call reports progress and learns that it must stop. */
export interface CallState {
	/** Aborts if the user's signal aborts, if `onProgress` fails, or if `stop` is called. */
	readonly signal: AbortSignal;
	/** Aborts `signal`, so that all parts of the work end after one of them has failed. */
	readonly stop: (reason: unknown) => void;
	/** Number of units of work that are done. The work updates it. */
	done: number;
}

/**
Runs `work` and resolves to its result. `total` is the number of units of work. The work must reject soon after `state.signal` aborts. If
the user's signal aborted, the call rejects with the reason of that signal; if `onProgress` failed, with the error of `onProgress`.
*/
export async function reportedCall<T>(
	{signal, onProgress}: CallOptions,
	total: number,
	work: (state: CallState) => Promise<T>,
): Promise<T> {
	signal?.throwIfAborted();
	// `AbortSignal.any` does not follow signals from polyfills or other realms.
	const controller = new AbortController();
	// Each request adds a listener, and Node warns of a leak at more than ten.
	setMaxListeners(0, controller.signal);
	const removeListener = signal && cancelOnAbort(signal, {cancel: () => controller.abort(signal.reason)});
	const state: CallState = {signal: controller.signal, stop: reason => controller.abort(reason), done: 0};
	const progress = onProgress && new CallbackRunner<Progress>(onProgress, () => controller.abort());
	const report = (): void => progress?.call({done: state.done, total});
	const timer = progress && setInterval(report, PROGRESS_INTERVAL_MS);
	try {
		const result = await work(state);
		clearInterval(timer);
		report();
		const failure = await progress?.settled(signal);
		if (failure !== undefined) {
			throw failure.error;
		}
		if (progress?.isPending) {
			signal?.throwIfAborted();
		}
		return result;
	} catch (error) {
		clearInterval(timer);
		const failure = progress?.failure ?? (await progress?.settled(signal));
		throw failure === undefined ? error : failure.error;
	} finally {
		removeListener?.();
	}
}
