// Draws docs/images/headline-speeds.svg, a bar chart of the speedups in the README's table "How fast". Run this script after every change
// to the table, so that the chart agrees with the table: `node scripts/headline-chart.mjs`.
import {readFileSync, writeFileSync} from 'node:fs';

// All lengths are in pixels.
const WIDTH = 790;
const ROW_HEIGHT = 30;
/** Width of the labels, which are to the left of the bars. */
const LEFT = 400;
/** Width of the space to the right of the longest bar, for its number. */
const RIGHT = 70;

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
const [, table] = readme.split('| speedup |\n|---|---|---|---|\n');
const rows = table
	.split('\n\n')[0]
	.split('\n')
	.map(line => {
		const [, task, , peer, speedup] = line.split('|').map(cell => cell.trim());
		return {task, peer: peer.split(':')[0], speedup: Number(speedup)};
	});

// The scale is logarithmic, because the speedups range from 1 to 33.
const max = Math.max(...rows.map(({speedup}) => speedup));
const widthOf = speedup => (Math.log(speedup) / Math.log(max)) * (WIDTH - LEFT - RIGHT);
const text = (x, y, content, attributes) => `<text x="${x}" y="${y}" ${attributes}>${content}</text>`;

const bars = rows.flatMap(({task, peer, speedup}, i) => {
	const y = 34 + i * ROW_HEIGHT;
	const width = widthOf(speedup).toFixed(1);
	return [
		text(LEFT - 10, y + 9, task, 'text-anchor="end" class="label"'),
		text(LEFT - 10, y + 21, `compared with ${peer}`, 'text-anchor="end" class="peer"'),
		`<rect x="${LEFT}" y="${y}" width="${width}" height="20" rx="2" class="bar"/>`,
		text((LEFT + 6 + Number(width)).toFixed(1), y + 15, `${speedup}×`, 'class="label"'),
	];
});

const height = 44 + rows.length * ROW_HEIGHT;
const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" role="img">
<title>Speed of passagekit divided by the speed of another system</title>
<style>
text { font: 12px system-ui, sans-serif; fill: #24292f; }
.peer { font-size: 10px; fill: #656d76; }
.bar { fill: #2f6f9f; }
.axis { stroke: #8c959f; }
@media (prefers-color-scheme: dark) { text { fill: #e6edf3; } .peer { fill: #9198a1; } .bar { fill: #5aa2d4; } }
</style>
${text(LEFT, 18, 'speedup (logarithmic scale; the vertical line is 1×)', 'class="peer"')}
<line x1="${LEFT}" x2="${LEFT}" y1="26" y2="${height - 8}" class="axis"/>
${bars.join('\n')}
</svg>
`;
writeFileSync(new URL('../docs/images/headline-speeds.svg', import.meta.url), svg);
