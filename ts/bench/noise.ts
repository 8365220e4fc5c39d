/** Decides whether the machine was quiet enough to trust the figures of a benchmark. */
import type {Speed} from './measure.ts';
import {spread} from './statistics.ts';

/** Maximum load average over the minute before the benchmark. */
const MAX_LOAD = 0.5;
/** Maximum spread of the rounds: half the range, as a share of the median. */
const MAX_SPREAD = 0.1;

/**
Returns reasons not to trust the figures: an empty array on a quiet machine. `before` has the load averages over 1, 5 and 15 minutes
before the benchmark.
*/
export function noise(before: readonly number[], speeds: readonly Pick<Speed, 'name' | 'rate'>[]): string[] {
	const [minute = 0] = before;
	const noisy = speeds.filter(({rate}) => spread(rate) > MAX_SPREAD);
	const [noisiest] = noisy.toSorted((a, b) => spread(b.rate) - spread(a.rate));
	const percent = (share: number): string => `${Math.round(100 * share)}%`;
	return [
		...(minute > MAX_LOAD ? [`the load was ${minute} before the first round: other processes used the machine`] : []),
		...(noisiest
			? [
					`rounds differ by more than ±${percent(MAX_SPREAD)} in ${noisy.length} of ${speeds.length} figures, and by up to ±${percent(spread(noisiest.rate))} in "${noisiest.name}"`,
				]
			: []),
	];
}
