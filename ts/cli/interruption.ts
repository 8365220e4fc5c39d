/** How a command handles process signals. */
import {removeUnfinishedFiles} from '../core/files/unfinished-files.ts';

/** Exit statuses: those that shells report for a process ended by the signal. */
const statuses = {SIGHUP: 129, SIGINT: 130, SIGTERM: 143} as const;

/** How long the work may take to stop. A single model run or segment merge cannot be interrupted. */
const GRACE_MS = 400;

/**
The first SIGINT, SIGTERM or SIGHUP aborts the work, which then removes its unfinished files. If it has not stopped after
`GRACE_MS`, or if another signal arrives, the handler removes these files itself and exits, which ends all threads.
*/
export class Interruption {
	readonly #controller = new AbortController();
	readonly #handlers = Object.entries(statuses).map(([name, status]) => [name, () => this.#interrupt(status)] as const);
	#status: number | undefined;
	#reported = false;

	constructor() {
		for (const [name, handler] of this.#handlers) {
			process.on(name, handler);
		}
	}

	get signal(): AbortSignal {
		return this.#controller.signal;
	}

	/** The exit status, once a signal has arrived. */
	get status(): number | undefined {
		return this.#status;
	}

	/** Prints that the work was interrupted, at most once. */
	report(): void {
		if (!this.#reported) {
			this.#reported = true;
			process.stderr.write('passagekit: interrupted\n');
		}
	}

	/** Restores default signal handling after the command ended. An interrupted process that is still busy keeps its grace period. */
	settle(): void {
		for (const [name, handler] of this.#handlers) {
			process.off(name, handler);
		}
	}

	#interrupt(status: number): void {
		if (this.#status !== undefined) {
			this.#exit();
		}
		this.#status = status;
		setTimeout(() => this.#exit(), GRACE_MS).unref();
		this.#controller.abort();
	}

	#exit(): never {
		try {
			removeUnfinishedFiles();
			this.report();
		} finally {
			process.exit(this.#status);
		}
	}
}
