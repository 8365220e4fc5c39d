// Figures of BM25 as tables of a page.
import {PERCENTILES} from '../latencies.ts';
import {type Kept, ourNames} from '../report/record.ts';
import {range} from '../report/plot/pieces.ts';
import {labelOf} from '../report/plot/ladder.ts';
import {type Cell, type FiguresTable, type Row, figureCell, megabytes, none, ratioCell, value, words} from '../report/table-html.ts';
import type {Figure} from '../statistics.ts';
import type {Definition, Result} from './definition.ts';

export function bm25Tables(record: Kept<Definition, Result>): readonly FiguresTable[] {
	const {definition, results} = record;
	const rows = (cells: (result: Result) => readonly Cell[] | undefined): readonly Row[] => {
		const own = ourNames(record);
		return results.map(result => {
			const found = result.failed === undefined ? cells(result) : undefined;
			const row = {name: result.name, ours: own.has(result.name), cells: found ?? []};
			return found ? row : {...row, failed: result.failed ?? 'nothing was kept'};
		});
	};
	const index: FiguresTable = {
		caption:
			'Indexes: seconds of building on one core, megabytes on the disk, and the most memory of the processes that built and searched.',
		stub: 'system',
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
					value(built.seconds),
					megabytes(built.bytes),
					megabytes(built.peakBytes),
					...(definition.queries ? [megabytes(peakBytes)] : []),
					words(built.version),
				],
		),
	};
	if (!definition.queries) {
		const building: FiguresTable = {
			caption: `Building, medians over ${definition.rounds} rounds.`,
			stub: 'system',
			columns: [{heading: 'seconds'}, {heading: `times as fast as ${definition.reference}`}],
			rows: rows(({seconds, secondsRatio}) => seconds && [figureCell(seconds), ratioCell(secondsRatio)]),
		};
		return [building, index];
	}
	const percentiles = PERCENTILES.filter(percentile => results.some(({speed}) => Object.values(speed ?? {}).some(at => at[percentile])));
	const speeds = (definition.k ?? []).map(
		(k): FiguresTable => ({
			k: String(k),
			caption: `k = ${k}: queries per second, how many times as fast as ${definition.reference}, latencies of single queries in µs, and queries whose hits are those of ${definition.reference}.`,
			stub: 'system',
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
						...percentiles.map(percentile => latency(at[percentile])),
						at.agreement
							? {...value(at.agreement.identical, of => of.toLocaleString('en')), beside: `of ${at.agreement.queries.toLocaleString('en')}`}
							: none,
						value(at.agreement?.overlapAt10, overlap => overlap.toFixed(3)),
					]
				);
			}),
		}),
	);
	return [...speeds, index];
}

/** Without what rounds are apart, for which there is no room. */
const latency = (figure: Figure | undefined): Cell => (figure ? {...value(figure.median), title: range(figure)} : none);
