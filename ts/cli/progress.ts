/** Progress bars on standard error. */
import type {Progress} from '../core/types.ts';

const WIDTH = 24;

/** A progress bar with rate and remaining time on standard error. It is silent unless standard error is a terminal. */
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

	update({done, total}: Progress): void {
		if (!this.#stream.isTTY) {
			return;
		}
		this.#shown = true;
		this.#stream.write(`\r\u001B[2K${progressLine(this.#label, this.#unit, {done, total}, (performance.now() - this.#startedAt) / 1000)}`);
	}

	/** Clears the bar. */
	end(): void {
		if (this.#shown) {
			this.#stream.write('\r\u001B[2K');
			this.#shown = false;
		}
	}
}

/** `encode [████        ] 120/480 passages · 85/s · 4 s left`. */
export function progressLine(label: string, unit: string, {done, total}: Progress, seconds: number): string {
	const rate = seconds > 0 ? done / seconds : 0;
	const parts = [`${amount(done, unit)}${total > 0 ? `/${amount(total, unit)}` : ''} ${unit === 'bytes' ? '' : unit}`.trim()];
	if (rate > 0) {
		parts.push(`${amount(rate, unit)}/s`);
	}
	if (rate > 0 && total > done) {
		parts.push(`${duration((total - done) / rate)} left`);
	}
	const filled = total > 0 ? Math.round(Math.min(1, done / total) * WIDTH) : 0;
	return `${label.padEnd(8)} [${'█'.repeat(filled)}${' '.repeat(WIDTH - filled)}] ${parts.join(' · ')}`;
}

export function duration(seconds: number): string {
	// Rounded before the unit is chosen: no `1000 ms`, no `1 min 60 s`.
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

export function bytes(count: number): string {
	return count < 999_950 ? `${(count / 1e3).toFixed(1)} kB` : `${(count / 1e6).toFixed(1)} MB`;
}

function amount(count: number, unit: string): string {
	return unit === 'bytes' ? bytes(count) : count < 10 ? count.toFixed(count % 1 === 0 ? 0 : 1) : Math.round(count).toLocaleString('en');
}
