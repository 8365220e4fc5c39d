/** The only module that calls the addon; `addon.ts` loads it. Asynchronous calls go through `callNative`, synchronous ones through `callSync`. */
import {isNativeError} from 'node:util/types';
import type * as Binding from '../../../native/binding.d.ts';
import {loadAddon, packageVersion, platformName} from './addon.ts';
import {platformPackage} from './platform-packages.ts';
import {cancelOnAbort} from '../abort.ts';
import {type ErrorCode, RetrievalError} from '../errors.ts';
import {CallbackRunner} from '../callbacks.ts';
import type {CallOptions, Progress} from '../types.ts';

export type {Binding};

/**
The addon. It is loaded on first use, so that `passagekit --help` and other code that does not need the addon work without it. The
first use replaces this proxy with the addon itself, so later uses have no overhead. The first use fails with `ERR_NATIVE_MISSING` if the
addon cannot be loaded or has another version, and with `ERR_ARGUMENT` if the environment variable `PASSAGEKIT_CPU`, which forces a level of
instruction sets, is invalid.
*/
export let native: typeof Binding = new Proxy({} as typeof Binding, {
	get(_target, name) {
		const addon = loadAddon() as typeof Binding;
		// Fails if `PASSAGEKIT_CPU` is invalid.
		const {version} = callSync(() => addon.systemInfo());
		checkVersion(version);
		native = addon;
		isLoaded = true;
		return native[name as keyof typeof Binding];
	},
});

/** Fails if the version of the addon is not that of this package. */
function checkVersion(version: string): void {
	const expected = packageVersion();
	if (version !== expected) {
		throw new RetrievalError(
			'ERR_NATIVE_MISSING',
			`expected the native addon of version ${expected}, got version ${version}. Install it with \`npm install ${platformPackage(platformName())}@${expected}\`.`,
		);
	}
}

/** Whether the addon was loaded. */
export let isLoaded = false;

const PROGRESS_INTERVAL_MS = 100;

/**
Runs native work off the event loop. Rejects immediately if the signal is already aborted. If the signal aborts later, the work is canceled.
Once the work has stopped, the promise rejects with the signal's reason, or resolves if the work was already complete. If `onProgress`
fails, the work is canceled too, and the promise rejects with the error of `onProgress`.
*/
export async function callNative<T>({signal, onProgress}: CallOptions, start: (control: Binding.Control) => Promise<T>): Promise<T> {
	signal?.throwIfAborted();
	const control = new native.Control();
	const removeListener = signal && cancelOnAbort(signal, control);
	const progress = onProgress && new CallbackRunner<Progress>(onProgress, () => control.cancel());
	const report = (): void => progress?.call({done: control.done, total: control.total});
	const timer = progress && setInterval(report, PROGRESS_INTERVAL_MS);
	let result: T;
	try {
		result = await start(control);
		report();
	} catch (error) {
		clearInterval(timer);
		const failure = progress?.failure;
		await progress?.settled(signal);
		if (failure !== undefined) {
			throw failure.error;
		}
		if (signal?.aborted && codeOf(error) === 'ERR_CANCELED') {
			throw signal.reason;
		}
		throw translated(error);
	} finally {
		clearInterval(timer);
		removeListener?.();
	}
	if (progress !== undefined) {
		const failure = await progress.settled(signal);
		if (failure !== undefined) {
			throw failure.error;
		}
		if (progress.isPending) {
			signal?.throwIfAborted();
		}
	}
	return result;
}

/** Runs native work that takes microseconds, on the JavaScript thread. */
export function callSync<T>(work: () => T): T {
	try {
		return work();
	} catch (error) {
		throw translated(error);
	}
}

/** The form of the addon's error messages: `[CODE] message`. */
const ERROR_PATTERN = /^\[(ERR_[A-Z_]+)\] (.*)$/su;

function codeOf(error: unknown): string | undefined {
	return isNativeError(error) ? ERROR_PATTERN.exec(error.message)?.[1] : undefined;
}

/**
Converts an error of the addon to a `RetrievalError`, with a stack trace that includes the caller. `isNativeError` is used because the
addon's errors belong to Node's main context: if this module runs in another context, as under Jest, they are not `instanceof Error`.
*/
function translated(error: unknown): unknown {
	if (!isNativeError(error) || error instanceof RetrievalError) {
		return error;
	}
	const match = ERROR_PATTERN.exec(error.message);
	if (match) {
		return new RetrievalError(match[1] as ErrorCode, match[2]!, {cause: error});
	}
	// `GenericFailure` is a panic that napi-rs caught. Other errors come from Node-API, for values of a wrong type that our checks accepted.
	if ((error as NodeJS.ErrnoException).code === 'GenericFailure') {
		return new RetrievalError('ERR_INTERNAL', `a bug in passagekit: ${native.panicPlace(error.message)}; please report it`, {cause: error});
	}
	return new RetrievalError('ERR_ARGUMENT', error.message, {cause: error});
}
