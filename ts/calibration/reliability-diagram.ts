/** Draws reliability diagrams, which compare confidence with accuracy, as SVG. */
import {checkArray, checkString} from '../core/checks.ts';
import {type OptionNames, checkOptions, optionNames} from '../core/options.ts';
import {escaped} from '../drawing/html.ts';
import {type Point, coordinate, line, scale, text} from '../drawing/svg.ts';
import {type BinOptions, type Prediction, type ReliabilityBin, expectedCalibrationError, reliability} from './calibration-error.ts';

/** The options of `reliabilityDiagram`. */
export interface ReliabilityDiagramOptions extends BinOptions {
	/** Heading of the diagram. @default 'Reliability' */
	readonly title?: string | undefined;
}

const diagramOptions: OptionNames = optionNames<ReliabilityDiagramOptions>({bins: true, title: true});

/**
Draws a reliability diagram (DeGroot and Fienberg, 1983; Guo et al., 2017, §2) and returns it as a self-contained SVG. For each bin of
confidences, the height of a bar is the share of correct predictions, a line marks the mean confidence, and the gap between the two is
shaded. If confidence equals accuracy, the line is at the top of the bar. The dashed diagonal shows perfect calibration. Bars below the
plot show the number of predictions in each bin. The SVG follows the light or dark color scheme of the user's system, and its description
contains the numbers for screen readers.

@example
```
const {run, confidence} = await fuseByConfidence(models, {temperature: 0.04});
const predictions = [...run].map(([query, hits]) => ({confidence: confidence.get(query)!, correct: isGold(query, hits[0]?.id)}));
await writeFile('reliability.svg', reliabilityDiagram(predictions, {title: 'MUF on SQuAD'}));
```
*/
export function reliabilityDiagram(predictions: readonly Prediction[], options: ReliabilityDiagramOptions = {}): string {
	checkArray('predictions', predictions, '{confidence, correct}');
	checkOptions('reliabilityDiagram', options, diagramOptions);
	const {title = 'Reliability'} = options;
	checkString('title', title);
	const bins = reliability(predictions, {bins: options.bins});
	const error = expectedCalibrationError(predictions, {bins: options.bins, form: 'absolute'});
	const count = predictions.length;
	const summary = `${withCommas(count)} ${count === 1 ? 'prediction' : 'predictions'}, expected calibration error ${error.toFixed(3)}`;
	const description = bins
		.filter(bin => bin.count > 0)
		.map(describe)
		.join('; ');
	return [
		`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" class="reliability" role="img">`,
		`<title>${escaped(title)}</title>`,
		`<desc>${escaped(`Accuracy by confidence: ${summary}. ${description}.`)}</desc>`,
		`<style>${style}</style>`,
		`<rect width="${WIDTH}" height="${HEIGHT}" class="paper"/>`,
		text([LEFT, 22], title, 'heading'),
		text([LEFT, 40], summary, 'quiet'),
		...axes(),
		...bins.flatMap(bin => (bin.count > 0 ? [bars(bin)] : [])),
		line([x(0), y(0)], [x(1), y(1)], 'diagonal'),
		...bins.flatMap(bin => (bin.count > 0 ? [line([x(bin.from) + 1, y(bin.confidence)], [x(bin.to) - 1, y(bin.confidence)], 'mark')] : [])),
		...counts(bins),
		'</svg>',
	].join('\n');
}

/** Size of the SVG, in pixels. */
const [WIDTH, HEIGHT] = [400, 474];
/** Edges of the plot, a square. */
const [LEFT, RIGHT, TOP, BOTTOM] = [52, 384, 58, 390];
/** Top and bottom of the bars that show the number of predictions, below the plot. */
const [COUNTS_TOP, COUNTS_BOTTOM] = [412, 436];

const x = scale([0, 1], [LEFT, RIGHT]);
const y = scale([0, 1], [BOTTOM, TOP]);

/** Draws the grid, the axes and their labels. */
function axes(): readonly string[] {
	const values = [0, 0.2, 0.4, 0.6, 0.8, 1];
	return [
		...values.map(value => line([LEFT, y(value)], [RIGHT, y(value)], value === 0 ? 'axis' : 'grid')),
		...values.map(value => text([LEFT - 8, y(value) + 4], shown(value), 'quiet end')),
		...values.map(value => text([x(value), BOTTOM + 15], shown(value), 'quiet middle')),
		`<text transform="translate(14 ${coordinate((TOP + BOTTOM) / 2)}) rotate(-90)" class="quiet middle">accuracy (bars), mean confidence (lines)</text>`,
		text([(LEFT + RIGHT) / 2, HEIGHT - 10], 'confidence, and predictions in each bin', 'quiet middle'),
	];
}

/** Draws the bar of a bin, and shades the gap between accuracy and mean confidence. */
function bars(bin: ReliabilityBin): string {
	const [low, high] = [Math.min(bin.accuracy, bin.confidence), Math.max(bin.accuracy, bin.confidence)];
	return [
		'<g class="bin">',
		`<title>${escaped(describe(bin))}</title>`,
		rectangle([x(bin.from) + 1, y(bin.accuracy)], [x(bin.to) - 1, y(0)], 'accuracy'),
		rectangle([x(bin.from) + 1, y(high)], [x(bin.to) - 1, y(low)], bin.confidence > bin.accuracy ? 'gap over' : 'gap under'),
		'</g>',
	].join('');
}

/** Draws the bars below the plot, which show the number of predictions in each bin. */
function counts(bins: readonly ReliabilityBin[]): readonly string[] {
	const max = Math.max(...bins.map(({count}) => count));
	const height = scale([0, max], [COUNTS_BOTTOM, COUNTS_TOP]);
	return [
		...bins
			.filter(({count}) => count > 0)
			.map(({from, to, count}) => rectangle([x(from) + 1, height(count)], [x(to) - 1, COUNTS_BOTTOM], 'count')),
		line([LEFT, COUNTS_BOTTOM], [RIGHT, COUNTS_BOTTOM], 'axis'),
		text([LEFT - 8, COUNTS_TOP + 8], withCommas(max), 'quiet end'),
	];
}

function rectangle([left, top]: Point, [right, bottom]: Point, style: string): string {
	const [width, height] = [Math.max(0.1, right - left), Math.max(0, bottom - top)];
	return `<rect x="${coordinate(left)}" y="${coordinate(top)}" width="${coordinate(width)}" height="${coordinate(height)}" class="${style}"/>`;
}

const describe = ({from, to, count, confidence, accuracy}: ReliabilityBin): string =>
	`confidence ${shown(from)} to ${shown(to)}: ${withCommas(count)}, mean confidence ${confidence.toFixed(3)}, accuracy ${accuracy.toFixed(3)}`;

const shown = (value: number): string => String(Number(value.toFixed(3)));
const withCommas = (count: number): string => count.toLocaleString('en');

/** Every rule is limited to the class `reliability`, because the SVG may be part of a page that has its own styles. */
const style = `
.reliability { --paper: #fffefb; --ink: #1d1d1f; --quiet: #62625e; --rule: #e4e2da; --strong: #8d8b84; --bar: #0a5fa8; --over: #b85000; }
@media screen and (prefers-color-scheme: dark) {
	.reliability { --paper: #17181a; --ink: #e6e4de; --quiet: #a3a19a; --rule: #2e2f33; --strong: #75757a; --bar: #6fb5f0; --over: #f0a04b; }
}
.reliability text { font: 12px system-ui, -apple-system, 'Segoe UI', 'Liberation Sans', 'DejaVu Sans', sans-serif; fill: var(--quiet); font-variant-numeric: tabular-nums; }
.reliability .heading { font-size: 14px; font-weight: 600; fill: var(--ink); }
.reliability .end { text-anchor: end; } .reliability .middle { text-anchor: middle; }
.reliability .paper { fill: var(--paper); }
.reliability .grid { stroke: var(--rule); } .reliability .axis { stroke: var(--strong); }
.reliability .accuracy { fill: var(--bar); opacity: .8; }
.reliability .gap.over { fill: var(--over); opacity: .28; } .reliability .gap.under { fill: var(--paper); opacity: .5; }
.reliability .diagonal { stroke: var(--strong); stroke-dasharray: 4 4; }
.reliability .mark { stroke: var(--over); stroke-width: 2; }
.reliability .count { fill: var(--strong); }
.reliability .bin:hover .accuracy { opacity: 1; }
`;
