/** Ways of doing the same thing, timed by turns. */
import {waitForTime} from '../core/event-loop.ts';
import {type Figure, figure, percentile} from './statistics.ts';

/** What is timed. */
export interface Subject {
	readonly name: string;
	/** Queries or texts of one pass. */
	readonly count: number;
	/** Does all of them. Where they are done one by one, calls `lap` after each. */
	pass(lap: () => void): Promise<void>;
}

export interface Speed {
	readonly name: string;
	/** Queries or texts per second that passed. */
	readonly rate: Figure;
	/** Processor seconds of the process for each second that passed: how many cores were at work. */
	readonly cores: Figure;
	/** Of one query in ms, over all rounds; not where all are done in one call. */
	readonly latency?: Readonly<Record<'p50' | 'p90' | 'p99' | 'p999', number>>;
}

export interface MeasureOptions {
	/** In each, every subject has its turn. */
	readonly rounds: number;
	/** Passes of a turn go on for so long at least. */
	readonly milliseconds: number;
	readonly signal?: AbortSignal | undefined;
	readonly onTurn?: ((done: number, total: number, name: string) => void) | undefined;
}

/** A turn of each that is not counted, then round by round a turn of each: what slows the machine down slows all. */
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
