/** Cancels work when an `AbortSignal` aborts. */

/** Work that can be canceled. */
interface Cancelable {
	cancel(): void;
}

/** The work that each signal cancels. All calls with a signal share one listener, because Node warns of a leak at more than ten. */
const canceledWork = new WeakMap<AbortSignal, {readonly work: Set<Cancelable>; readonly abort: () => void}>();

/** Cancels the work when the signal aborts. The returned function undoes this. */
export function cancelOnAbort(signal: AbortSignal, cancelable: Cancelable): () => void {
	let canceled = canceledWork.get(signal);
	if (canceled === undefined) {
		const all = new Set<Cancelable>();
		canceled = {work: all, abort: () => all.forEach(each => each.cancel())};
		canceledWork.set(signal, canceled);
	}
	const {work, abort} = canceled;
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
