// The tables of BM25 benchmarks for the report page.
import {labelOf} from '../../report/plot/latencies.ts';
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
import {PERCENTILES} from '../../statistics/latencies.ts';
import type {Figure} from '../../statistics/statistics.ts';
import type {Definition} from '../definition.ts';
import type {Result} from '../results/result.ts';

/** Returns tables of speeds and indexes, or of build times and indexes. */
export function bm25Tables(record: TypedRecord<Definition, Result>): readonly FiguresTable[] {
	const {definition, results} = record;
	const rows = (cellsOf: (result: Result) => readonly Cell[] | undefined): readonly Row[] => {
		const ours = ourNames(record);
		return results.map(result => {
			const cells = result.failed === undefined ? cellsOf(result) : undefined;
			const row = {name: result.name, ours: ours.has(result.name), cells: cells ?? []};
			return cells ? row : {...row, failed: result.failed ?? 'no results in the record'};
		});
	};
	const index: FiguresTable = {
		caption: `Indexes: build time on one core, size on disk, and peak memory of the processes that built ${definition.queries ? 'and searched ' : ''}them.`,
		rowHeading: 'system',
		columns: [
			{heading: 'build s'},
			{heading: 'MB'},
			{heading: 'peak MB, building'},
			...(definition.queries ? [{heading: 'peak MB, searching'}] : []),
			{heading: 'version', words: true},
		],
		rows: rows(
			({built, peakBytes}) =>
				built && [
					valueCell(built.seconds),
					megabytesCell(built.bytes),
					megabytesCell(built.peakBytes),
					...(definition.queries ? [megabytesCell(peakBytes)] : []),
					textCell(built.version),
				],
		),
	};
	if (!definition.queries) {
		const building: FiguresTable = {
			caption: `Build times, medians over ${definition.rounds} rounds.`,
			rowHeading: 'system',
			columns: [{heading: 'seconds'}, {heading: `times as fast as ${definition.reference}`}],
			rows: rows(({seconds, secondsRatio}) => seconds && [figureCell(seconds), ratioCell(secondsRatio)]),
		};
		return [building, index];
	}
	const percentiles = PERCENTILES.filter(percentile => results.some(({speed}) => Object.values(speed ?? {}).some(at => at[percentile])));
	const speeds = (definition.k ?? []).map(
		(k): FiguresTable => ({
			k: String(k),
			caption: `k = ${k}: queries per second, how many times as fast as ${definition.reference}, latencies of single queries, and agreement with the hits of ${definition.reference}: queries with identical hits, and the mean share of the first ten hits of ${definition.reference} that are among the system's first ten (same@10).`,
			rowHeading: 'system',
			columns: [
				{group: 'queries per second', heading: 'wall'},
				{group: 'queries per second', heading: 'cpu'},
				{group: `× ${definition.reference}`, heading: 'wall'},
				{group: `× ${definition.reference}`, heading: 'cpu'},
				...percentiles.map(percentile => ({group: 'latency, µs', heading: labelOf(percentile)})),
				{group: 'hits', heading: 'identical'},
				{group: 'hits', heading: 'same@10'},
			],
			rows: rows(({speed}) => {
				const at = speed?.[k];
				return (
					at && [
						figureCell(at.wall),
						figureCell(at.cpu),
						ratioCell(at.wallRatio),
						ratioCell(at.cpuRatio),
						...percentiles.map(percentile => latencyCell(at[percentile])),
						identicalCell(at.agreement),
						valueCell(at.agreement?.overlapAt10, overlap => overlap.toFixed(3)),
					]
				);
			}),
		}),
	);
	return [...speeds, index];
}

/** Returns a cell with the median. There is no room for ±, so the range is only in the tooltip. */
const latencyCell = (figure: Figure | undefined): Cell => (figure ? {...valueCell(figure.median), title: range(figure)} : emptyCell);

/** Returns a cell such as `99 of 100`: the number of queries with identical hits, and the number of compared queries. */
const identicalCell = (agreement: {readonly identical: number; readonly queries: number} | undefined): Cell =>
	agreement
		? {
				...valueCell(agreement.identical, count => count.toLocaleString('en')),
				note: `of ${agreement.queries.toLocaleString('en')}`,
			}
		: emptyCell;
