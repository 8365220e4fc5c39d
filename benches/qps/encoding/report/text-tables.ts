// The tables of encoding benchmarks as text, which a run prints.
import {table} from '../../report/tables/text-table.ts';
import type {Figure} from '../../statistics/statistics.ts';
import {type Definition, taskNames} from '../definition.ts';
import type {Result} from '../results/result.ts';
import type {Task} from '../system.ts';

/**
Returns one table per task, with a row per system, then a table of memory and versions. × is the ratio to the reference;
± is half the range from minimum to maximum, in percent of the median.
*/
export function encodingTable({tasks, reference}: Pick<Definition, 'tasks' | 'reference'>, results: readonly Result[]): string {
	const tables = (Object.keys(tasks) as Task[]).map(task => {
		const {sample, texts} = tasks[task];
		const rows = results.flatMap(({name, speed}) => {
			const at = speed?.[taskNames[task]];
			return at
				? [
						[
							name,
							rate(at.wall),
							rate(at.cpu),
							ratio(at.wallRatio),
							ratio(at.cpuRatio),
							at.p50 ? (at.p50.median / 1000).toFixed(2) : '',
							at.p99 ? (at.p99.median / 1000).toFixed(2) : '',
							task === 'tokenise' ? (at.sameTokens?.toString() ?? '') : (at.cosines?.least.toFixed(4) ?? ''),
						],
					]
				: [];
		});
		const same = task === 'tokenise' ? `same as ${reference}` : `min cosine to ${reference}`;
		return [
			`${taskNames[task]}: ${sample} ${texts}`,
			table(['texts per second', 'wall', 'cpu', '×wall', '×cpu', 'p50 ms', 'p99 ms', same], rows),
		].join('\n');
	});
	const systems = table(
		['system', 'peak MB', 'version'],
		results.flatMap(({name, peakBytes, version}) => (version ? [[name, peakBytes ? (peakBytes / 1e6).toFixed(0) : '', version]] : [])),
	);
	const failures = results.flatMap(({name, failed}) => (failed ? [`${name}: not measured (${failed})`] : []));
	return [...tables, systems, ...failures].join('\n\n');
}

const rate = (figure: Figure): string =>
	`${figure.median < 100 ? figure.median.toFixed(1) : Math.round(figure.median)} ±${Math.round((50 * (figure.most - figure.least)) / figure.median)}%`;
const ratio = (figure: Figure | undefined): string => (figure ? figure.median.toFixed(2) : '');
