/** Times several subjects in alternation, so that disturbances of the machine affect all of them. */
import {waitForTime} from '../core/event-loop.ts';
import {type Figure, figure, percentile} from './statistics.ts';

/** A piece of work that is timed. */
export interface Subject {
	readonly name: string;
	/** Number of queries or texts per pass. */
	readonly count: number;
	/** Processes all of them. If they are processed one by one, calls `lap` after each. */
	pass(lap: () => void): Promise<void>;
}

export interface Speed {
	readonly name: string;
	/** Queries or texts per second of wall time. */
	readonly rate: Figure;
	/** Processor time divided by wall time, that is, the average number of busy cores. */
	readonly cores: Figure;
	/** Latency per query in ms, over all rounds. Absent if all queries are processed in one call. */
	readonly latency?: Readonly<Record<'p50' | 'p90' | 'p99' | 'p999', number>>;
}

export interface MeasureOptions {
	/** Number of rounds. Each round times every subject once. */
	readonly rounds: number;
	/** Minimum duration of one turn. Passes are repeated until it is reached. */
	readonly milliseconds: number;
	readonly signal?: AbortSignal | undefined;
	readonly onTurn?: ((done: number, total: number, name: string) => void) | undefined;
}

/** Times all subjects round by round. The first round is a warm-up and does not count. */
export async function measure(subjects: readonly Subject[], options: MeasureOptions): Promise<Speed[]> {
	const {rounds, milliseconds, signal, onTurn} = options;
	const taken = subjects.map(() => ({rates: [] as number[], cores: [] as number[], laps: [] as number[]}));
	const total = (rounds + 1) * subjects.length;
	let done = 0;
	for (let round = 0; round <= rounds; round++) {
		for (const [i, subject] of subjects.entries()) {
			signal?.throwIfAborted();
			await waitForTime();
			await onTurn?.(done++, total, subject.name);
			const turn = await oneTurn(subject, milliseconds);
			if (round > 0) {
				const {rates, cores, laps} = taken[i]!;
				rates.push(turn.rate);
				cores.push(turn.cores);
				for (const lap of turn.laps) {
					laps.push(lap);
				}
			}
		}
	}
	await onTurn?.(total, total, '');
	return subjects.map(({name}, i) => {
		const {rates, cores, laps} = taken[i]!;
		return {name, rate: figure(rates), cores: figure(cores), ...(laps.length > 0 && {latency: latencies(laps)})};
	});
}

function latencies(laps: readonly number[]): NonNullable<Speed['latency']> {
	const sorted = Float64Array.from(laps).sort();
	const at = (part: number): number => Number(percentile(sorted, part).toPrecision(4));
	return {p50: at(0.5), p90: at(0.9), p99: at(0.99), p999: at(0.999)};
}

async function oneTurn(subject: Subject, milliseconds: number): Promise<{rate: number; cores: number; laps: readonly number[]}> {
	const laps: number[] = [];
	const before = process.cpuUsage();
	const began = performance.now();
	let [passes, last] = [0, began];
	const lap = (): void => {
		const now = performance.now();
		laps.push(now - last);
		last = now;
	};
	while (passes === 0 || performance.now() - began < milliseconds) {
		last = performance.now();
		await subject.pass(lap);
		passes++;
	}
	const taken = performance.now() - began;
	const {user, system} = process.cpuUsage(before);
	return {rate: (passes * subject.count * 1000) / taken, cores: (user + system) / 1000 / taken, laps};
}
