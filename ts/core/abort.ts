/** Cancels work when an `AbortSignal` aborts. */

/** Work that can be canceled. */
interface Cancelable {
	cancel(): void;
}

/**
The work that each signal cancels. All calls with the same signal share one listener, because Node warns of a leak if a signal has more than
ten listeners.
*/
const workBySignal = new WeakMap<AbortSignal, {readonly work: Set<Cancelable>; readonly abort: () => void}>();

/** Registers work to be canceled when the signal aborts. The returned function unregisters it. */
export function cancelOnAbort(signal: AbortSignal, cancelable: Cancelable): () => void {
	let registered = workBySignal.get(signal);
	if (registered === undefined) {
		const all = new Set<Cancelable>();
		registered = {work: all, abort: () => all.forEach(each => each.cancel())};
		workBySignal.set(signal, registered);
	}
	const {work, abort} = registered;
	if (work.size === 0) {
		signal.addEventListener('abort', abort);
	}
	work.add(cancelable);
	return () => {
		work.delete(cancelable);
		if (work.size === 0) {
			signal.removeEventListener('abort', abort);
		}
	};
}
