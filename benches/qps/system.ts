// One system under test: a folder with two programs, `setup` and `start`, the latter a server of one JSON reply a line
// for one JSON request a line (README.md has the verbs).
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

/** Runs the setup program of a system's folder; what went wrong, if anything did. */
export function setUp(folder: string): string | undefined {
	const {status, error} = spawnSync(join(folder, 'setup'), {stdio: 'inherit'});
	return status === 0 ? undefined : `setup failed: ${error?.message ?? `exit ${status}`}`;
}

const pins = !spawnSync('taskset', ['--version']).error;

/** The cores that systems are pinned to, as `taskset` takes them: the last so many. None where it is not there. */
export function coresOf(threads: number): string | undefined {
	const last = availableParallelism() - 1;
	return pins ? (threads === 1 ? `${last}` : `${last - threads + 1}-${last}`) : undefined;
}

/** Of a definition: `all` is a thread for each core. Fails where there are fewer cores. */
export function threadsOf({threads = 1}: {readonly threads?: number | 'all'}): number {
	const cores = availableParallelism();
	const count = threads === 'all' ? cores : threads;
	if (!(Number.isInteger(count) && count >= 1 && count <= cores)) {
		throw new Error(`threads: expected all, or 1 to ${cores}, which are the cores here, got ${count}`);
	}
	return count;
}

/** What a system can do on several threads: build an index, answer queries asked one by one, answer them in one call. */
export type Way = 'build' | 'query' | 'batch';

export interface Description {
	readonly version: string;
	/** None for a system that has one thread. */
	readonly threads?: readonly Way[];
	/** Whether vectors can be searched among some rows only. */
	readonly filters?: boolean;
}

/** What a shell exits with where what it is to start is not there. */
const NOT_FOUND = 127;

/** How long none may work before one is asked, and how often that is tried. */
const IDLE_MS = 40;
let mostWaits = 100;

/** Those that run: one that is asked has the cores for itself. */
const running = new Set<System>();

/**
Waits until no system works any more: compilers, collectors and threads that spin go on when an answer is there, on the core
of the next to be asked. Four seconds at most, and half as long each time that it was in vain: some never rest.
*/
async function settled(): Promise<void> {
	const spent = (): number => [...running].reduce((sum, system) => sum + system.cpuTicks(), 0);
	for (let waits = 0, before = spent(); waits < mostWaits; waits++) {
		await sleep(IDLE_MS);
		const now = spent();
		if (now === before) {
			return;
		}
		before = now;
	}
	mostWaits = Math.ceil(mostWaits / 2);
}

/** A running system. */
export class System {
	readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
	readonly #replies: Interface;
	readonly #exited: Promise<string>;
	readonly #looking = setInterval(() => this.#look(), 1000).unref();
	#peaks: {readonly anonBytes?: number; readonly fileBytes?: number} = {};
	#lastWords = '';

	/** Starts the program of a system's folder, on as many cores as it may have threads; on all where it is not `pinned`. */
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
			this.#lastWords = `${this.#lastWords}${text}`.slice(-2000);
			process.stderr.write(`${text}`.replaceAll(/^(?!progress: ).*\n?/gmu, ''));
		});
		// A write to a process that is gone; the exit says why.
		this.#child.stdin.on('error', () => undefined);
		this.#exited = new Promise(resolve => {
			this.#child.on('error', error => resolve(error.message));
			this.#child.on('close', (code, signal) => {
				const reason = this.#lastWords
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

	/** The system's version; fails where it is not set up. */
	async version(): Promise<string> {
		return (await this.describe()).version;
	}

	async describe(): Promise<Description> {
		return this.ask({verb: 'describe'});
	}

	/** The most memory that the process has had; unknown where the system does not tell. */
	peakBytes(): number | undefined {
		return this.#memory('VmHWM');
	}

	/** The most that was its own, and the most that was mapped from files, as looked at every second. */
	peakParts(): {readonly anonBytes?: number; readonly fileBytes?: number} {
		this.#look();
		return this.#peaks;
	}

	/** Processor time that it has spent, in ticks of a hundredth of a second; 0 where the system does not tell. */
	cpuTicks(): number {
		try {
			const [, fields] = /^.*\) (.*)$/su.exec(readFileSync(`/proc/${this.#child.pid}/stat`, 'utf8'))!;
			const [user, kernel] = fields!.split(' ').slice(11, 13);
			return Number(user) + Number(kernel);
		} catch {
			// It is gone.
			return 0;
		}
	}

	async close(): Promise<void> {
		running.delete(this);
		clearInterval(this.#looking);
		this.#child.stdin.end();
		await this.#exited;
	}

	#look(): void {
		const [anonBytes, fileBytes] = [this.#memory('RssAnon'), this.#memory('RssFile')];
		if (anonBytes !== undefined && fileBytes !== undefined) {
			const before = this.#peaks;
			this.#peaks = {
				anonBytes: Math.max(before.anonBytes ?? 0, anonBytes),
				fileBytes: Math.max(before.fileBytes ?? 0, fileBytes),
			};
		}
	}

	/** A number of bytes that the system tells of the process. */
	#memory(name: 'VmHWM' | 'RssAnon' | 'RssFile'): number | undefined {
		const status = `/proc/${this.#child.pid}/status`;
		const kibibytes = existsSync(status) && new RegExp(`^${name}:\\s+(\\d+)`, 'mu').exec(readFileSync(status, 'utf8'))?.[1];
		return kibibytes ? Number(kibibytes) * 1024 : undefined;
	}

	/** The reply to a request, made when no system works; fails where it is an error, or the process ends. */
	async ask<T>(request: Readonly<Record<string, unknown>>): Promise<T> {
		await settled();
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

/** Bytes of the files in a folder. */
export function bytesOf(folder: string): number {
	return readdirSync(folder, {recursive: true, withFileTypes: true})
		.filter(entry => entry.isFile())
		.reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}
