/** How a command reacts to the signals SIGINT, SIGTERM and SIGHUP. */
import {removeUnfinishedFiles} from '../core/files/unfinished-files.ts';

/** Exit status after each signal: 128 plus its number, as shells report it. */
const statuses = {SIGHUP: 129, SIGINT: 130, SIGTERM: 143} as const;

/**
How long the work may take to stop, in milliseconds. A single run of a model, or a merge of index segments, cannot be
interrupted; if it takes longer, the process exits without waiting for it.
*/
const GRACE_MS = 400;

/** How long work that was allowed time to save may take to do so, in milliseconds. */
const SAVING_MS = 120_000;

let graceMs = GRACE_MS;

/** Lets the work of this process save what it has done when a signal arrives. A second signal still ends the process at once. */
export function allowTimeToSave(): void {
	graceMs = SAVING_MS;
}

/**
Handles signals while a command runs. The first signal aborts the work, which then removes its unfinished files. If the
work has not stopped after a grace period, or if a second signal arrives, the handler removes these files itself and exits,
which ends all threads.
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

	/** Aborted by the first signal. */
	get signal(): AbortSignal {
		return this.#controller.signal;
	}

	/** The exit status if a signal has arrived, else undefined. */
	get status(): number | undefined {
		return this.#status;
	}

	/** Prints once that the work was interrupted; further calls print nothing. */
	report(): void {
		if (!this.#reported) {
			this.#reported = true;
			process.stderr.write('passagekit: interrupted\n');
		}
	}

	/**
	Removes the signal handlers after the command has ended. After an interruption, the process still exits when the
	grace period ends, if anything has kept it running until then.
	*/
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
		if (graceMs > GRACE_MS) {
			const message = 'passagekit: saving; another signal, such as Ctrl+C, ends the command at once\n';
			setTimeout(() => process.stderr.write(message), GRACE_MS).unref();
		}
		setTimeout(() => this.#exit(), graceMs).unref();
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
