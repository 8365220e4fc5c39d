/** Looks for commits of other processes, for the option `refreshMs` of `Collection.open`. */
import {stat} from 'node:fs/promises';
import {join} from 'node:path';
import {onPath} from '../../core/file-system.ts';

/** Looks for commits to one collection, at most once per interval. */
export class CommitWatch {
	readonly #file: string;
	readonly #intervalMs: number | undefined;
	#checkedAt = Number.NEGATIVE_INFINITY;
	/** Identifies the commit that the last successful `refresh` made visible. */
	#seen = '';

	/** Watches the collection in the folder `path`. Without an interval, `isDue` always returns false. */
	constructor(path: string, intervalMs: number | undefined) {
		// A commit replaces this file.
		this.#file = join(path, 'bm25', 'meta.json');
		this.#intervalMs = intervalMs;
	}

	/** Whether the interval since the last look has passed. */
	isDue(): boolean {
		return this.#intervalMs !== undefined && performance.now() - this.#checkedAt >= this.#intervalMs;
	}

	/** Calls `refresh` if there has been a commit since the last call that succeeded, or if this is the first call. */
	async refreshIfChanged(refresh: () => Promise<unknown>): Promise<void> {
		this.#checkedAt = performance.now();
		const {ino, mtimeMs, size} = await onPath('open', this.#file, async () => stat(this.#file));
		const commit = `${ino} ${mtimeMs} ${size}`;
		if (commit !== this.#seen) {
			await refresh();
			this.#seen = commit;
		}
	}
}
