/** Whether figures can be trusted. */
import type {Speed} from './measure.ts';
import {spread} from './statistics.ts';

/** Processes that wanted to run before anything was measured. */
const MOST_LOAD = 0.5;
/** Half of what lies between the least and the greatest of the rounds, as a share of the median. */
const MOST_SPREAD = 0.1;

/** Why figures are not to be quoted; none on a quiet machine. `before` is the load over 1, 5 and 15 minutes. */
export function noise(before: readonly number[], speeds: readonly Pick<Speed, 'name' | 'rate'>[]): string[] {
	const [minute = 0] = before;
	const wide = speeds.filter(({rate}) => spread(rate) > MOST_SPREAD);
	const [widest] = wide.toSorted((a, b) => spread(b.rate) - spread(a.rate));
	const percent = (share: number): string => `${Math.round(100 * share)} %`;
	return [
		...(minute > MOST_LOAD ? [`the load was ${minute} before the first round: others used the machine`] : []),
		...(widest
			? [
					`rounds differ by more than ±${percent(MOST_SPREAD)} in ${wide.length} of ${speeds.length} figures, most in "${widest.name}", by ±${percent(spread(widest.rate))}`,
				]
			: []),
	];
}
