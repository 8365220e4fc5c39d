// A drawing of a record as data: what a page draws again where another k, clock or width is wanted.
import {type Bars, drawBars} from './bars.ts';
import {type Curves, drawCurves} from './curves.ts';
import {type Ladder, drawLadder} from './ladder.ts';
import type {Drawn, View} from './pieces.ts';

export type Chart = Curves | Bars | Ladder;

export function draw(chart: Chart, view: View): Drawn {
	switch (chart.kind) {
		case 'curves':
			return drawCurves(chart, view);
		case 'bars':
			return drawBars(chart, view);
		case 'ladder':
			return drawLadder(chart, view);
	}
}

/** What a chart is of, as a heading and for those who do not see it. */
export function titleOf(chart: Chart, {k, by}: Pick<View, 'k' | 'by'>): string {
	const clock = by === 'wall' ? 'wall time' : 'CPU time';
	switch (chart.kind) {
		case 'curves':
			return `Queries per second at a recall, k = ${k}, by ${clock}`;
		case 'bars':
			if (chart.unit === 'texts per second') {
				return `Texts per second, ${k}, by ${clock}`;
			}
			return chart.unit === 'seconds'
				? 'Seconds of building'
				: `Queries per second${chart.about ? `, ${chart.about}` : ''}, k = ${k}, by ${clock}`;
		case 'ladder':
			return `Latency of single queries${chart.recalls ? ` at a recall of ${chart.recalls[k]}` : ''}, k = ${k}, by wall time`;
	}
}
