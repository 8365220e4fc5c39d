/** What signals do to a command. */
import {removeUnfinished} from '../unfinished.ts';

/** Exit statuses, as shells report the signals themselves. */
const statuses = {SIGHUP: 129, SIGINT: 130, SIGTERM: 143} as const;

/** How long work may take to stop. One run of a model or one merge of segments cannot be interrupted. */
const GRACE_MS = 400;

/**
The first SIGINT, SIGTERM or SIGHUP aborts the work, which removes what it has on the disk. If it has not stopped after
`GRACE_MS`, or at another signal, the process removes that itself and exits: its threads end with it.
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

	/** The exit status once a signal came. */
	get status(): number | undefined {
		return this.#status;
	}

	/** Says once that the work was interrupted. */
	report(): void {
		if (!this.#reported) {
			this.#reported = true;
			process.stderr.write('passagekit: interrupted\n');
		}
	}

	/** The command has ended: signals have their usual effect again. What keeps an interrupted process alive has its time yet. */
	settle(): void {
		for (const [name, handler] of this.#handlers) {
			process.off(name, handler);
		}
	}

	#interrupt(status: number): void {
		if (this.#status !== undefined) {
			this.#leave();
		}
		this.#status = status;
		setTimeout(() => this.#leave(), GRACE_MS).unref();
		this.#controller.abort();
	}

	#leave(): never {
		try {
			removeUnfinished();
			this.report();
		} finally {
			process.exit(this.#status);
		}
	}
}
