// Draws charts as one SVG file that includes its styles, for example for a paper: on a white background, with a title and
// legends. All lengths are in pixels.
import {type Chart, draw, titleOf} from './chart.ts';
import {COLORS, plotRules} from './colors.ts';
import {type Drawn, type View, coordinate, mark, text, widthOf} from './pieces.ts';

const MARGIN = 20;
/** The distance between two charts. */
const GAP = 36;
const TITLE_HEIGHT = 30;
const LEGEND_LINE_HEIGHT = 20;

/** Draws rows of charts. Each chart has its own view. A row with curves has a legend at its right end. */
export function standaloneSvg(title: string, rows: ReadonlyArray<ReadonlyArray<{readonly chart: Chart; readonly view: View}>>): string {
	const parts: string[] = [];
	let [top, right] = [MARGIN + TITLE_HEIGHT, 0];
	for (const row of rows) {
		const drawings = row.map(({chart, view}) => draw(chart, view));
		let left = MARGIN;
		for (const [i, drawing] of drawings.entries()) {
			const {chart, view} = row[i]!;
			parts.push(placed([left, top], drawing, titleOf(chart, view)));
			left += drawing.width + GAP;
		}
		const curves = row.find(({chart}) => chart.kind === 'curves');
		if (curves) {
			const {inside, width} = legend(curves.chart, curves.view.hidden);
			parts.push(`<g transform="translate(${left - GAP / 2} ${top + 46})">${inside}</g>`);
			left += width;
		}
		right = Math.max(right, left - GAP);
		top += Math.max(0, ...drawings.map(({height}) => height)) + GAP + 8;
	}
	const width = Math.max(right + MARGIN, 2 * MARGIN + 1.2 * widthOf([title]));
	const height = top - GAP + MARGIN;
	return [
		`<svg xmlns="http://www.w3.org/2000/svg" class="plot" width="${coordinate(width)}" height="${coordinate(height)}" viewBox="0 0 ${coordinate(width)} ${coordinate(height)}">`,
		`<style>${plotRules(color => COLORS[color][0])}</style>`,
		`<rect width="100%" height="100%" fill="${COLORS.paper[0]}"/>`,
		text([MARGIN, MARGIN + 10], title, 'title'),
		...parts,
		'</svg>',
		'',
	].join('\n');
}

/** Puts a drawing at `[left, top]`, with its title above it. */
function placed([left, top]: readonly [number, number], {inside}: Drawn, title: string): string {
	return `<g transform="translate(${left} ${top})">${text([0, 6], title, 'strong')}<g transform="translate(0 18)">${inside}</g></g>`;
}

/** Draws a legend: the line, the marker and the name of each entry. Hidden entries are left out. */
function legend({entries}: Chart, hidden: ReadonlySet<string>): {readonly inside: string; readonly width: number} {
	const shown = entries.filter(({name}) => !hidden.has(name));
	const lines = shown.map(({name, look}, i) => {
		const y = i * LEGEND_LINE_HEIGHT;
		const swatch = `<g class="${look.style}"><line x1="0" y1="${y}" x2="28" y2="${y}" class="curve"/>${mark(look.mark, [14, y], 3.5)}</g>`;
		return `${swatch}${text([36, y + 4], name, look.ours ? 'strong' : 'name')}`;
	});
	return {inside: lines.join('\n'), width: GAP / 2 + 36 + widthOf(shown.map(({name}) => name)) + 10};
}
