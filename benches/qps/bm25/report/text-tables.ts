// The tables of BM25 benchmarks as text, which a run prints.
import {singleThreaded} from '../../report/tables/single-threaded.ts';
import {table} from '../../report/tables/text-table.ts';
import {type Figure, spread} from '../../statistics/statistics.ts';
import type {Result} from '../results/result.ts';

/**
Returns one table of speeds per k, with a row per entry, then a table of indexes. × is the ratio to the reference; ± is
half the range from minimum to maximum, in percent of the median. The lines below the tables name single-threaded
systems and entries that failed.
*/
export function speedTable(results: readonly Result[], threads: number): string {
	const ks = [...new Set(results.flatMap(result => Object.keys(result.speed ?? {})))];
	const tables = ks.map(k => {
		const rows = results.flatMap(({name, queries, speed}) => {
			const at = speed?.[Number(k)];
			return at
				? [
						[
							name,
							`${queries}`,
							rate(at.wall),
							rate(at.cpu),
							ratio(at.wallRatio),
							ratio(at.cpuRatio),
							micros(at.p50),
							micros(at.p99),
							at.agreement ? at.agreement.identical.toString() : '',
							at.agreement ? at.agreement.overlapAt10.toFixed(3) : '',
						],
					]
				: [];
		});
		return table([`k=${k}`, 'queries', 'q/s wall', 'q/s cpu', '×wall', '×cpu', 'p50 µs', 'p99 µs', 'identical', 'same@10'], rows);
	});
	return [...tables, indexTable(results), ...singleThreaded(results, threads), ...failures(results)].join('\n\n');
}

/** Returns a table of build times, with a row per entry that was built. */
export function buildTable(results: readonly Result[]): string {
	const rows = results
		.filter(({seconds}) => seconds)
		.map(({name, seconds, secondsRatio, built}) => [
			name,
			`${seconds!.median} ${plusMinus(seconds!)}`,
			ratio(secondsRatio),
			megabytes(built!.bytes),
			megabytes(built!.peakBytes),
		]);
	return [table(['build', 'seconds', 'times as fast', 'MB', 'peak MB'], rows), ...failures(results)].join('\n\n');
}

/** Returns a table of indexes, with a row per entry that has one. */
function indexTable(results: readonly Result[]): string {
	const rows = results
		.filter(({built}) => built)
		.map(({name, built, peakBytes}) => [
			name,
			built!.seconds.toFixed(2),
			megabytes(built!.bytes),
			megabytes(built!.peakBytes),
			megabytes(peakBytes),
			built!.version,
		]);
	return table(['index', 'build s', 'MB', 'peak MB', 'searching MB', 'version'], rows);
}

const failures = (results: readonly Result[]): readonly string[] =>
	results.filter(({failed}) => failed).map(({name, failed}) => `${name}: not measured (${failed})`);

const rate = (figure: Figure): string => `${Math.round(figure.median)} ${plusMinus(figure)}`;
const ratio = (figure: Figure | undefined): string => (figure ? figure.median.toFixed(2) : '');
const micros = (figure: Figure | undefined): string => (figure ? figure.median.toFixed(0) : '');
const megabytes = (bytes: number | undefined): string => (bytes === undefined ? '' : (bytes / 1e6).toFixed(1));
const plusMinus = (figure: Figure): string => `±${Math.round(100 * spread(figure))}%`;
