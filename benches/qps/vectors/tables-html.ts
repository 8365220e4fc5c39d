// Figures of vectors as tables of a page.
import {PERCENTILES} from '../latencies.ts';
import {labelOf} from '../report/plot/ladder.ts';
import {range} from '../report/plot/pieces.ts';
import type {Kept} from '../report/record.ts';
import type {Definition} from './definition.ts';
import {type Cell, type FiguresTable, type Row, figureCell, megabytes, none, ratioCell, value, words} from '../report/table-html.ts';
import type {Summary, Target} from './summary.ts';

/** The last is of all efforts measured, or there is none of them where search is exact. */
export function vectorsTables({definition, results}: Kept<Definition, Summary>): {
	readonly figures: readonly FiguresTable[];
	readonly points: readonly FiguresTable[];
} {
	const rows = (cells: (result: Summary) => readonly Cell[] | undefined): readonly Row[] =>
		results.map(result => {
			const found = result.failed === undefined ? cells(result) : undefined;
			const row = {name: result.name, ours: result.ours, cells: found ?? []};
			return found ? row : {...row, failed: result.failed ?? 'nothing was kept'};
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

type Rows = (cells: (result: Summary) => readonly Cell[] | undefined) => readonly Row[];

function atRecalls(k: string, recalls: readonly number[], rows: Rows): FiguresTable {
	return {
		k,
		caption: `k = ${k}: queries per second at a recall, and of passagekit’s how many times as fast as the fastest other by wall time. – is not reached; ≥ is of the least effort, whose recall is above.`,
		stub: 'system',
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
		caption: `k = ${k}: exact search, in queries per second, and of passagekit’s how many times as fast as the fastest other that is called alike, by wall time.`,
		stub: 'system',
		columns: [{heading: 'queries'}, {heading: 'wall'}, {heading: 'cpu'}, {heading: 'recall'}, {heading: '× fastest other'}],
		rows: rows(({queries, curves}) => {
			const [target] = curves?.[k]?.at ?? [];
			const [point] = curves?.[k]?.points ?? [];
			return (
				target &&
				point && [
					value(queries, of => of.toLocaleString('en')),
					figureCell(target.wall),
					figureCell(target.cpu),
					// What finds nothing is no search, but what none can be faster than.
					point.recall === 0 ? none : value(point.recall, String),
					rivalCell(target),
				]
			);
		}),
	};
}

/** Of those that are asked one by one; no table where there are none. */
function latencies(k: string, recalls: readonly number[], results: readonly Summary[]): readonly FiguresTable[] {
	const targets = (result: Summary): readonly Target[] => result.curves?.[k]?.at ?? [];
	const single = results.filter(result => targets(result).some(({latency}) => latency));
	if (single.length === 0) {
		return [];
	}
	const groups = recalls.length > 0 ? recalls : [undefined];
	const table: FiguresTable = {
		k,
		caption: `k = ${k}: latencies of single queries in µs${recalls.length > 0 ? ' at a recall' : ''}. Medians over rounds.`,
		stub: 'system',
		columns: groups.flatMap(recall =>
			PERCENTILES.map(name => ({...(recall !== undefined && {group: `recall ${recall}`}), heading: labelOf(name)})),
		),
		rows: single.map(result => ({
			name: result.name,
			ours: result.ours,
			cells: groups.flatMap(recall => {
				const latency = targets(result).find(at => at.recall === recall)?.latency;
				return PERCENTILES.map(name => (latency ? {...value(latency[name].median), title: range(latency[name])} : none));
			}),
		})),
	};
	return [table];
}

function rivalCell(target: Target | undefined): Cell {
	if (!target?.rival) {
		return none;
	}
	const {atLeast, rival} = target;
	const bound = atLeast && rival.atLeast ? '~' : atLeast ? '≥' : rival.atLeast ? '≤' : '';
	return ratioCell(rival.wall, {bound, to: rival.name});
}

function indexes(rows: Rows): FiguresTable {
	return {
		caption:
			'Indexes: seconds of building, megabytes on the disk, and the most memory of the processes that built and searched: in all, and (its own + mapped from files).',
		stub: 'system',
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
					value(built.seconds),
					value(built.cpuSeconds),
					megabytes(built.bytes),
					memory(built),
					memory({peakBytes, anonBytes, fileBytes}),
					words(built.version),
				],
		),
	};
}

interface Memory {
	readonly peakBytes?: number | undefined;
	readonly anonBytes?: number | undefined;
	readonly fileBytes?: number | undefined;
}

function memory({peakBytes, anonBytes, fileBytes}: Memory): Cell {
	const own = anonBytes === undefined ? {} : {beside: `(${megabytes(anonBytes).text} + ${megabytes(fileBytes).text})`};
	return {...megabytes(peakBytes), ...own};
}

function efforts(k: string, results: readonly Summary[]): FiguresTable {
	return {
		k,
		caption: `k = ${k}: all efforts measured (candidates kept; of ScaNN, leaves searched).`,
		stub: 'system',
		columns: [{heading: 'effort'}, {heading: 'recall'}, {heading: 'wall'}, {heading: 'cpu'}],
		rows: results.flatMap(({name, ours, curves}) =>
			(curves?.[k]?.points ?? []).map(({effort, recall, wall, cpu}) => ({
				name,
				ours,
				cells: [value(effort, String), value(recall, of => of.toFixed(4)), figureCell(wall), figureCell(cpu)],
			})),
		),
	};
}
