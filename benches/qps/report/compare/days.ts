// Ratios to another system over several records. A single run says what was true on one day and one machine; the median
// over runs on different days, with the range, is what may be quoted.
import {type Figure, figure} from '../../statistics/statistics.ts';
import type {DescribedRecord} from '../records/description.ts';
import {table} from '../tables/text-table.ts';

/** How many times as fast an entry is as another system, at one k or recall, over several runs. */
export interface RatioOverRuns {
	readonly entry: string;
	readonly k: string;
	readonly recall?: number;
	/** The other system, if it is the same in all runs. */
	readonly to: string;
	/** The number of runs. */
	readonly runs: number;
	/** The median, minimum and maximum of the medians of the runs, by CPU time. */
	readonly cpu: Figure;
	/** The same by wall time. */
	readonly wall: Figure;
}

/** Returns the ratios of the records of one definition, in the order of the newest record. Leaves out lower bounds. */
export function ratiosOverRuns(records: readonly DescribedRecord[]): readonly RatioOverRuns[] {
	const newestFirst = records.toSorted((a, b) => b.record.machine.date.localeCompare(a.record.machine.date));
	const [newest] = newestFirst;
	return (newest?.measured ?? []).flatMap(({entry, k, recall}) => {
		const ratios = newestFirst.flatMap(({measured}) => {
			const same = measured.find(other => other.entry === entry && other.k === k && other.recall === recall);
			return same?.ratio && !same.atLeast && !same.ratio.atLeast ? [same.ratio] : [];
		});
		if (ratios.length === 0) {
			return [];
		}
		const others = [...new Set(ratios.map(({to}) => to))];
		return [
			{
				entry,
				k,
				...(recall !== undefined && {recall}),
				to: others.join(' or '),
				runs: ratios.length,
				cpu: figure(ratios.map(({cpu}) => cpu.median)),
				wall: figure(ratios.map(({wall}) => wall.median)),
			},
		];
	});
}

/** Returns the ratios as a text table, with the times (UTC), CPUs and commits of the records. */
export function daysTable(records: readonly DescribedRecord[]): string {
	const runs = records.map(({record: {machine}}) => `${machine.date.slice(0, 16).replace('T', ' ')}  ${machine.cpu}  ${machine.commit}`);
	const rows = ratiosOverRuns(records).map(({entry, k, recall, to, runs: count, cpu, wall}) => [
		entry,
		`${k}${recall === undefined ? '' : ` ${recall}`}`,
		to,
		`${count}`,
		range(cpu),
		range(wall),
	]);
	const name = records[0]!.record.definition.name;
	return `${name}\n${runs.toSorted().join('\n')}\n\n${table(['times as fast', 'k, recall', 'as', 'runs', 'by CPU time', 'by wall time'], rows)}`;
}

/** Returns a median with its range, such as `5.9 (5.5–6.5)`. */
const range = ({median, least, most}: Figure): string => `${median.toFixed(1)} (${least.toFixed(1)}–${most.toFixed(1)})`;
