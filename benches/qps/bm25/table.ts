// Results as text.
import {singleThreaded} from '../single-threaded.ts';
import {type Figure, spread} from '../statistics.ts';
import {table} from '../text-table.ts';
import type {Result} from './definition.ts';

/**
Of each k, a row of each entry. Ratios are to the reference; ± is half of what lies between least and most. Which entries had
one of several threads is said below.
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

/** A row of each entry that was built. */
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
