/** The only import of the addon. Everything that waits for it goes through `callNative`. */
import {isNativeError} from 'node:util/types';
import type * as Binding from '../../../native/binding.d.ts';
import {loadAddon} from './addon.ts';
import {type ErrorCode, RetrievalError} from '../errors.ts';
import {CallbackRunner} from '../callbacks.ts';
import type {CallOptions, Progress} from '../types.ts';

export type {Binding};

/**
The addon. It is loaded on first use, so that `passagekit --help` and other code that does not need it works without it. The
first use replaces this proxy with the addon itself: every later use costs one property access.
*/
export let native: typeof Binding = new Proxy({} as typeof Binding, {
	get(_target, name) {
		native = loadAddon() as typeof Binding;
		isLoaded = true;
		return native[name as keyof typeof Binding];
	},
});

/** Whether something of the addon was used. */
export let isLoaded = false;

const PROGRESS_EVERY_MS = 100;

/**
Runs native work off the event loop. A signal aborted before is refused at once; one aborted later cancels the work,
and the promise rejects with the signal's reason when it has stopped, or resolves if it was done by then. If a callback fails,
the work is canceled too, and the promise rejects with the callback's error.
*/
export async function callNative<T>({signal, onProgress}: CallOptions, start: (control: Binding.Control) => Promise<T>): Promise<T> {
	signal?.throwIfAborted();
	const control = new native.Control();
	const leave = signal && cancelledBy(signal, control);
	const reports = onProgress && new CallbackRunner<Progress>(onProgress, () => control.cancel());
	const report = (): void => reports?.report({done: control.done, total: control.total});
	const timer = reports && setInterval(report, PROGRESS_EVERY_MS);
	let result: T;
	try {
		result = await start(control);
		report();
	} catch (error) {
		clearInterval(timer);
		const failure = reports?.failure;
		await reports?.settled(signal);
		if (failure !== undefined) {
			throw failure.error;
		}
		if (signal?.aborted && codeOf(error) === 'ERR_CANCELLED') {
			throw signal.reason;
		}
		throw translated(error);
	} finally {
		clearInterval(timer);
		leave?.();
	}
	if (reports !== undefined) {
		const failure = await reports.settled(signal);
		if (failure !== undefined) {
			throw failure.error;
		}
		if (reports.isPending) {
			signal?.throwIfAborted();
		}
	}
	return result;
}

/** What each signal cancels. Calls share a listener: Node takes more than ten of a signal for a leak. */
const cancelled = new WeakMap<AbortSignal, {readonly controls: Set<Binding.Control>; readonly abort: () => void}>();

/** Has the signal cancel the work, until what this returns is called. */
function cancelledBy(signal: AbortSignal, control: Binding.Control): () => void {
	let of = cancelled.get(signal);
	if (of === undefined) {
		const controls = new Set<Binding.Control>();
		of = {controls, abort: () => controls.forEach(each => each.cancel())};
		cancelled.set(signal, of);
	}
	const {controls, abort} = of;
	if (controls.size === 0) {
		signal.addEventListener('abort', abort);
	}
	controls.add(control);
	return () => {
		controls.delete(control);
		if (controls.size === 0) {
			signal.removeEventListener('abort', abort);
		}
	};
}

/** Native work of microseconds, here and now. */
export function callSync<T>(work: () => T): T {
	try {
		return work();
	} catch (error) {
		throw translated(error);
	}
}

const PATTERN = /^\[(ERR_[A-Z_]+)\] (.*)$/su;

function codeOf(error: unknown): string | undefined {
	return isNativeError(error) ? PATTERN.exec(error.message)?.[1] : undefined;
}

/**
Converts an error of the addon to one of this package, whose stack has the caller's frames. The addon's errors belong to the
main context: if this module runs in another one, as under Jest, they are not `instanceof Error`.
*/
function translated(error: unknown): unknown {
	if (!isNativeError(error) || error instanceof RetrievalError) {
		return error;
	}
	const match = PATTERN.exec(error.message);
	if (match) {
		return new RetrievalError(match[1] as ErrorCode, match[2]!, {cause: error});
	}
	// A panic outside our own guards; else what Node-API itself refuses: a wrong type that our checks let through.
	if ((error as NodeJS.ErrnoException).code === 'GenericFailure') {
		return new RetrievalError('ERR_INTERNAL', `a bug in passagekit: ${native.panicPlace(error.message)}; please report it`, {cause: error});
	}
	return new RetrievalError('ERR_ARGUMENT', error.message, {cause: error});
}
