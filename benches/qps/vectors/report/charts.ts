// The charts of a record of vector search: a chart of speed against recall, or bar charts for exact search; and a chart of
// latencies.
import type {Bar, Bars} from '../../report/plot/bars.ts';
import type {Chart} from '../../report/plot/chart.ts';
import {type Look, looks, plainLooks} from '../../report/plot/colors.ts';
import type {LatencyChart, PercentileFigures} from '../../report/plot/latencies.ts';
import {range} from '../../report/plot/pieces.ts';
import {PERCENTILES} from '../../statistics/latencies.ts';
import type {Definition} from '../definition.ts';
import type {Curve, Summary} from '../results/summary.ts';

/** Returns the charts of a definition and its results. Entries that were not measured are left out. */
export function vectorsCharts(definition: Definition, results: readonly Summary[]): readonly Chart[] {
	const ks = Object.keys(definition.targets);
	const entryOf = new Map(definition.systems.map(entry => [entry.name, entry]));
	const allLooks = (definition.efforts ? looks : plainLooks)(
		results.map(({name, ours}) => ({ours, limit: entryOf.get(name)?.limit ?? false})),
	);
	const measured = results.flatMap((result, i) => (result.curves ? [{...result, curves: result.curves, look: allLooks[i]!}] : []));
	if (definition.efforts) {
		const points = (curves: Readonly<Record<string, Curve>>): Readonly<Record<string, Curve['points']>> =>
			Object.fromEntries(Object.entries(curves).map(([k, curve]) => [k, curve.points]));
		return [
			{
				kind: 'curves',
				ks,
				targets: definition.targets,
				entries: measured.map(({name, look, curves}) => ({name, look, points: points(curves)})),
			},
			...latencies(definition, measured),
		];
	}
	const single = measured.filter(({name}) => !entryOf.get(name)?.batch);
	const batch = measured.filter(({name}) => entryOf.get(name)?.batch);
	return [
		...[bars(ks, 'one query at a time', single), bars(ks, 'all queries in one call', batch)].filter(chart => chart.entries.length > 0),
		...latencies(definition, measured),
	];
}

type MeasuredEntry = Summary & {readonly curves: Readonly<Record<string, Curve>>; readonly look: Look};

/**
Returns one chart of the latencies of exact search or, for approximate search, of the latencies at the smallest target
recall of each k. Returns no chart if all entries get their queries as a batch.
*/
function latencies({targets}: Definition, entries: readonly MeasuredEntry[]): readonly LatencyChart[] {
	const recalls = Object.entries(targets).flatMap(([k, [smallest]]) => (smallest === undefined ? [] : [[k, smallest] as const]));
	const percentiles = ({at: [target]}: Curve): PercentileFigures =>
		target?.latency ? PERCENTILES.map(name => [name, target.latency![name]] as const) : [];
	const chart: LatencyChart = {
		kind: 'latencies',
		ks: Object.keys(targets),
		...(recalls.length > 0 && {recalls: Object.fromEntries(recalls)}),
		entries: entries.map(({name, look, curves}) => ({
			name,
			look,
			percentiles: Object.fromEntries(
				Object.entries(curves).map(([k, curve]) => [k, curve.at[0]?.recall === targets[k]?.[0] ? percentiles(curve) : []]),
			),
		})),
	};
	const isEmpty = chart.entries.every(({percentiles}) => Object.values(percentiles).every(({length}) => length === 0));
	return isEmpty ? [] : [chart];
}

/** Returns a bar chart of exact search. `about` says how its entries get their queries. */
function bars(ks: readonly string[], about: string, entries: readonly MeasuredEntry[]): Bars {
	return {
		kind: 'bars',
		ks,
		unit: 'queries per second',
		about,
		best: 'highest',
		entries: entries.map(({name, look, curves}) => ({
			name,
			look,
			bars: Object.fromEntries(Object.entries(curves).flatMap(([k, curve]) => (curve.at[0] ? [[k, bar(curve)]] : []))),
		})),
	};
}

function bar({at: [target], points: [point]}: Curve): Bar {
	const {wall, cpu, rival} = target!;
	return {
		wall,
		cpu,
		...(rival && {
			note: {wall: `×${rival.wall.median.toFixed(2)}`, cpu: `×${rival.cpu.median.toFixed(2)}`},
			details: [`× ${rival.name}: ${range(rival.wall)} by wall time`],
		}),
		...(!rival && point && {details: [`recall ${point.recall}`]}),
	};
}
