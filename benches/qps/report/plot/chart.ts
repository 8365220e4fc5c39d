// A chart of a benchmark record, as data. When Node writes the report page, it draws the chart once for each k. The page
// also has the data as JSON, so that its script can redraw the chart for another k, clock (wall or CPU time) or width.
import {type Bars, drawBars} from './bars.ts';
import {type Curves, drawCurves} from './curves.ts';
import {type LatencyChart, drawLatencies} from './latencies.ts';
import type {Drawn, View} from './pieces.ts';

export type Chart = Curves | Bars | LatencyChart;

export function draw(chart: Chart, view: View): Drawn {
	switch (chart.kind) {
		case 'curves':
			return drawCurves(chart, view);
		case 'bars':
			return drawBars(chart, view);
		case 'latencies':
			return drawLatencies(chart, view);
	}
}

/** Returns the title of a chart, which is also its text alternative. In charts of encoding, `k` is the name of a task. */
export function titleOf(chart: Chart, {k, by}: Pick<View, 'k' | 'by'>): string {
	const clock = by === 'wall' ? 'wall time' : 'CPU time';
	switch (chart.kind) {
		case 'curves':
			return `Queries per second at each recall, k = ${k}, by ${clock}`;
		case 'bars':
			if (chart.unit === 'texts per second') {
				return `Texts per second, ${k}, by ${clock}`;
			}
			return chart.unit === 'seconds'
				? 'Build time in seconds'
				: `Queries per second${chart.about ? `, ${chart.about}` : ''}, k = ${k}, by ${clock}`;
		case 'latencies':
			return `Latency of single queries${chart.recalls ? ` at a recall of ${chart.recalls[k]}` : ''}, k = ${k}, by wall time`;
	}
}
