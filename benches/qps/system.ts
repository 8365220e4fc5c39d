// A system under test is a folder with two programs: `setup` installs it, and `start` runs it as a server that reads one JSON
// request per line from stdin and writes one JSON reply per line to stdout. README.md lists the requests.
import {type ChildProcessByStdio, spawn, spawnSync} from 'node:child_process';
import {existsSync, readFileSync, readdirSync, statSync} from 'node:fs';
import {availableParallelism} from 'node:os';
import {join} from 'node:path';
import {type Interface, createInterface} from 'node:readline';
import type {Readable, Writable} from 'node:stream';
import {setTimeout as sleep} from 'node:timers/promises';
import {packageRoot} from '../../ts/core/native/addon.ts';

export const here = join(packageRoot, 'benches', 'qps');
export const cache = join(here, '.cache');

/** Runs a system's setup program. Returns the error message if it fails. */
export function setUp(folder: string): string | undefined {
	const {status, error} = spawnSync(join(folder, 'setup'), {stdio: 'inherit'});
	return status === 0 ? undefined : `setup failed: ${error?.message ?? `exit ${status}`}`;
}

const hasTaskset = !spawnSync('taskset', ['--version']).error;

/**
Returns the cores that systems are pinned to, in the format of `taskset`: one core per thread, counted from the last. Returns
undefined if `taskset` is not installed.
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

/** What a system can do with several threads: build an index, answer single queries, or answer a batch of queries in one call. */
export type Way = 'build' | 'query' | 'batch';

export interface Description {
	readonly version: string;
	/** Missing for a single-threaded system. */
	readonly threads?: readonly Way[];
	/** Whether vector search can be restricted to a subset of the rows. */
	readonly filters?: boolean;
}

/** The exit code of a shell that does not find the program to start. */
const NOT_FOUND = 127;

/** All systems must be idle for this long before a request is sent. */
const IDLE_MS = 40;
/** How often to check whether all systems are idle; halved after each wait in vain. */
let maxIdleChecks = 100;

/** All running systems. Only one of them works at a time, so that it has the cores to itself. */
const running = new Set<System>();

/**
Waits until all systems are idle. JIT compilers, garbage collectors and spinning threads may continue after a reply, on the core of
the system that is asked next. The wait lasts at most four seconds. Some systems are never idle, so each wait in vain halves that limit.
*/
async function untilAllIdle(): Promise<void> {
	const totalTicks = (): number => [...running].reduce((sum, system) => sum + system.cpuTicks(), 0);
	for (let checks = 0, before = totalTicks(); checks < maxIdleChecks; checks++) {
		await sleep(IDLE_MS);
		const now = totalTicks();
		if (now === before) {
			return;
		}
		before = now;
	}
	maxIdleChecks = Math.ceil(maxIdleChecks / 2);
}

/** A running system. */
export class System {
	readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
	readonly #replies: Interface;
	readonly #exited: Promise<string>;
	readonly #sampling = setInterval(() => this.#sampleMemory(), 1000).unref();
	#peaks: {readonly anonBytes?: number; readonly fileBytes?: number} = {};
	#stderrTail = '';

	/** Starts a system. It is pinned to one core per thread, or may use all cores if `pinned` is false. */
	constructor(
		folder: string,
		{
			words = [],
			threads = 1,
			pinned = true,
		}: {readonly words?: readonly string[]; readonly threads?: number; readonly pinned?: boolean} = {},
	) {
		const command = [join(folder, 'start'), ...words];
		const cores = pinned ? coresOf(threads) : undefined;
		const [file, ...rest] = cores === undefined ? command : ['taskset', '-c', cores, ...command];
		this.#child = spawn(file!, rest, {stdio: ['pipe', 'pipe', 'pipe'], env: {...process.env, QPS_THREADS: `${threads}`}});
		this.#child.stderr.on('data', (text: Buffer) => {
			this.#stderrTail = `${this.#stderrTail}${text}`.slice(-2000);
			process.stderr.write(`${text}`.replaceAll(/^(?!progress: ).*\n?/gmu, ''));
		});
		// Writing to a process that has ended fails; `#exited` has the reason.
		this.#child.stdin.on('error', () => undefined);
		this.#exited = new Promise(resolve => {
			this.#child.on('error', error => resolve(error.message));
			this.#child.on('close', (code, signal) => {
				const reason = this.#stderrTail
					.trim()
					.split(/[\r\n]/u)
					.at(-1)!
					.replaceAll(`${packageRoot}/`, '');
				resolve(code === NOT_FOUND ? 'not set up' : `exit ${code ?? signal}: ${reason}`);
			});
		});
		this.#replies = createInterface({input: this.#child.stdout});
		running.add(this);
	}

	/** Returns the system's version. Fails if the system is not set up. */
	async version(): Promise<string> {
		return (await this.describe()).version;
	}

	async describe(): Promise<Description> {
		return this.ask({verb: 'describe'});
	}

	/** The process's peak resident memory, or undefined if the operating system does not report it. */
	peakBytes(): number | undefined {
		return this.#memory('VmHWM');
	}

	/** The peaks of anonymous and of file-backed resident memory, sampled every second. */
	peakParts(): {readonly anonBytes?: number; readonly fileBytes?: number} {
		this.#sampleMemory();
		return this.#peaks;
	}

	/** The process's CPU time in ticks of 10 ms, or 0 if the operating system does not report it. */
	cpuTicks(): number {
		try {
			const [, fields] = /^.*\) (.*)$/su.exec(readFileSync(`/proc/${this.#child.pid}/stat`, 'utf8'))!;
			const [user, kernel] = fields!.split(' ').slice(11, 13);
			return Number(user) + Number(kernel);
		} catch {
			// The process has ended, or there is no /proc.
			return 0;
		}
	}

	async close(): Promise<void> {
		running.delete(this);
		clearInterval(this.#sampling);
		this.#child.stdin.end();
		await this.#exited;
	}

	#sampleMemory(): void {
		const [anonBytes, fileBytes] = [this.#memory('RssAnon'), this.#memory('RssFile')];
		if (anonBytes !== undefined && fileBytes !== undefined) {
			const before = this.#peaks;
			this.#peaks = {
				anonBytes: Math.max(before.anonBytes ?? 0, anonBytes),
				fileBytes: Math.max(before.fileBytes ?? 0, fileBytes),
			};
		}
	}

	/** Reads one memory counter of the process, in bytes. */
	#memory(name: 'VmHWM' | 'RssAnon' | 'RssFile'): number | undefined {
		const status = `/proc/${this.#child.pid}/status`;
		const kibibytes = existsSync(status) && new RegExp(`^${name}:\\s+(\\d+)`, 'mu').exec(readFileSync(status, 'utf8'))?.[1];
		return kibibytes ? Number(kibibytes) * 1024 : undefined;
	}

	/** Sends a request once all systems are idle, and returns the reply. Fails if the reply is an error or the process ends. */
	async ask<T>(request: Readonly<Record<string, unknown>>): Promise<T> {
		await untilAllIdle();
		const line = new Promise<string>(resolve => {
			this.#replies.once('line', resolve);
		});
		this.#child.stdin.write(`${JSON.stringify(request)}\n`);
		const answered = await Promise.race([line.then(text => ({text})), this.#exited.then(reason => ({reason}))]);
		if ('reason' in answered) {
			throw new Error(answered.reason);
		}
		const reply: T & {error?: string} = JSON.parse(answered.text);
		if (reply.error !== undefined) {
			throw new Error(reply.error);
		}
		return reply;
	}
}

/** The total size of a folder's files, in bytes. */
export function bytesOf(folder: string): number {
	return readdirSync(folder, {recursive: true, withFileTypes: true})
		.filter(entry => entry.isFile())
		.reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}
