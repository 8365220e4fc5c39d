/** Decides whether the figures of a benchmark can be trusted. */
import type {Speed} from './measure.ts';
import {spread} from './statistics.ts';

/** Maximum load average before the measurements. */
const MAX_LOAD = 0.5;
/** Maximum spread of the rounds: half the range, as a share of the median. */
const MAX_SPREAD = 0.1;

/** Returns the reasons not to trust the figures; none on a quiet machine. `before` has the load averages over 1, 5 and 15 minutes. */
export function noise(before: readonly number[], speeds: readonly Pick<Speed, 'name' | 'rate'>[]): string[] {
	const [minute = 0] = before;
	const wide = speeds.filter(({rate}) => spread(rate) > MAX_SPREAD);
	const [widest] = wide.toSorted((a, b) => spread(b.rate) - spread(a.rate));
	const percent = (share: number): string => `${Math.round(100 * share)} %`;
	return [
		...(minute > MAX_LOAD ? [`the load was ${minute} before the first round: others used the machine`] : []),
		...(widest
			? [
					`rounds differ by more than ±${percent(MAX_SPREAD)} in ${wide.length} of ${speeds.length} figures, most in "${widest.name}", by ±${percent(spread(widest.rate))}`,
				]
			: []),
	];
}
