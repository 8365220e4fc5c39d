// The tables of encoding benchmarks for the report page.
import {range} from '../../report/plot/pieces.ts';
import {type TypedRecord, ourNames} from '../../report/records/record.ts';
import {
	type Cell,
	type FiguresTable,
	type Row,
	emptyCell,
	figureCell,
	megabytesCell,
	ratioCell,
	textCell,
	valueCell,
} from '../../report/tables/html-table.ts';
import type {Figure} from '../../statistics/statistics.ts';
import {type Definition, taskNames} from '../definition.ts';
import type {Result} from '../results/result.ts';
import type {Task} from '../system.ts';

/** Returns a table of speeds per task, and a table of peak memory and versions. */
export function encodingTables(record: TypedRecord<Definition, Result>): readonly FiguresTable[] {
	const {definition, results} = record;
	const {reference} = definition;
	const rows = (cellsOf: (result: Result) => readonly Cell[] | undefined): readonly Row[] => {
		const ours = ourNames(record);
		return results.map(result => {
			const cells = result.failed === undefined ? cellsOf(result) : undefined;
			const row = {name: result.name, ours: ours.has(result.name), cells: cells ?? []};
			return cells ? row : {...row, failed: result.failed ?? 'no results in the record'};
		});
	};
	const speeds = (Object.keys(definition.tasks) as Task[]).map((task): FiguresTable => {
		const same = task === 'tokenise' ? `texts with the same ids as ${reference}` : `min cosine to ${reference}`;
		return {
			k: taskNames[task],
			caption: `${taskNames[task]}: texts per second, how many times as fast as ${reference}, latencies of single texts, and agreement with ${reference}.`,
			rowHeading: 'system',
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
						latencyCell(at.p50),
						latencyCell(at.p99),
						task === 'tokenise' ? valueCell(at.sameTokens) : valueCell(at.cosines?.least, cosine => cosine.toFixed(4)),
					]
				);
			}),
		};
	});
	const systems: FiguresTable = {
		caption: 'Peak memory of each process, including the model.',
		rowHeading: 'system',
		columns: [{heading: 'peak MB'}, {heading: 'version', words: true}],
		rows: rows(({peakBytes, version}) => [megabytesCell(peakBytes), textCell(version)]),
	};
	return [...speeds, systems];
}

/** Returns a cell with the median, and with the range as its tooltip. */
const latencyCell = (figure: Figure | undefined): Cell => (figure ? {...valueCell(figure.median), title: range(figure)} : emptyCell);
