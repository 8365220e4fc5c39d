// The CPU cores that systems under test are pinned to, and the number of threads that they may use.
import {spawnSync} from 'node:child_process';
import {availableParallelism} from 'node:os';

const hasTaskset = !spawnSync('taskset', ['--version']).error;

/**
Returns the cores that systems are pinned to, in the format of `taskset`: the last `threads` cores of the machine, such
as `2-3`. Returns undefined if `taskset` is not installed.
*/
export function coresOf(threads: number): string | undefined {
	const last = availableParallelism() - 1;
	return hasTaskset ? (threads === 1 ? `${last}` : `${last - threads + 1}-${last}`) : undefined;
}

/** Returns the number of threads of a definition; `all` means one per core. Fails if there are fewer cores than threads. */
export function threadsOf({threads = 1}: {readonly threads?: number | 'all'}): number {
	const cores = availableParallelism();
	const count = threads === 'all' ? cores : threads;
	if (!(Number.isInteger(count) && count >= 1 && count <= cores)) {
		throw new Error(`threads: expected 'all' or 1 to ${cores} (the number of cores), got ${count}`);
	}
	return count;
}
