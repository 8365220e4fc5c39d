// Whether a machine was quiet while a record was measured.
import {type Figure, MAX_SPREAD, isWide, spread} from '../statistics.ts';
import {type DescribedRecord, atK, buildSeconds} from './description.ts';
import {threadsOf} from './record.ts';

/**
The load that a run explains beyond the threads of the one system that works at a time: the harness and the system's other
threads wait for their turn now and then. Runs of one thread on machines with nothing else to do have had 1.0 to 1.4. What
was before a run may be the run before it.
*/
const MORE_LOAD = 0.5;
/** More of the time of cores with work than this, given to others by the host of a virtual machine, is no quiet machine. */
const MOST_STOLEN = 0.1;
/** Some systems are erratic by themselves; where more than this share of all figures is wide, the machine is. */
const MANY = 0.25;

export interface Noise {
	/** Whether figures are not to be quoted: the load was above the run's own, the host took much of the time, many figures are wide, or there was one round. */
	readonly noisy: boolean;
	/** What is to be said of it, in sentences; also of a machine that was quiet, where single figures are wide. */
	readonly reasons: readonly string[];
}

/** Loads are the averages of one minute, at the end and before the start; spreads are of wall time. */
export function noise(described: DescribedRecord): Noise {
	const {record} = described;
	const {before, after, stolen = 0} = record.load;
	const own = threadsOf(record) + MORE_LOAD;
	const loads = (
		[
			['before', before[0]],
			['after', after[0]],
		] as const
	).flatMap(([when, load]) =>
		load !== undefined && load > own ? [`The load ${when} the run was ${load.toFixed(2)}; the run itself explains ${own}.`] : [],
	);
	const taken = stolen > MOST_STOLEN ? [`The host gave ${Math.round(100 * stolen)}% of the time of cores with work to others.`] : [];
	const figures = figuresOf(described);
	const wide = figures.filter(({figure}) => isWide(figure)).toSorted((a, b) => spread(b.figure) - spread(a.figure));
	const many = wide.length > MANY * figures.length;
	const most = wide[0] && `most ±${Math.round(100 * spread(wide[0].figure))}% (${wide[0].of})`;
	const spreads = most ? [`Rounds are more than ±${100 * MAX_SPREAD}% apart in ${wide.length} of ${figures.length} figures; ${most}.`] : [];
	const single = record.definition.rounds < 2 ? ['There was one round: nothing says how far apart rounds would be.'] : [];
	return {noisy: loads.length > 0 || taken.length > 0 || many || single.length > 0, reasons: [...single, ...loads, ...taken, ...spreads]};
}

function figuresOf(described: DescribedRecord): ReadonlyArray<{readonly of: string; readonly figure: Figure}> {
	return [
		...described.measured.map(({entry, k, recall, wall}) => ({
			of: `${entry}, ${atK(k)}${recall === undefined ? '' : `, recall ${recall}`}`,
			figure: wall,
		})),
		...buildSeconds(described).map(({entry, seconds}) => ({of: `${entry}, seconds of building`, figure: seconds})),
	];
}
