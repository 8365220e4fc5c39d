/** Panels of Figure 6: what the first k tokens of projections are, as bars of 100 per cent. */
import {escaped} from '../../../drawing/html.ts';
import {at, line, scale, text} from '../../../drawing/svg.ts';
import {grouped, percent} from '../../../drawing/format.ts';
import type {TopComposition} from '../../../vocabulary/index.ts';

const [width, height] = [330, 272];
const [left, right, top, bottom] = [40, width - 14, 12, height - 42];
const levels = [0, 20, 40, 60, 80, 100] as const;

/** The parts of a bar, from the bottom up. */
export const kinds = [
	{name: 'shared', of: ({shared}: TopComposition) => shared},
	{name: 'question alone', of: ({questionOnly}: TopComposition) => questionOnly},
	{name: 'passage alone, content', of: ({expansion}: TopComposition) => expansion},
	{name: 'passage alone, stop words', of: ({passageOnly, expansion}: TopComposition) => passageOnly - expansion},
	{name: 'neither', of: ({other}: TopComposition) => other},
] as const;

export function compositionPanel(id: string, title: string, bars: readonly TopComposition[]): string {
	const y = scale([0, 100], [bottom, top]);
	const step = (right - left) / bars.length;
	const wide = 0.66 * step;
	return [
		`<svg viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="${id}-title ${id}-desc">`,
		`<title id="${id}-title">${escaped(title)}</title>`,
		`<desc id="${id}-desc">${escaped(bars.map(bar => `First ${grouped(bar.k)}: ${kinds.map(({name, of}) => `${name} ${percent(of(bar))}`).join(', ')} per cent`).join('; '))}</desc>`,
		...levels.map(value => line([left, y(value)], [right, y(value)], value === 0 ? 'axis' : 'grid')),
		...levels.map(value => text([left - 6, y(value) + 4], String(value), 'tick end')),
		...bars.map(({k}, i) => text([left + (i + 0.5) * step, bottom + 17], grouped(k), 'tick middle')),
		text([(left + right) / 2, height - 6], 'first k tokens', 'title middle'),
		`<text transform="translate(11 ${at((top + bottom) / 2)}) rotate(-90)" class="title middle">per cent</text>`,
		...bars.flatMap((bar, i) => stacked(bar, left + (i + 0.5) * step - wide / 2, wide, y)),
		'</svg>',
	].join('\n');
}

function stacked(bar: TopComposition, x: number, wide: number, y: (share: number) => number): readonly string[] {
	let below = 0;
	return kinds.map(({name, of}, i) => {
		const share = of(bar);
		const [low, high] = [y(100 * below), y(100 * (below + share))];
		below += share;
		return `<rect x="${at(x)}" y="${at(high)}" width="${at(wide)}" height="${at(low - high)}" class="part part-${i}"><title>${escaped(`first ${grouped(bar.k)}, ${name}: ${percent(share)} %`)}</title></rect>`;
	});
}
