// The colors, line styles and markers of charts. passagekit's entries have warm colors and thick lines; other entries
// have cool or muted colors and thin lines. In both groups, the markers at data points (`mark`: circle, square, …)
// repeat after five entries.

/** How one entry looks in a chart. */
export interface Look {
	/**
	The CSS classes of the entry's SVG group: first its color, which is `o0` to `o3` (ours) for passagekit, `s0` to `s7`
	for other systems, or `limit` for a bound that no system can exceed. Then `dash1` or `dash2` if its line is dashed,
	and `ours` if its line is thick.
	*/
	readonly style: string;
	readonly mark: Mark;
	/** Whether the entry is one of passagekit's. */
	readonly ours: boolean;
}

export type Mark = (typeof MARKS)[number];

/** `down` is a triangle that points down. */
const MARKS = ['circle', 'square', 'triangle', 'diamond', 'down'] as const;

/**
The colors of the light and the dark theme: of the background (`paper`), text (`ink`), secondary text (`quiet`), grid
lines (`rule`), axes and borders (`strong`), and entries.
*/
export const COLORS = {
	paper: ['#ffffff', '#16181c'],
	ink: ['#1b1d22', '#e7e8ea'],
	quiet: ['#5b606b', '#a0a5af'],
	rule: ['#e4e6ea', '#2b2f36'],
	strong: ['#9aa0ab', '#646b77'],
	o0: ['#c8102e', '#ff5a6e'],
	o1: ['#f0642c', '#ff9d5c'],
	o2: ['#8b1452', '#f07cc0'],
	o3: ['#c98a00', '#ffd057'],
	s0: ['#2166ac', '#6fb1f2'],
	s1: ['#1a8a72', '#4fd1b3'],
	s2: ['#7650b8', '#b79bf5'],
	s3: ['#4f8a1d', '#98cf62'],
	s4: ['#0b87b5', '#4cc7ee'],
	s5: ['#7d6a4f', '#c7b08c'],
	s6: ['#6b7280', '#a9b0bd'],
	s7: ['#4d4fa8', '#9497f5'],
	limit: ['#9aa0ab', '#646b77'],
} as const satisfies Readonly<Record<string, readonly [light: string, dark: string]>>;

export type Color = keyof typeof COLORS;

/** How many colors passagekit's entries have, `o0` to `o3`. */
const OUR_COLOR_COUNT = 4;
/** How many colors other systems have, `s0` to `s7`. */
const OTHER_COLOR_COUNT = 8;
/** How many line styles there are: solid and two kinds of dashes. The next style is used when all colors are taken. */
const LINE_STYLE_COUNT = 3;

/** Returns one look per entry, in the same order. */
export function looks(entries: ReadonlyArray<{readonly ours: boolean; readonly limit?: boolean}>): readonly Look[] {
	let [ourCount, otherCount] = [0, 0];
	return entries.map(({ours, limit}) => {
		if (limit) {
			return {style: 'limit', mark: 'circle', ours: false};
		}
		const index = ours ? ourCount++ : otherCount++;
		const [prefix, colorCount] = ours ? ['o', OUR_COLOR_COUNT] : ['s', OTHER_COLOR_COUNT];
		const dash = Math.floor(index / colorCount) % LINE_STYLE_COUNT;
		return {
			style: `${prefix}${index % colorCount}${dash > 0 ? ` dash${dash}` : ''}${ours ? ' ours' : ''}`,
			mark: MARKS[index % MARKS.length]!,
			ours,
		};
	});
}

/** Returns looks for charts that label each entry directly: one color for passagekit, one for all other systems, gray for limits. */
export function plainLooks(entries: ReadonlyArray<{readonly ours: boolean; readonly limit?: boolean}>): readonly Look[] {
	return entries.map(({ours, limit}) => ({style: limit ? 'limit' : ours ? 'o0 ours' : 's0', mark: 'circle', ours}));
}

/** Returns the CSS rules for charts, all scoped to `.plot`. `colorOf` returns the CSS value of a color. */
export function plotRules(colorOf: (color: Color) => string): string {
	const groups = (Object.keys(COLORS) as readonly Color[])
		.filter(color => /^(?:[os]\d|limit)$/u.test(color))
		.map(color => `.plot .${color} { color: ${colorOf(color)}; }`);
	return `
.plot text { font: 12px system-ui, -apple-system, 'Segoe UI', 'Liberation Sans', 'DejaVu Sans', sans-serif; fill: ${colorOf('quiet')}; }
.plot text.name { fill: ${colorOf('ink')}; } .plot .strong { fill: ${colorOf('ink')}; font-weight: 600; }
.plot text.title { fill: ${colorOf('ink')}; font-size: 14px; font-weight: 600; }
.plot text.end { text-anchor: end; } .plot text.middle { text-anchor: middle; }
.plot .grid { stroke: ${colorOf('rule')}; } .plot .axis { stroke: ${colorOf('strong')}; } .plot .target { stroke: ${colorOf('strong')}; stroke-dasharray: 2 3; }
${groups.join('\n')}
.plot .curve { fill: none; stroke: currentColor; stroke-width: 1.5; stroke-linejoin: round; stroke-linecap: round; }
.plot .ours .curve { stroke-width: 3; }
.plot .dash1 .curve { stroke-dasharray: 6 4; } .plot .dash2 .curve { stroke-dasharray: 1.5 4; }
.plot .mark { fill: currentColor; stroke: ${colorOf('paper')}; stroke-width: .8; }
.plot .mark.open { fill: ${colorOf('paper')}; stroke: currentColor; stroke-width: 1.6; }
.plot .bar { fill: currentColor; opacity: .55; } .plot .ours .bar { opacity: 1; } .plot .limit .bar { opacity: .4; }
.plot .whisker { stroke: ${colorOf('ink')}; stroke-width: 1.3; } .plot .range { stroke: currentColor; stroke-width: 1.5; visibility: hidden; }
`;
}
