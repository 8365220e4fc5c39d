import {type NodeGCPerformanceDetail, type PerformanceEntry, PerformanceObserver, constants, monitorEventLoopDelay} from 'node:perf_hooks';
import {setImmediate as nextTurn} from 'node:timers/promises';
import {threadCpu} from './thread-cpu.ts';

/** How long turns of the event loop took, in milliseconds of its thread's own CPU time, without what was measured as the
benchmark's own. */
export interface TurnReport {
	readonly turns: number;
	/** How many took longer than 5 ms. */
	readonly stalls: number;
	readonly turnMs: Spread;
	/** The same less what the collector of garbage took. */
	readonly withoutCollectorMs: Spread;
	readonly collectorMs: Readonly<Record<string, Spread>>;
	/** How late timers were: other processes on the cores count. */
	readonly timerDelayMs: Spread;
	readonly longest: readonly {readonly ms: number; readonly collectorMs: number; readonly during: readonly string[]}[];
}

export interface Spread {
	readonly p50: number;
	readonly p99: number;
	readonly p999: number;
	readonly most: number;
}

const {NODE_PERFORMANCE_GC_MINOR, NODE_PERFORMANCE_GC_MAJOR, NODE_PERFORMANCE_GC_INCREMENTAL} = constants;
const KINDS = new Map([
	[NODE_PERFORMANCE_GC_MINOR, 'young'],
	[NODE_PERFORMANCE_GC_MAJOR, 'whole'],
	[NODE_PERFORMANCE_GC_INCREMENTAL, 'step'],
]);

/** Turns at least this long are kept one by one. */
const LONG_MS = 1;

type Collection = PerformanceEntry & {readonly detail: NodeGCPerformanceDetail};

/** Measures every turn of the event loop until it is stopped. */
export class TurnWatch {
	readonly #cpu = threadCpu();
	readonly #delay = monitorEventLoopDelay({resolution: 1});
	readonly #collections: {readonly start: number; readonly ms: number; readonly kind: string}[] = [];
	readonly #observer = new PerformanceObserver(list => {
		for (const {startTime, duration, detail} of list.getEntries() as Collection[]) {
			const {kind} = detail;
			this.#collections.push({start: startTime, ms: duration, kind: KINDS.get(kind) ?? String(kind)});
		}
	});
	/** Turns shorter than `LONG_MS`, by their microseconds: a list of millions would take tens of milliseconds whenever it grows. */
	readonly #short = new Uint32Array(LONG_MS * 1000);
	readonly #long: {readonly start: number; readonly end: number; readonly ms: number; readonly during: string[]}[] = [];
	#during: string[] = [];
	#own = 0;
	#running = false;
	#done: Promise<void> = Promise.resolve();

	/** Starts measuring. */
	start(): void {
		this.#running = true;
		this.#observer.observe({entryTypes: ['gc']});
		this.#delay.enable();
		this.#done = this.#watch();
	}

	/** Runs work of the benchmark itself, which does not count. */
	own<T>(work: () => T): T {
		const start = this.#cpu();
		try {
			return work();
		} finally {
			this.#own += this.#cpu() - start;
		}
	}

	/** Names the present work, for reports of long turns. */
	note(what: string): void {
		this.#during.push(what);
	}

	async stop(): Promise<TurnReport> {
		this.#running = false;
		await this.#done;
		this.#delay.disable();
		// The last garbage collection is reported in a later turn.
		await nextTurn();
		this.#observer.disconnect();
		const collected = (start: number, end: number): number =>
			this.#collections.reduce((sum, each) => (each.start >= start && each.start < end ? sum + each.ms : sum), 0);
		const long = this.#long.map(turn => ({...turn, collectorMs: Math.min(turn.ms, collected(turn.start, turn.end))}));
		return {
			turns: this.#short.reduce((sum, count) => sum + count, long.length),
			turnMs: this.#spread(long.map(({ms}) => ms)),
			stalls: long.filter(({ms}) => ms > 5).length,
			withoutCollectorMs: this.#spread(long.map(({ms, collectorMs}) => ms - collectorMs)),
			collectorMs: Object.fromEntries(
				[...new Set(this.#collections.map(({kind}) => kind))].map(kind => [
					kind,
					spread(this.#collections.filter(each => each.kind === kind).map(({ms}) => ms)),
				]),
			),
			timerDelayMs: {
				p50: this.#delay.percentile(50) / 1e6 - 1,
				p99: this.#delay.percentile(99) / 1e6 - 1,
				p999: this.#delay.percentile(99.9) / 1e6 - 1,
				most: this.#delay.max / 1e6 - 1,
			},
			longest: long
				.sort((a, b) => b.ms - a.ms)
				.slice(0, 12)
				.map(({ms, collectorMs, during}) => ({ms, collectorMs, during: [...new Set(during)].slice(0, 8)})),
		};
	}

	/** A percentile over short and long turns; a long turn may be short without garbage collection. */
	#spread(long: readonly number[]): Spread {
		const counts = Uint32Array.from(this.#short);
		for (const ms of long.filter(ms => ms < LONG_MS)) {
			counts[Math.max(0, Math.floor(ms * 1000))]!++;
		}
		const longest = Float64Array.from(long.filter(ms => ms >= LONG_MS)).sort();
		const short = counts.reduce((sum, count) => sum + count, 0);
		const at = (share: number): number => {
			let left = Math.floor((short + longest.length) * share);
			if (left >= short) {
				return longest[Math.min(longest.length - 1, left - short)] ?? 0;
			}
			const bucket = counts.findIndex(count => (left -= count) < 0);
			return (bucket + 0.5) / 1000;
		};
		return {p50: at(0.5), p99: at(0.99), p999: at(0.999), most: longest.at(-1) ?? at(1 - 1e-9)};
	}

	async #watch(): Promise<void> {
		let [last, start] = [this.#cpu(), performance.now()];
		while (this.#running) {
			await nextTurn();
			const [now, end] = [this.#cpu(), performance.now()];
			const ms = Math.max(0, now - last - this.#own);
			if (ms >= LONG_MS) {
				this.#long.push({start, end, ms, during: this.#during});
			} else {
				this.#short[Math.floor(ms * 1000)]!++;
			}
			[this.#during, this.#own] = [[], 0];
			// Work done here does not count.
			[last, start] = [this.#cpu(), performance.now()];
		}
	}
}

export function spread(values: readonly number[]): Spread {
	const sorted = Float64Array.from(values).sort();
	const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
	return {p50: at(0.5), p99: at(0.99), p999: at(0.999), most: sorted.at(-1) ?? 0};
}
