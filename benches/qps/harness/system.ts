// A system under test is a folder with two programs: `setup` installs the system, and `start` runs it as a server that
// reads one JSON request per line from stdin and writes one JSON reply per line to stdout. The README of each suite
// lists its requests. The class `System` starts such a server, sends requests, and measures memory and CPU time of its
// process. Only one system works at a time.
import {type ChildProcessByStdio, spawn, spawnSync} from 'node:child_process';
import {existsSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {type Interface, createInterface} from 'node:readline';
import type {Readable, Writable} from 'node:stream';
import {setTimeout as sleep} from 'node:timers/promises';
import {packageRoot} from '../../../ts/core/native/addon.ts';
import {coresOf} from './cores.ts';

/** Runs a system's setup program. Returns an error message if it fails, and undefined otherwise. */
export function setUp(folder: string): string | undefined {
	const {status, error} = spawnSync(join(folder, 'setup'), {stdio: 'inherit'});
	return status === 0 ? undefined : `setup failed: ${error?.message ?? `exit ${status}`}`;
}

/**
A task that a system can run on several threads: build an index, answer single queries, or answer a batch of queries in
one call.
*/
export type ThreadedTask = 'build' | 'query' | 'batch';

/** The reply to a `describe` request. */
export interface Description {
	readonly version: string;
	/** The tasks that the system can run on several threads. */
	readonly threads?: readonly ThreadedTask[];
	/** Whether vector search can be restricted to a subset of the rows. */
	readonly filters?: boolean;
}

/** The exit code with which a shell reports that it did not find the program to start. */
const NOT_FOUND = 127;

/** All systems must be idle for this long before a request is sent. */
const IDLE_MS = 40;
/** The number of times to check whether all systems are idle, before the request is sent even if they are not. */
let maxIdleChecks = 100;

/** All running systems. Only one of them works at a time, so that it has the cores to itself. */
const running = new Set<System>();

/**
Waits until no system uses CPU time. JIT compilers, garbage collectors and spinning threads may still run after a reply,
on the same core as the next system. The wait lasts at most four seconds (100 checks of 40 ms). Some systems are never
idle, so the limit is halved whenever it is reached.
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

/** A system under test that runs in a process of its own. */
export class System {
	readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
	readonly #replies: Interface;
	readonly #exited: Promise<string>;
	readonly #samplingTimer = setInterval(() => this.#sampleMemory(), 1000).unref();
	#peaks: {readonly anonBytes?: number; readonly fileBytes?: number} = {};
	#stderrTail = '';

	/** Starts a system. It is pinned to one core per thread, or may use all cores if `pinned` is false. */
	constructor(
		folder: string,
		{args = [], threads = 1, pinned = true}: {readonly args?: readonly string[]; readonly threads?: number; readonly pinned?: boolean} = {},
	) {
		const command = [join(folder, 'start'), ...args];
		const cores = pinned ? coresOf(threads) : undefined;
		const [file, ...rest] = cores === undefined ? command : ['taskset', '-c', cores, ...command];
		this.#child = spawn(file!, rest, {stdio: ['pipe', 'pipe', 'pipe'], env: {...process.env, QPS_THREADS: `${threads}`}});
		this.#child.stderr.on('data', (text: Buffer) => {
			this.#stderrTail = `${this.#stderrTail}${text}`.slice(-2000);
			// Shows lines that start with `progress: ` and drops all others.
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

	/** Returns the system's version and abilities. Fails if the system is not set up. */
	async describe(): Promise<Description> {
		return this.ask({verb: 'describe'});
	}

	/** Returns the process's peak resident memory in bytes, or undefined if the operating system does not report it. */
	peakBytes(): number | undefined {
		return this.#memory('VmHWM');
	}

	/**
	Returns the peaks of anonymous and of file-backed resident memory, in bytes. Memory is sampled every second; each peak is the
	largest sample.
	*/
	peakParts(): {readonly anonBytes?: number; readonly fileBytes?: number} {
		this.#sampleMemory();
		return this.#peaks;
	}

	/** Returns the process's CPU time in ticks (usually 10 ms), or 0 if the operating system does not report it. */
	cpuTicks(): number {
		try {
			const [, fields] = /^.*\) (.*)$/su.exec(readFileSync(`/proc/${this.#child.pid}/stat`, 'utf8'))!;
			// `utime` and `stime`, fields 14 and 15 of the whole line.
			const [user, kernel] = fields!.split(' ').slice(11, 13);
			return Number(user) + Number(kernel);
		} catch {
			// The process has ended, or there is no /proc.
			return 0;
		}
	}

	/** Closes the server's input and waits until the process has ended. */
	async close(): Promise<void> {
		running.delete(this);
		clearInterval(this.#samplingTimer);
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

	/**
	Sends a request once all systems are idle, and returns the reply. Fails if the reply is an error or the process ends. With a time limit,
	the process is killed if it has not replied by then.
	*/
	async ask<T>(request: Readonly<Record<string, unknown>>, limitMs?: number): Promise<T> {
		await untilAllIdle();
		const limit = limitMs === undefined ? undefined : setTimeout(() => this.#child.kill('SIGKILL'), limitMs);
		const line = new Promise<string>(resolve => {
			this.#replies.once('line', resolve);
		});
		this.#child.stdin.write(`${JSON.stringify(request)}\n`);
		const answered = await Promise.race([line.then(text => ({text})), this.#exited.then(reason => ({reason}))]);
		clearTimeout(limit);
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
