/** Progress bars, durations and sizes in bytes for the terminal. */
import type {Progress} from '../core/types.ts';

/** Width of a bar in characters. */
const WIDTH = 24;

/**
A progress bar with rate and remaining time, by default on standard error. It prints nothing unless the stream is a
terminal.
*/
export class ProgressBar {
	readonly #label: string;
	readonly #unit: string;
	readonly #stream: NodeJS.WriteStream;
	#startedAt = performance.now();
	#shown = false;

	constructor(label: string, unit: string, stream: NodeJS.WriteStream = process.stderr) {
		this.#label = label;
		this.#unit = unit;
		this.#stream = stream;
	}

	/**
	Redraws the bar. `detail` is appended to it. `speed` replaces the rate and the time left, which are otherwise computed from the time since the
	bar was created.
	*/
	update({done, total}: Progress, detail?: string, speed?: Speed): void {
		if (!this.#stream.isTTY) {
			return;
		}
		this.#shown = true;
		const line = progressLine(this.#label, this.#unit, {done, total}, speed ?? (performance.now() - this.#startedAt) / 1000);
		this.#stream.write(`\r\u001B[2K${line}${detail === undefined ? '' : ` · ${detail}`}`);
	}

	/** Clears the bar. */
	end(): void {
		if (this.#shown) {
			this.#stream.write('\r\u001B[2K');
			this.#shown = false;
		}
	}
}

/** A rate, such as `85 questions/s`, and an estimate of the time left. */
export interface Speed {
	readonly rate: string;
	readonly secondsLeft: number;
}

/**
Formats a bar: `encode [████        ] 120/480 passages · 85/s · 4.2 s left`. A `total` of 0 means that it is unknown. `speed` is the number of
seconds since the start, from which the rate and the time left follow, or the rate and the time left.
*/
export function progressLine(label: string, unit: string, {done, total}: Progress, speed: number | Speed): string {
	const fields = [`${amount(done, unit)}${total > 0 ? `/${amount(total, unit)}` : ''} ${unit === 'bytes' ? '' : unit}`.trim()];
	const {rate, secondsLeft} = typeof speed === 'number' ? speedOf({done, total}, unit, speed) : speed;
	if (rate !== undefined) {
		fields.push(rate);
	}
	if (secondsLeft !== undefined && total > done) {
		fields.push(`${duration(secondsLeft)} left`);
	}
	const filled = total > 0 ? Math.round(Math.min(1, done / total) * WIDTH) : 0;
	return `${label.padEnd(8)} [${'█'.repeat(filled)}${' '.repeat(WIDTH - filled)}] ${fields.join(' · ')}`;
}

/** The rate since the start, and the time left at this rate. */
function speedOf({done, total}: Progress, unit: string, seconds: number): Partial<Speed> {
	const rate = seconds > 0 ? done / seconds : 0;
	return rate > 0 ? {rate: `${amount(rate, unit)}/s`, secondsLeft: (total - done) / rate} : {};
}

/** Formats a duration: `250 ms`, `9.9 s`, `89 s`, `1 min 30 s`. */
export function duration(seconds: number): string {
	// Rounded before the unit is chosen, so that the result is never `1000 ms`, `10.0 s` or `1 min 60 s`.
	const ms = Math.round(Math.max(0, seconds) * 1000);
	if (ms < 1000) {
		return `${ms} ms`;
	}
	if (ms < 9950) {
		return `${(ms / 1000).toFixed(1)} s`;
	}
	const whole = Math.round(ms / 1000);
	return whole < 90 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

/** Formats a number of bytes: `1.5 kB`, `30.0 MB`. From 999,950 on, which would be `1000.0 kB`, the unit is megabytes. */
export function bytes(count: number): string {
	return count < 999_950 ? `${(count / 1e3).toFixed(1)} kB` : `${(count / 1e6).toFixed(1)} MB`;
}

/** Formats a count or a rate: bytes with their unit, other amounts as a number only. */
function amount(count: number, unit: string): string {
	return unit === 'bytes' ? bytes(count) : count < 10 ? count.toFixed(count % 1 === 0 ? 0 : 1) : Math.round(count).toLocaleString('en');
}
