// Arranges the charts of a benchmark definition in one SVG, which is stored next to the record.
import type {Chart} from './chart.ts';
import {standaloneSvg} from './standalone-svg.ts';

/** The width of a chart with curves, in pixels. Other charts are 1.2 times as wide. */
const WIDTH = 500;

/**
Draws the charts by wall time. A chart with curves comes first, as one row with a column per k. Below it are the other
charts: a row per k with a column per chart.
*/
export function figureOf(title: string, charts: readonly Chart[]): string {
	const cell = (chart: Chart, k: string, width: number) => ({chart, view: {k, by: 'wall' as const, hidden: new Set<string>(), width}});
	const curveRows = charts.flatMap(chart => (chart.kind === 'curves' ? [chart.ks.map(k => cell(chart, k, WIDTH))] : []));
	const others = charts.filter(({kind}) => kind !== 'curves');
	const ks = others[0]?.ks ?? [];
	return standaloneSvg(title, [...curveRows, ...ks.map(k => others.map(chart => cell(chart, k, 1.2 * WIDTH)))]);
}
