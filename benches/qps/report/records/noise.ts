// Decides whether the machine was quiet while a record was measured. Figures from a noisy machine must not be quoted.
// ../../README.md lists the rules.
import {type Figure, MAX_SPREAD, isWide, spread} from '../../statistics/statistics.ts';
import {type DescribedRecord, atK, buildSeconds} from './description.ts';
import {threadsOf} from './record.ts';

/**
The load average that a benchmark may cause beyond 1 per thread of the system under test, because the harness and other
threads of the system run now and then. Benchmarks with one thread on otherwise idle machines had load averages of 1.0 to
1.4. The load before a benchmark may come from the previous benchmark.
*/
const EXTRA_LOAD = 0.5;
/** The largest steal time of a quiet virtual machine, as a share of the cores' busy time. */
const MAX_STOLEN = 0.1;
/**
The largest share of wide figures (± above 10% between rounds) on a quiet machine. The speed of some systems varies even
on a quiet machine, so a few wide figures do not mean that the machine is noisy.
*/
const MAX_WIDE_SHARE = 0.25;

export interface Noise {
	/** Whether the figures must not be quoted. */
	readonly noisy: boolean;
	/** Sentences to show. Even if the machine was quiet, they may mention individual figures that are wide. */
	readonly reasons: readonly string[];
}

/** Checks the one-minute load averages, the steal time, the spread of figures by wall time, and the number of rounds. */
export function noise(described: DescribedRecord): Noise {
	const {record} = described;
	const {before, after, stolen = 0} = record.load;
	const expectedLoad = threadsOf(record) + EXTRA_LOAD;
	const loads = (
		[
			['before', before[0]],
			['after', after[0]],
		] as const
	).flatMap(([when, load]) =>
		load !== undefined && load > expectedLoad
			? [`The load ${when} the run was ${load.toFixed(2)}; a benchmark explains at most ${expectedLoad}.`]
			: [],
	);
	const steals = stolen > MAX_STOLEN ? [`The host gave ${Math.round(100 * stolen)}% of the cores' busy time to other guests.`] : [];
	const figures = figuresOf(described);
	const wide = figures.filter(({figure}) => isWide(figure)).toSorted((a, b) => spread(b.figure) - spread(a.figure));
	const tooManyWide = wide.length > MAX_WIDE_SHARE * figures.length;
	const widest = wide[0] && `the widest is ±${Math.round(100 * spread(wide[0].figure))}% (${wide[0].name})`;
	const spreads = widest
		? [`Rounds differ by more than ±${100 * MAX_SPREAD}% in ${wide.length} of ${figures.length} figures; ${widest}.`]
		: [];
	const single = record.definition.rounds < 2 ? ['There was only one round, so the spread between rounds is unknown.'] : [];
	return {
		noisy: loads.length > 0 || steals.length > 0 || tooManyWide || single.length > 0,
		reasons: [...single, ...loads, ...steals, ...spreads],
	};
}

function figuresOf(described: DescribedRecord): ReadonlyArray<{readonly name: string; readonly figure: Figure}> {
	return [
		...described.measured.map(({entry, k, recall, wall}) => ({
			name: `${entry}, ${atK(k)}${recall === undefined ? '' : `, recall ${recall}`}`,
			figure: wall,
		})),
		...buildSeconds(described).map(({entry, seconds}) => ({name: `${entry}, build time`, figure: seconds})),
	];
}
