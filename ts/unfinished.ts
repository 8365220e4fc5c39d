/**
What unfinished work has on the disk, for a program that must end before the work has stopped. The library installs no
signal handlers of its own; the command line calls `removeUnfinished` in its handlers.
*/
import {isLoaded, native} from './native.ts';

const removals = new Set<() => void>();

/** Has `remove` called if the process ends before what this returns is called. */
export function whenLeft(remove: () => void): () => void {
	removals.add(remove);
	return () => {
		removals.delete(remove);
	};
}

/** Removes synchronously what unfinished work has on the disk. The work will fail; only ending the process may follow. */
export function removeUnfinished(): void {
	for (const remove of removals) {
		try {
			remove();
		} catch {
			// The next work on the same target removes what cannot be removed now.
		}
	}
	// What never used the addon has no files of it, and may have none to load.
	if (isLoaded) {
		native.removeUnfinishedFiles();
	}
}
