// What is drawn of vectors: curves of recall against speed, or bars where search is exact, and latencies.
import {PERCENTILES} from '../latencies.ts';
import type {Bar, Bars} from '../report/plot/bars.ts';
import type {Chart} from '../report/plot/chart.ts';
import type {Ladder} from '../report/plot/ladder.ts';
import {type Look, looks, plainLooks} from '../report/plot/colors.ts';
import {range} from '../report/plot/pieces.ts';
import type {Definition} from './definition.ts';
import type {Curve, Summary} from './summary.ts';

export function vectorsCharts(definition: Definition, results: readonly Summary[]): readonly Chart[] {
	const ks = Object.keys(definition.targets);
	const entries = new Map(definition.systems.map(entry => [entry.name, entry]));
	const all = (definition.efforts ? looks : plainLooks)(results.map(({name, ours}) => ({ours, limit: entries.get(name)?.limit ?? false})));
	const shown = results.flatMap((result, i) => (result.curves ? [{...result, curves: result.curves, look: all[i]!}] : []));
	if (definition.efforts) {
		const points = (curves: Readonly<Record<string, Curve>>): Readonly<Record<string, Curve['points']>> =>
			Object.fromEntries(Object.entries(curves).map(([k, curve]) => [k, curve.points]));
		return [
			{
				kind: 'curves',
				ks,
				targets: definition.targets,
				entries: shown.map(({name, look, curves}) => ({name, look, points: points(curves)})),
			},
			...latencies(definition, shown),
		];
	}
	return [
		...[
			bars(
				ks,
				'a query at a time',
				shown.filter(({name}) => !entries.get(name)?.batch),
			),
			bars(
				ks,
				'all in one call',
				shown.filter(({name}) => entries.get(name)?.batch),
			),
		].filter(chart => chart.entries.length > 0),
		...latencies(definition, shown),
	];
}

type Shown = Summary & {readonly curves: Readonly<Record<string, Curve>>; readonly look: Look};

/** At the least recall that is compared, or of exact search; none where all are asked in batches. */
function latencies({targets}: Definition, entries: readonly Shown[]): readonly Ladder[] {
	const recalls = Object.entries(targets).flatMap(([k, [least]]) => (least === undefined ? [] : [[k, least] as const]));
	const rungs = ({at: [target]}: Curve): Ladder['entries'][number]['of'][string] =>
		target?.latency ? PERCENTILES.map(name => [name, target.latency![name]] as const) : [];
	const ladder: Ladder = {
		kind: 'ladder',
		ks: Object.keys(targets),
		...(recalls.length > 0 && {recalls: Object.fromEntries(recalls)}),
		entries: entries.map(({name, look, curves}) => ({
			name,
			look,
			of: Object.fromEntries(Object.entries(curves).map(([k, curve]) => [k, curve.at[0]?.recall === targets[k]?.[0] ? rungs(curve) : []])),
		})),
	};
	return ladder.entries.some(({of}) => Object.values(of).some(({length}) => length > 0)) ? [ladder] : [];
}

function bars(ks: readonly string[], about: string, entries: readonly Shown[]): Bars {
	return {
		kind: 'bars',
		ks,
		unit: 'queries per second',
		about,
		best: 'most',
		entries: entries.map(({name, look, curves}) => ({
			name,
			look,
			of: Object.fromEntries(Object.entries(curves).flatMap(([k, curve]) => (curve.at[0] ? [[k, bar(curve)]] : []))),
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
			more: [`× ${rival.name}: ${range(rival.wall)} by wall time`],
		}),
		...(!rival && point && {more: [`recall ${point.recall}`]}),
	};
}
