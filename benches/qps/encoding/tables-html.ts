// Figures of encoding as tables of a page.
import {range} from '../report/plot/pieces.ts';
import {type Kept, ourNames} from '../report/record.ts';
import {type Cell, type FiguresTable, type Row, figureCell, megabytes, none, ratioCell, value, words} from '../report/table-html.ts';
import type {Figure} from '../statistics.ts';
import {type Definition, type Result, taskNames} from './definition.ts';
import type {Task} from './system.ts';

export function encodingTables(record: Kept<Definition, Result>): readonly FiguresTable[] {
	const {definition, results} = record;
	const {reference} = definition;
	const rows = (cells: (result: Result) => readonly Cell[] | undefined): readonly Row[] => {
		const own = ourNames(record);
		return results.map(result => {
			const found = result.failed === undefined ? cells(result) : undefined;
			const row = {name: result.name, ours: own.has(result.name), cells: found ?? []};
			return found ? row : {...row, failed: result.failed ?? 'nothing was kept'};
		});
	};
	const speeds = (Object.keys(definition.tasks) as Task[]).map((task): FiguresTable => {
		const same = task === 'tokenise' ? `texts with the ids of ${reference}` : `least cosine to ${reference}`;
		return {
			k: taskNames[task],
			caption: `${taskNames[task]}: texts per second, how many times as fast as ${reference}, and latencies of single texts in µs.`,
			stub: 'system',
			columns: [
				{group: 'texts per second', heading: 'wall'},
				{group: 'texts per second', heading: 'cpu'},
				{group: `× ${reference}`, heading: 'wall'},
				{group: `× ${reference}`, heading: 'cpu'},
				{group: 'latency, µs', heading: 'p50'},
				{group: 'latency, µs', heading: 'p99'},
				{heading: same},
			],
			rows: rows(({speed}) => {
				const at = speed?.[taskNames[task]];
				return (
					at && [
						figureCell(at.wall),
						figureCell(at.cpu),
						ratioCell(at.wallRatio),
						ratioCell(at.cpuRatio),
						latency(at.p50),
						latency(at.p99),
						task === 'tokenise' ? value(at.sameTokens) : value(at.cosines?.least, least => least.toFixed(4)),
					]
				);
			}),
		};
	});
	const systems: FiguresTable = {
		caption: 'The most memory of each process, with the model.',
		stub: 'system',
		columns: [{heading: 'peak MB'}, {heading: 'version', words: true}],
		rows: rows(({peakBytes, version}) => [megabytes(peakBytes), words(version)]),
	};
	return [...speeds, systems];
}

const latency = (figure: Figure | undefined): Cell => (figure ? {...value(figure.median), title: range(figure)} : none);
