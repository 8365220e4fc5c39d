// The tables of a record of vector search, for the report page.
import {labelOf} from '../../report/plot/latencies.ts';
import {range} from '../../report/plot/pieces.ts';
import type {TypedRecord} from '../../report/records/record.ts';
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
import type {Definition} from '../definition.ts';
import type {Summary, Target} from '../results/summary.ts';

/**
Returns `figures`, the tables of speeds, latencies and indexes, and `points`, the tables of all efforts that were
measured. Exact search has no `points`.
*/
export function vectorsTables({definition, results}: TypedRecord<Definition, Summary>): {
	readonly figures: readonly FiguresTable[];
	readonly points: readonly FiguresTable[];
} {
	const rows = (cellsOf: (result: Summary) => readonly Cell[] | undefined): readonly Row[] =>
		results.map(result => {
			const cells = result.failed === undefined ? cellsOf(result) : undefined;
			const row = {name: result.name, ours: result.ours, cells: cells ?? []};
			return cells ? row : {...row, failed: result.failed ?? 'no results in the record'};
		});
	const ks = Object.entries(definition.targets);
	return {
		figures: [
			...ks.map(([k, recalls]) => (definition.efforts ? atRecalls(k, recalls, rows) : exact(k, rows))),
			...ks.flatMap(([k, recalls]) => latencies(k, recalls, results)),
			indexes(rows),
		],
		points: definition.efforts ? ks.map(([k]) => efforts(k, results)) : [],
	};
}

type Rows = (cellsOf: (result: Summary) => readonly Cell[] | undefined) => readonly Row[];

function atRecalls(k: string, recalls: readonly number[], rows: Rows): FiguresTable {
	return {
		k,
		caption: `k = ${k}: queries per second at each recall, and how many times as fast passagekit is as the fastest other system, by wall time. Systems that are called from Node are compared only with each other. – means that the recall is not reached. ≥ marks a lower bound: even the smallest effort has a higher recall. In ratios, ≤ marks an upper bound, and ~ a ratio of two lower bounds.`,
		rowHeading: 'system',
		columns: recalls.flatMap(recall => {
			const group = `recall ${recall}`;
			return [
				{group, heading: 'wall'},
				{group, heading: 'cpu'},
				{group, heading: '× fastest other'},
			];
		}),
		rows: rows(
			({curves}) =>
				curves &&
				recalls.flatMap(recall => {
					const target = curves[k]?.at.find(at => at.recall === recall);
					const bound = target?.atLeast ? '≥' : '';
					return [figureCell(target?.wall, bound), figureCell(target?.cpu, bound), rivalCell(target)];
				}),
		),
	};
}

function exact(k: string, rows: Rows): FiguresTable {
	return {
		k,
		caption: `k = ${k}: exact search in queries per second, and how many times as fast passagekit is as the fastest other system that is called in the same way, by wall time.`,
		rowHeading: 'system',
		columns: [{heading: 'queries'}, {heading: 'wall'}, {heading: 'cpu'}, {heading: 'recall'}, {heading: '× fastest other'}],
		rows: rows(({queries, curves}) => {
			const [target] = curves?.[k]?.at ?? [];
			const [point] = curves?.[k]?.points ?? [];
			return (
				target &&
				point && [
					valueCell(queries, count => count.toLocaleString('en')),
					figureCell(target.wall),
					figureCell(target.cpu),
					// A recall of 0 means a `limit` entry, which does not search.
					point.recall === 0 ? emptyCell : valueCell(point.recall, String),
					rivalCell(target),
				]
			);
		}),
	};
}

/** Returns one table of the entries that get queries one at a time, or no table if there are no such entries. */
function latencies(k: string, recalls: readonly number[], results: readonly Summary[]): readonly FiguresTable[] {
	const targets = (result: Summary): readonly Target[] => result.curves?.[k]?.at ?? [];
	const single = results.filter(result => targets(result).some(({latency}) => latency));
	if (single.length === 0) {
		return [];
	}
	const groups = recalls.length > 0 ? recalls : [undefined];
	const table: FiguresTable = {
		k,
		caption: `k = ${k}: latencies of single queries in µs${recalls.length > 0 ? ' at each recall' : ''}. Medians over rounds.`,
		rowHeading: 'system',
		columns: groups.flatMap(recall =>
			PERCENTILES.map(name => ({...(recall !== undefined && {group: `recall ${recall}`}), heading: labelOf(name)})),
		),
		rows: single.map(result => ({
			name: result.name,
			ours: result.ours,
			cells: groups.flatMap(recall => {
				const latency = targets(result).find(at => at.recall === recall)?.latency;
				return PERCENTILES.map(name => (latency ? {...valueCell(latency[name].median), title: range(latency[name])} : emptyCell));
			}),
		})),
	};
	return [table];
}

function rivalCell(target: Target | undefined): Cell {
	if (!target?.rival) {
		return emptyCell;
	}
	const {atLeast, rival} = target;
	const bound = atLeast && rival.atLeast ? '~' : atLeast ? '≥' : rival.atLeast ? '≤' : '';
	return ratioCell(rival.wall, {bound, to: rival.name});
}

function indexes(rows: Rows): FiguresTable {
	return {
		caption:
			'Indexes: build time, size on disk, and peak memory of the processes that built and searched; in parentheses, the peaks of their own memory and of memory mapped from files.',
		rowHeading: 'system',
		columns: [
			{heading: 'build s'},
			{heading: 'build CPU s'},
			{heading: 'MB'},
			{heading: 'peak MB, building'},
			{heading: 'peak MB, searching'},
			{heading: 'version', words: true},
		],
		rows: rows(
			({built, peakBytes, anonBytes, fileBytes}) =>
				built && [
					valueCell(built.seconds),
					valueCell(built.cpuSeconds),
					megabytesCell(built.bytes),
					memoryCell(built),
					memoryCell({peakBytes, anonBytes, fileBytes}),
					textCell(built.version),
				],
		),
	};
}

interface Memory {
	readonly peakBytes?: number | undefined;
	readonly anonBytes?: number | undefined;
	readonly fileBytes?: number | undefined;
}

function memoryCell({peakBytes, anonBytes, fileBytes}: Memory): Cell {
	const parts = anonBytes === undefined ? {} : {note: `(${megabytesCell(anonBytes).text} + ${megabytesCell(fileBytes).text})`};
	return {...megabytesCell(peakBytes), ...parts};
}

function efforts(k: string, results: readonly Summary[]): FiguresTable {
	return {
		k,
		caption: `k = ${k}: all efforts measured (the size of the candidate list; for ScaNN, the number of leaves searched).`,
		rowHeading: 'system',
		columns: [{heading: 'effort'}, {heading: 'recall'}, {heading: 'wall'}, {heading: 'cpu'}],
		rows: results.flatMap(({name, ours, curves}) =>
			(curves?.[k]?.points ?? []).map(({effort, recall, wall, cpu}) => ({
				name,
				ours,
				cells: [valueCell(effort, String), valueCell(recall, recall => recall.toFixed(4)), figureCell(wall), figureCell(cpu)],
			})),
		),
	};
}
