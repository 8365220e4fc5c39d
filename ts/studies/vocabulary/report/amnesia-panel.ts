/**
Draws the panels of the report's Figures 5 and 7, as in Ram et al. (2023): box plots of the ranks of shared tokens in a
projection, by the rank that dense retrieval gives to the passage. Shared tokens are in both question and passage. The
axis of token ranks is logarithmic.
*/
import {drawingStart, horizontalGrid, verticalTitle} from '../../../drawing/axes.ts';
import {escaped} from '../../../drawing/html.ts';
import {type Point, coordinate, line, scale, text} from '../../../drawing/svg.ts';
import {withCommas, counted} from '../../../drawing/format.ts';
import {groupLabel, shownRank} from '../rank-groups.ts';
import type {AmnesiaGroup, RankQuantiles} from '../../../vocabulary/index.ts';

const [width, height] = [330, 272];
const [left, right, top, bottom] = [62, width - 14, 12, height - 42];

/** Draws a panel. `maxRank` is the worst possible rank of a token: the size of the vocabulary. */
export function amnesiaPanel(
	id: string,
	title: string,
	groups: readonly AmnesiaGroup[],
	quantilesOf: (group: AmnesiaGroup) => RankQuantiles,
	maxRank: number,
): string {
	const powers = Array.from({length: Math.floor(Math.log10(maxRank)) + 1}, (_, power) => power);
	const y = scale([0, Math.log10(maxRank)], [bottom, top]);
	const step = (right - left) / Math.max(1, groups.length);
	const boxWidth = Math.min(46, 0.5 * step);
	return [
		...drawingStart({
			id,
			width,
			height,
			title,
			description: groups.map(group => `Passage at rank ${groupLabel(group)}: median ${shownRank(quantilesOf(group).median)}`).join('; '),
		}),
		...horizontalGrid({values: powers, y, left, right, gap: 6, labelOf: power => withCommas(10 ** power)}),
		...groups.map((group, i) => text([left + (i + 0.5) * step, bottom + 17], groupLabel(group), 'tick middle')),
		text([(left + right) / 2, height - 6], 'rank of the passage', 'title middle'),
		verticalTitle((top + bottom) / 2, 'rank of tokens'),
		...groups.map((group, i) =>
			boxPlot(group, quantilesOf(group), {x: left + (i + 0.5) * step, boxWidth, y: rank => y(Math.log10(rank)), isFound: i === 0}),
		),
		'</svg>',
	].join('\n');
}

interface BoxPlacement {
	/** Horizontal coordinate of the middle of the box. */
	readonly x: number;
	readonly boxWidth: number;
	/** Maps a rank to a vertical coordinate. */
	readonly y: (rank: number) => number;
	/** Whether this is the first group, whose passages dense retrieval ranks best. It has a color of its own. */
	readonly isFound: boolean;
}

/** Draws a box between the quartiles, whiskers to the 5th and the 95th percentile, and the median with its value. */
function boxPlot({questions}: AmnesiaGroup, ranks: RankQuantiles, {x, boxWidth, y, isFound}: BoxPlacement): string {
	const [topLeft, bottomRight]: readonly [Point, Point] = [
		[x - boxWidth / 2, y(ranks.thirdQuartile)],
		[x + boxWidth / 2, y(ranks.firstQuartile)],
	];
	return [
		`<g class="${isFound ? 'found' : 'missed'}">`,
		line([x, y(ranks.low)], [x, y(ranks.firstQuartile)], 'whisker'),
		line([x, y(ranks.thirdQuartile)], [x, y(ranks.high)], 'whisker'),
		`<rect x="${coordinate(topLeft[0])}" y="${coordinate(topLeft[1])}" width="${coordinate(bottomRight[0] - topLeft[0])}" height="${coordinate(Math.max(1, bottomRight[1] - topLeft[1]))}" class="box"><title>${escaped(`${counted(questions, 'question')}: median ${shownRank(ranks.median)}, quartiles ${shownRank(ranks.firstQuartile)} and ${shownRank(ranks.thirdQuartile)}`)}</title></rect>`,
		line([topLeft[0], y(ranks.median)], [bottomRight[0], y(ranks.median)], 'median'),
		text([x, y(ranks.median) - 5], shownRank(ranks.median), 'label halo middle'),
		'</g>',
	].join('\n');
}
