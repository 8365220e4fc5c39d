// How entries look in all drawings: passagekit's warm and strong, others cool and thin, each with a mark of its own.

/** A look: `o0`… passagekit's, `s0`… others', `limit` what none can be faster than. */
export interface Look {
	/** Classes of a group in a drawing. */
	readonly style: string;
	readonly mark: Mark;
	readonly ours: boolean;
}

export type Mark = (typeof MARKS)[number];

const MARKS = ['circle', 'square', 'triangle', 'diamond', 'down'] as const;

/** Colours on white and on a dark ground, by what they are for. */
export const COLOURS = {
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

export type Colour = keyof typeof COLOURS;

const OURS = 4;
const OTHERS = 8;
const DASHES = 3;

/** Looks of entries in their order; there are as many as there are entries. */
export function looks(entries: ReadonlyArray<{readonly ours: boolean; readonly limit?: boolean}>): readonly Look[] {
	let [own, others] = [0, 0];
	return entries.map(({ours, limit}) => {
		if (limit) {
			return {style: 'limit', mark: 'circle', ours: false};
		}
		const at = ours ? own++ : others++;
		const [prefix, colours] = ours ? ['o', OURS] : ['s', OTHERS];
		const dash = Math.floor(at / colours) % DASHES;
		return {
			style: `${prefix}${at % colours}${dash > 0 ? ` dash${dash}` : ''}${ours ? ' ours' : ''}`,
			mark: MARKS[at % MARKS.length]!,
			ours,
		};
	});
}

/** Where entries are named beside what is drawn of them: passagekit's in one colour, others in another. */
export function plainLooks(entries: ReadonlyArray<{readonly ours: boolean; readonly limit?: boolean}>): readonly Look[] {
	return entries.map(({ours, limit}) => ({style: limit ? 'limit' : ours ? 'o0 ours' : 's0', mark: 'circle', ours}));
}

/** The rules of drawings, each below `.plot`; `colourOf` says what stands for a colour. */
export function plotRules(colourOf: (colour: Colour) => string): string {
	const groups = (Object.keys(COLOURS) as readonly Colour[])
		.filter(colour => /^(?:[os]\d|limit)$/u.test(colour))
		.map(colour => `.plot .${colour} { color: ${colourOf(colour)}; }`);
	return `
.plot text { font: 12px system-ui, -apple-system, 'Segoe UI', 'Liberation Sans', 'DejaVu Sans', sans-serif; fill: ${colourOf('quiet')}; }
.plot text.name { fill: ${colourOf('ink')}; } .plot .strong { fill: ${colourOf('ink')}; font-weight: 600; }
.plot text.title { fill: ${colourOf('ink')}; font-size: 14px; font-weight: 600; }
.plot text.end { text-anchor: end; } .plot text.middle { text-anchor: middle; }
.plot .grid { stroke: ${colourOf('rule')}; } .plot .axis { stroke: ${colourOf('strong')}; } .plot .target { stroke: ${colourOf('strong')}; stroke-dasharray: 2 3; }
${groups.join('\n')}
.plot .curve { fill: none; stroke: currentColor; stroke-width: 1.5; stroke-linejoin: round; stroke-linecap: round; }
.plot .ours .curve { stroke-width: 3; }
.plot .dash1 .curve { stroke-dasharray: 6 4; } .plot .dash2 .curve { stroke-dasharray: 1.5 4; }
.plot .mark { fill: currentColor; stroke: ${colourOf('paper')}; stroke-width: .8; }
.plot .mark.open { fill: ${colourOf('paper')}; stroke: currentColor; stroke-width: 1.6; }
.plot .bar { fill: currentColor; opacity: .55; } .plot .ours .bar { opacity: 1; } .plot .limit .bar { opacity: .4; }
.plot .whisker { stroke: ${colourOf('ink')}; stroke-width: 1.3; } .plot .range { stroke: currentColor; stroke-width: 1.5; visibility: hidden; }
`;
}
