/** Figures 5 and 7: box plots of the ranks of shared tokens, by the rank of the passage. Ranks have a logarithmic axis. */
import {escaped} from '../../../drawing/html.ts';
import {type Point, at, line, scale, text} from '../../../drawing/svg.ts';
import {grouped, many} from '../../../drawing/format.ts';
import {groupLabel, shownRank} from '../rank-groups.ts';
import type {AmnesiaGroup, RankQuantiles} from '../../../vocabulary/index.ts';

const [width, height] = [330, 272];
const [left, right, top, bottom] = [62, width - 14, 12, height - 42];

export function amnesiaPanel(
	id: string,
	title: string,
	groups: readonly AmnesiaGroup[],
	quantilesOf: (group: AmnesiaGroup) => RankQuantiles,
	highest: number,
): string {
	const powers = Array.from({length: Math.floor(Math.log10(highest)) + 1}, (_, power) => power);
	const y = scale([0, Math.log10(highest)], [bottom, top]);
	const step = (right - left) / Math.max(1, groups.length);
	const wide = Math.min(46, 0.5 * step);
	return [
		`<svg viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="${id}-title ${id}-desc">`,
		`<title id="${id}-title">${escaped(title)}</title>`,
		`<desc id="${id}-desc">${escaped(groups.map(group => `Passage at rank ${groupLabel(group)}: median ${shownRank(quantilesOf(group).median)}`).join('; '))}</desc>`,
		...powers.map(power => line([left, y(power)], [right, y(power)], power === 0 ? 'axis' : 'grid')),
		...powers.map(power => text([left - 6, y(power) + 4], grouped(10 ** power), 'tick end')),
		...groups.map((group, i) => text([left + (i + 0.5) * step, bottom + 17], groupLabel(group), 'tick middle')),
		text([(left + right) / 2, height - 6], 'rank of the passage', 'title middle'),
		`<text transform="translate(11 ${at((top + bottom) / 2)}) rotate(-90)" class="title middle">rank of tokens</text>`,
		...groups.map((group, i) => box(left + (i + 0.5) * step, wide, quantilesOf(group), rank => y(Math.log10(rank)), group, i === 0)),
		'</svg>',
	].join('\n');
}

function box(x: number, wide: number, of: RankQuantiles, y: (rank: number) => number, group: AmnesiaGroup, found: boolean): string {
	const [from, to]: readonly [Point, Point] = [
		[x - wide / 2, y(of.thirdQuartile)],
		[x + wide / 2, y(of.firstQuartile)],
	];
	return [
		`<g class="${found ? 'found' : 'missed'}">`,
		line([x, y(of.low)], [x, y(of.firstQuartile)], 'whisker'),
		line([x, y(of.thirdQuartile)], [x, y(of.high)], 'whisker'),
		`<rect x="${at(from[0])}" y="${at(from[1])}" width="${at(to[0] - from[0])}" height="${at(Math.max(1, to[1] - from[1]))}" class="box"><title>${escaped(`${many(group.questions, 'question')}: median ${shownRank(of.median)}, quartiles ${shownRank(of.firstQuartile)} and ${shownRank(of.thirdQuartile)}`)}</title></rect>`,
		line([from[0], y(of.median)], [to[0], y(of.median)], 'median'),
		text([x, y(of.median) - 5], shownRank(of.median), 'label halo middle'),
		'</g>',
	].join('\n');
}
