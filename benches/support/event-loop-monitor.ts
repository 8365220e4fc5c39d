/**
Measures how long the iterations of Node's event loop take. A long iteration blocks every timer and callback of the process, so the
benchmarks of concurrent work report it. An iteration is measured by the CPU time of the event loop's thread, so that other processes
do not count. The report also has the delay of timers, in wall-clock time. In field names of the report, a "turn" is one iteration.
*/
import {type NodeGCPerformanceDetail, type PerformanceEntry, PerformanceObserver, constants, monitorEventLoopDelay} from 'node:perf_hooks';
import {setImmediate as nextIteration} from 'node:timers/promises';
import {threadCpuClock} from './thread-cpu-time.ts';

/** Statistics of all iterations. The time that the benchmark itself needed (`EventLoopMonitor.exclude`) is not included. */
export interface EventLoopReport {
	/** Number of iterations. */
	readonly turns: number;
	/** Number of iterations that took longer than 5 ms. */
	readonly stalls: number;
	/** CPU time per iteration. */
	readonly turnMs: Distribution;
	/** CPU time per iteration without garbage collection. */
	readonly withoutCollectorMs: Distribution;
	/** Duration of garbage collections, by their kind: `young` generation, `whole` heap, or incremental `step`. */
	readonly collectorMs: Readonly<Record<string, Distribution>>;
	/** How late timers fired, in wall-clock time. Other processes on the same cores increase it. */
	readonly timerDelayMs: Distribution;
	/** The twelve longest iterations of at least 1 ms, each with up to 8 different notes that were added during the iteration. */
	readonly longest: readonly {readonly ms: number; readonly collectorMs: number; readonly during: readonly string[]}[];
}

/** Percentiles of a duration in milliseconds, and its maximum (`most`). */
export interface Distribution {
	readonly p50: number;
	readonly p99: number;
	readonly p999: number;
	readonly most: number;
}

const {NODE_PERFORMANCE_GC_MINOR, NODE_PERFORMANCE_GC_MAJOR, NODE_PERFORMANCE_GC_INCREMENTAL} = constants;
const COLLECTION_KINDS = new Map([
	[NODE_PERFORMANCE_GC_MINOR, 'young'],
	[NODE_PERFORMANCE_GC_MAJOR, 'whole'],
	[NODE_PERFORMANCE_GC_INCREMENTAL, 'step'],
]);

/** Iterations that take at least this long are stored one by one. */
const LONG_MS = 1;

type CollectionEntry = PerformanceEntry & {readonly detail: NodeGCPerformanceDetail};

/** Measures every iteration of the event loop between `start` and `stop`. */
export class EventLoopMonitor {
	readonly #cpuMs = threadCpuClock();
	readonly #timerDelay = monitorEventLoopDelay({resolution: 1});
	readonly #collections: {readonly start: number; readonly ms: number; readonly kind: string}[] = [];
	readonly #observer = new PerformanceObserver(list => {
		for (const {startTime, duration, detail} of list.getEntries() as CollectionEntry[]) {
			const {kind} = detail;
			this.#collections.push({start: startTime, ms: duration, kind: COLLECTION_KINDS.get(kind) ?? String(kind)});
		}
	});
	/**
	A histogram of the iterations shorter than `LONG_MS`: their number for each microsecond. An array of millions of durations would block
	the event loop for tens of milliseconds whenever it grows.
	*/
	readonly #short = new Uint32Array(LONG_MS * 1000);
	readonly #long: {readonly start: number; readonly end: number; readonly ms: number; readonly during: string[]}[] = [];
	#notes: string[] = [];
	#excludedMs = 0;
	#running = false;
	#done: Promise<void> = Promise.resolve();

	/** Starts measuring. */
	start(): void {
		this.#running = true;
		this.#observer.observe({entryTypes: ['gc']});
		this.#timerDelay.enable();
		this.#done = this.#measure();
	}

	/** Runs synchronous work of the benchmark itself, and excludes its time from the iteration. */
	exclude<T>(work: () => T): T {
		const start = this.#cpuMs();
		try {
			return work();
		} finally {
			this.#excludedMs += this.#cpuMs() - start;
		}
	}

	/** Adds a note to the current iteration. If it is one of the longest, the report lists its notes. */
	note(what: string): void {
		this.#notes.push(what);
	}

	/** Stops measuring, and resolves to the statistics. */
	async stop(): Promise<EventLoopReport> {
		this.#running = false;
		await this.#done;
		this.#timerDelay.disable();
		// The last garbage collection is reported in a later iteration.
		await nextIteration();
		this.#observer.disconnect();
		const collected = (start: number, end: number): number =>
			this.#collections.reduce((sum, each) => (each.start >= start && each.start < end ? sum + each.ms : sum), 0);
		const long = this.#long.map(iteration => ({
			...iteration,
			collectorMs: Math.min(iteration.ms, collected(iteration.start, iteration.end)),
		}));
		return {
			turns: this.#short.reduce((sum, count) => sum + count, long.length),
			turnMs: this.#distribution(long.map(({ms}) => ms)),
			stalls: long.filter(({ms}) => ms > 5).length,
			withoutCollectorMs: this.#distribution(long.map(({ms, collectorMs}) => ms - collectorMs)),
			collectorMs: Object.fromEntries(
				[...new Set(this.#collections.map(({kind}) => kind))].map(kind => [
					kind,
					distribution(this.#collections.filter(each => each.kind === kind).map(({ms}) => ms)),
				]),
			),
			// `monitorEventLoopDelay` measures the time between two timers in nanoseconds. This time includes the timer's interval of 1 ms.
			timerDelayMs: {
				p50: this.#timerDelay.percentile(50) / 1e6 - 1,
				p99: this.#timerDelay.percentile(99) / 1e6 - 1,
				p999: this.#timerDelay.percentile(99.9) / 1e6 - 1,
				most: this.#timerDelay.max / 1e6 - 1,
			},
			longest: long
				.sort((a, b) => b.ms - a.ms)
				.slice(0, 12)
				.map(({ms, collectorMs, during}) => ({ms, collectorMs, during: [...new Set(during)].slice(0, 8)})),
		};
	}

	/**
	Returns the distribution over all iterations: the short ones from the histogram, and the long ones with the given durations. Some of
	these durations are shorter than `LONG_MS` if garbage collection was subtracted from them.
	*/
	#distribution(long: readonly number[]): Distribution {
		const counts = Uint32Array.from(this.#short);
		for (const ms of long.filter(ms => ms < LONG_MS)) {
			counts[Math.max(0, Math.floor(ms * 1000))]!++;
		}
		const longest = Float64Array.from(long.filter(ms => ms >= LONG_MS)).sort();
		const shortCount = counts.reduce((sum, count) => sum + count, 0);
		const percentile = (share: number): number => {
			const rank = Math.floor((shortCount + longest.length) * share);
			if (rank >= shortCount) {
				return longest[Math.min(longest.length - 1, rank - shortCount)] ?? 0;
			}
			let remaining = rank;
			const microsecond = counts.findIndex(count => (remaining -= count) < 0);
			return (microsecond + 0.5) / 1000;
		};
		return {p50: percentile(0.5), p99: percentile(0.99), p999: percentile(0.999), most: longest.at(-1) ?? percentile(1 - 1e-9)};
	}

	async #measure(): Promise<void> {
		let [last, start] = [this.#cpuMs(), performance.now()];
		while (this.#running) {
			await nextIteration();
			const [now, end] = [this.#cpuMs(), performance.now()];
			const ms = Math.max(0, now - last - this.#excludedMs);
			if (ms >= LONG_MS) {
				this.#long.push({start, end, ms, during: this.#notes});
			} else {
				this.#short[Math.floor(ms * 1000)]!++;
			}
			[this.#notes, this.#excludedMs] = [[], 0];
			// The bookkeeping of this loop is not part of the next iteration.
			[last, start] = [this.#cpuMs(), performance.now()];
		}
	}
}

/** Returns the distribution of durations in milliseconds. */
export function distribution(values: readonly number[]): Distribution {
	const sorted = Float64Array.from(values).sort();
	const percentile = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
	return {p50: percentile(0.5), p99: percentile(0.99), p999: percentile(0.999), most: sorted.at(-1) ?? 0};
}
