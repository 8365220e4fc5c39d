// The tables of a vector benchmark as plain text, which the benchmark prints.
import {singleThreaded} from '../../report/tables/single-threaded.ts';
import {table} from '../../report/tables/text-table.ts';
import {type Figure, spread} from '../../statistics/statistics.ts';
import type {Definition} from '../definition.ts';
import type {Summary, Target} from '../results/summary.ts';

/**
Returns tables of speeds, ratios, latencies and indexes. The lines below the tables name single-threaded systems and
entries that failed. ≥ marks a lower bound: even the smallest effort has a higher recall. In ratios, ≤ marks an upper
bound, and ~ a ratio of two lower bounds.
*/
export function tables(definition: Definition, results: readonly Summary[]): string {
	const parts = definition.efforts
		? [speeds(definition, results, 'wall'), speeds(definition, results, 'cpu'), ratios(definition, results)]
		: [exact(definition, results)];
	parts.push(...latencies(definition, results));
	if (Object.values(definition.efforts ?? {}).some(efforts => efforts.length === 1)) {
		parts.push(points(definition, results));
	}
	const failed = results.flatMap(({name, failed}) => (failed ? [`${name}: not measured (${failed})`] : []));
	return [...parts, indexes(results), ...singleThreaded(results, definition.threads ?? 1), ...failed].join('\n\n');
}

interface Memory {
	readonly peakBytes?: number | undefined;
	readonly anonBytes?: number | undefined;
	readonly fileBytes?: number | undefined;
}

/** A column of a table: one target recall at one k. */
interface Column {
	readonly k: string;
	readonly recall: number;
}

const columns = ({targets}: Definition): readonly Column[] =>
	Object.entries(targets).flatMap(([k, recalls]) => recalls.map(recall => ({k, recall})));
/** Returns the heading of a column, such as `@10 .95`. */
const head = ({k, recall}: Column): string => `@${k} ${recall.toFixed(2).slice(1)}`;
const targetAt = ({curves}: Summary, {k, recall}: Column): Target | undefined => curves?.[k]?.at.find(target => target.recall === recall);

function speeds(definition: Definition, results: readonly Summary[], by: 'wall' | 'cpu'): string {
	const rows = results
		.filter(({curves}) => curves)
		.map(result => [
			result.name,
			...columns(definition).map(column => {
				const target = targetAt(result, column);
				return target ? `${target.atLeast ? '≥' : ''}${Math.round(target[by].median)} ${plusMinus(target[by])}` : '–';
			}),
		]);
	return table([`q/s ${by} at recall`, ...columns(definition).map(head)], rows);
}

/** Returns a table that says how many times as fast passagekit's entries are as the fastest other system. */
function ratios(definition: Definition, results: readonly Summary[]): string {
	const rows = results
		.filter(({ours, curves}) => ours && curves)
		.map(result => [
			result.name,
			...columns(definition).map(column => {
				const target = targetAt(result, column);
				return target?.rival ? `${ratio(target)} ${target.rival.name}` : '–';
			}),
		]);
	return table(['× fastest other, wall', ...columns(definition).map(head)], rows);
}

function ratio({atLeast, rival}: Target): string {
	const bound = atLeast === rival!.atLeast ? '' : atLeast ? '≥' : '≤';
	return `${atLeast && rival!.atLeast ? '~' : bound}${rival!.wall.median.toFixed(2)}`;
}

/** Returns one table of the entries that get queries one at a time, or no table if there are no such entries. */
function latencies({targets}: Definition, results: readonly Summary[]): readonly string[] {
	const columns = Object.entries(targets).flatMap(([k, recalls]) =>
		(recalls.length > 0 ? recalls : [undefined]).map(recall => ({k, recall})),
	);
	const rows = results.flatMap(result => {
		const cells = columns.map(column => {
			const {latency} = result.curves?.[column.k]?.at.find(({recall}) => recall === column.recall) ?? {};
			return latency ? `${micros(latency.p50)} / ${micros(latency.p99)}` : '–';
		});
		return cells.some(cell => cell !== '–') ? [[result.name, ...cells]] : [];
	});
	const heads = columns.map(({k, recall}) => (recall === undefined ? `k=${k}` : head({k, recall})));
	return rows.length > 0 ? [table(['p50 / p99, µs', ...heads], rows)] : [];
}

const micros = ({median}: Figure): string => String(median >= 100 ? Math.round(median) : median);

/** Returns a table of all measured points. It is for definitions with a single effort, which may miss every target recall. */
function points({targets}: Definition, results: readonly Summary[]): string {
	const rows = results.flatMap(({name, curves}) =>
		Object.keys(targets).flatMap(k =>
			(curves?.[k]?.points ?? []).map(({effort, recall, wall, cpu}) => [name, k, `${effort}`, recall.toFixed(4), rate(wall), rate(cpu)]),
		),
	);
	return table(['points', 'k', 'effort', 'recall', 'q/s wall', 'q/s cpu'], rows);
}

/** Returns the tables of exact search, one per k. */
function exact(definition: Definition, results: readonly Summary[]): string {
	const parts = Object.keys(definition.targets).map(k => {
		const rows = results.flatMap(({name, queries, curves}) => {
			const curve = curves?.[k];
			const [point] = curve?.points ?? [];
			const [target] = curve?.at ?? [];
			return point && target
				? [
						[
							name,
							`${queries}`,
							`${rate(point.wall)} ${plusMinus(point.wall)}`,
							`${rate(point.cpu)} ${plusMinus(point.cpu)}`,
							point.recall.toFixed(4),
							target.rival ? `${target.rival.wall.median.toFixed(2)} ${target.rival.name}` : '',
						],
					]
				: [];
		});
		return table([`k=${k}`, 'queries', 'q/s wall', 'q/s cpu', 'recall', '× fastest other, wall'], rows);
	});
	return parts.join('\n\n');
}

function indexes(results: readonly Summary[]): string {
	const rows = results
		.filter(({built}) => built)
		.map(({name, built, peakBytes, anonBytes, fileBytes}) => [
			name,
			built!.cpuSeconds.toFixed(1),
			built!.seconds.toFixed(1),
			megabytes(built!.bytes),
			memory(built!),
			memory({peakBytes, anonBytes, fileBytes}),
			built!.version,
		]);
	return table(['index', 'build CPU s', 'build s', 'MB', 'peak MB (own + files)', 'searching MB', 'version'], rows);
}

const rate = ({median}: Figure): string => (median < 100 ? median.toFixed(1) : Math.round(median).toString());
const megabytes = (bytes: number | undefined): string => (bytes === undefined ? '' : (bytes / 1e6).toFixed(1));

/**
Formats peak memory, then in parentheses the peaks of its two parts: the process's own memory and the memory mapped from
files. The parts may not add up to the peak, because they may peak at different times.
*/
const memory = ({peakBytes, anonBytes, fileBytes}: Memory): string =>
	`${megabytes(peakBytes)}${anonBytes === undefined ? '' : ` (${megabytes(anonBytes)} + ${megabytes(fileBytes)})`}`;
const plusMinus = (figure: Figure): string => `±${Math.round(100 * spread(figure))}%`;
