/**
Removes the files of unfinished work, for a program that must exit before the work has stopped. The library installs no signal
handlers of its own; the command line calls `removeUnfinishedFiles` in its handlers.
*/
import {isLoaded, native} from '../native/native.ts';

const removals = new Set<() => void>();

/** Registers `remove` to be called by `removeUnfinishedFiles`. The returned function unregisters it. */
export function onForcedExit(remove: () => void): () => void {
	removals.add(remove);
	return () => {
		removals.delete(remove);
	};
}

/** Synchronously removes the files of unfinished work. That work will fail, so the process must exit right after this call. */
export function removeUnfinishedFiles(): void {
	for (const remove of removals) {
		try {
			remove();
		} catch {
			// The next call that writes the same target removes the files that could not be removed now.
		}
	}
	// If the addon was not loaded, it has written no files, and it may not even be installed.
	if (isLoaded) {
		native.removeUnfinishedFiles();
	}
}
