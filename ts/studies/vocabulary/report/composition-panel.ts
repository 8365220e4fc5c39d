/**
Draws the panels of the report's Figure 6, as in Ram et al. (2023): the composition of the first k tokens of
projections, as bars whose parts add up to 100 percent.
*/
import {drawingStart, horizontalGrid, verticalTitle} from '../../../drawing/axes.ts';
import {escaped} from '../../../drawing/html.ts';
import {coordinate, scale, text} from '../../../drawing/svg.ts';
import {withCommas, percent} from '../../../drawing/format.ts';
import type {TopComposition} from '../../../vocabulary/index.ts';

const [width, height] = [330, 272];
const [left, right, top, bottom] = [40, width - 14, 12, height - 42];
/** Percentages at which the panel has horizontal lines. */
const levels = [0, 20, 40, 60, 80, 100] as const;

/**
The parts of a bar, from bottom to top. "Only" means that a token is not in the other text. Content tokens are neither
stop words nor punctuation marks.
*/
export const barParts = [
	{name: 'shared', shareOf: ({shared}: TopComposition) => shared},
	{name: 'question only', shareOf: ({questionOnly}: TopComposition) => questionOnly},
	{name: 'passage only, content', shareOf: ({expansion}: TopComposition) => expansion},
	{name: 'passage only, not content', shareOf: ({passageOnly, expansion}: TopComposition) => passageOnly - expansion},
	{name: 'neither', shareOf: ({other}: TopComposition) => other},
] as const;

/** Draws a panel with one bar for each k. */
export function compositionPanel(id: string, title: string, bars: readonly TopComposition[]): string {
	const y = scale([0, 100], [bottom, top]);
	const step = (right - left) / bars.length;
	const barWidth = 0.66 * step;
	return [
		...drawingStart({
			id,
			width,
			height,
			title,
			description: bars
				.map(
					bar => `First ${withCommas(bar.k)}: ${barParts.map(({name, shareOf}) => `${name} ${percent(shareOf(bar))}`).join(', ')} percent`,
				)
				.join('; '),
		}),
		...horizontalGrid({values: levels, y, left, right, gap: 6}),
		...bars.map(({k}, i) => text([left + (i + 0.5) * step, bottom + 17], withCommas(k), 'tick middle')),
		text([(left + right) / 2, height - 6], 'first k tokens', 'title middle'),
		verticalTitle((top + bottom) / 2, 'percent'),
		...bars.flatMap((bar, i) => stackedBar(bar, left + (i + 0.5) * step - barWidth / 2, barWidth, y)),
		'</svg>',
	].join('\n');
}

/** Draws one bar, whose left edge is at `x`. `y` maps percentages to vertical coordinates. */
function stackedBar(bar: TopComposition, x: number, barWidth: number, y: (percentage: number) => number): readonly string[] {
	let below = 0;
	return barParts.map(({name, shareOf}, i) => {
		const share = shareOf(bar);
		const [low, high] = [y(100 * below), y(100 * (below + share))];
		below += share;
		return `<rect x="${coordinate(x)}" y="${coordinate(high)}" width="${coordinate(barWidth)}" height="${coordinate(low - high)}" class="part part-${i}"><title>${escaped(`first ${withCommas(bar.k)}, ${name}: ${percent(share)}%`)}</title></rect>`;
	});
}
