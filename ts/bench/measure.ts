/**
Times several workloads. Every round measures all of them one after another, so that other load on the machine affects all of them alike.
Rates are medians over the rounds; latencies are percentiles over the queries or texts of all rounds.
*/
import {yieldIfOverBudget} from '../core/event-loop.ts';
import {type Figure, figure, percentile} from './statistics.ts';

/** Work that is timed: it processes a number of queries or texts. */
export interface Workload {
	readonly name: string;
	/** Number of queries or texts. */
	readonly count: number;
	/** Processes all queries or texts once. If it processes them one by one, it calls `onItem` after each. */
	run(onItem: () => void): Promise<void>;
}

/** The measured speed of a workload. */
export interface Speed {
	readonly name: string;
	/** Queries or texts per second of wall time. */
	readonly rate: Figure;
	/** CPU time divided by wall time, that is, the average number of busy cores. */
	readonly cores: Figure;
	/** Latency per query or text in milliseconds, over all rounds. Absent if one call processes all of them. */
	readonly latency?: Readonly<Record<'p50' | 'p90' | 'p99' | 'p999', number>>;
}

export interface MeasureOptions {
	/** Number of rounds. Each round measures every workload once. */
	readonly rounds: number;
	/** Minimum duration of one measurement in milliseconds. The workload is repeated until this time has passed. */
	readonly milliseconds: number;
	readonly signal?: AbortSignal | undefined;
	/**
	Called before each measurement and once at the end, with the number of finished measurements, the number of all measurements, and the
	name of the workload that is measured next, which is empty at the end.
	*/
	readonly onMeasurement?: ((done: number, total: number, name: string) => void) | undefined;
}

/** Measures all workloads. An additional first round is a warm-up, and its results are discarded. */
export async function measure(workloads: readonly Workload[], options: MeasureOptions): Promise<Speed[]> {
	const {rounds, milliseconds, signal, onMeasurement} = options;
	const measured = workloads.map(() => ({rates: [] as number[], cores: [] as number[], latencies: [] as number[]}));
	const total = (rounds + 1) * workloads.length;
	let done = 0;
	for (let round = 0; round <= rounds; round++) {
		for (const [i, workload] of workloads.entries()) {
			signal?.throwIfAborted();
			await yieldIfOverBudget();
			await onMeasurement?.(done++, total, workload.name);
			const measurement = await measureOnce(workload, milliseconds);
			if (round > 0) {
				const {rates, cores, latencies} = measured[i]!;
				rates.push(measurement.rate);
				cores.push(measurement.cores);
				// There may be too many numbers for `push(...numbers)`.
				for (const latency of measurement.latencies) {
					latencies.push(latency);
				}
			}
		}
	}
	await onMeasurement?.(total, total, '');
	return workloads.map(({name}, i) => {
		const {rates, cores, latencies} = measured[i]!;
		return {name, rate: figure(rates), cores: figure(cores), ...(latencies.length > 0 && {latency: percentiles(latencies)})};
	});
}

function percentiles(latencies: readonly number[]): NonNullable<Speed['latency']> {
	const sorted = Float64Array.from(latencies).sort();
	const rounded = (share: number): number => Number(percentile(sorted, share).toPrecision(4));
	return {p50: rounded(0.5), p90: rounded(0.9), p99: rounded(0.99), p999: rounded(0.999)};
}

/** Repeats a workload for at least the given time. Returns items per second, the average number of busy cores, and latencies in milliseconds. */
async function measureOnce(workload: Workload, milliseconds: number): Promise<{rate: number; cores: number; latencies: readonly number[]}> {
	const latencies: number[] = [];
	const before = process.cpuUsage();
	const began = performance.now();
	let [repeats, itemBegan] = [0, began];
	const onItem = (): void => {
		const now = performance.now();
		latencies.push(now - itemBegan);
		itemBegan = now;
	};
	while (repeats === 0 || performance.now() - began < milliseconds) {
		itemBegan = performance.now();
		await workload.run(onItem);
		repeats++;
	}
	const elapsed = performance.now() - began;
	const {user, system} = process.cpuUsage(before);
	return {rate: (repeats * workload.count * 1000) / elapsed, cores: (user + system) / 1000 / elapsed, latencies};
}
