// The drawings of a definition as one SVG for papers.
import type {Chart} from './plot/chart.ts';
import {paper} from './plot/paper.ts';

/** Of a drawing, in pixels. */
const WIDTH = 500;

/** By wall time. Of curves a column of each k; of others a column of each chart, and a row of each k. */
export function figureOf(title: string, charts: readonly Chart[]): string {
	const panel = (chart: Chart, k: string, width: number) => ({chart, view: {k, by: 'wall' as const, hidden: new Set<string>(), width}});
	const rows = charts.flatMap(chart => (chart.kind === 'curves' ? [chart.ks.map(k => panel(chart, k, WIDTH))] : []));
	const others = charts.filter(({kind}) => kind !== 'curves');
	const ks = others[0]?.ks ?? [];
	return paper(title, [...rows, ...ks.map(k => others.map(chart => panel(chart, k, 1.2 * WIDTH)))]);
}
