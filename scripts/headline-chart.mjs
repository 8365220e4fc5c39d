// Draws docs/images/headline-speeds.svg from the table "How fast" of the README, so that the two agree. Run it after every change
// of the table: `node scripts/headline-chart.mjs`.
import {readFileSync, writeFileSync} from 'node:fs';

const WIDTH = 760;
const ROW = 30;
const LEFT = 372;
const RIGHT = 70;

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
const [, table] = readme.split('| speedup |\n|---|---|---|---|\n');
const rows = table
	.split('\n\n')[0]
	.split('\n')
	.map(line => {
		const [, job, , peer, times] = line.split('|').map(cell => cell.trim());
		return {job, peer: peer.split(':')[0], times: Number(times)};
	});

// A logarithmic scale: the ratios span 1 to 33.
const most = Math.max(...rows.map(({times}) => times));
const widthOf = times => (Math.log(times) / Math.log(most)) * (WIDTH - LEFT - RIGHT);
const text = (x, y, content, attributes) => `<text x="${x}" y="${y}" ${attributes}>${content}</text>`;

const bars = rows.flatMap(({job, peer, times}, i) => {
	const y = 34 + i * ROW;
	return [
		text(LEFT - 10, y + 9, job, 'text-anchor="end" class="label"'),
		text(LEFT - 10, y + 21, `beside ${peer}`, 'text-anchor="end" class="peer"'),
		`<rect x="${LEFT}" y="${y}" width="${widthOf(times).toFixed(1)}" height="20" rx="2" class="bar"/>`,
		text(LEFT + 6 + widthOf(times), y + 15, `${times}×`, 'class="label"'),
	];
});

const height = 44 + rows.length * ROW;
const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" role="img">
<title>passagekit's speed as a multiple of other systems'</title>
<style>
text { font: 12px system-ui, sans-serif; fill: #24292f; }
.peer { font-size: 10px; fill: #656d76; }
.bar { fill: #2f6f9f; }
.axis { stroke: #8c959f; }
@media (prefers-color-scheme: dark) { text { fill: #e6edf3; } .peer { fill: #9198a1; } .bar { fill: #5aa2d4; } }
</style>
${text(LEFT, 18, 'speedup (logarithmic scale; the line is 1×)', 'class="peer"')}
<line x1="${LEFT}" x2="${LEFT}" y1="26" y2="${height - 8}" class="axis"/>
${bars.join('\n')}
</svg>
`;
writeFileSync(new URL('../docs/images/headline-speeds.svg', import.meta.url), svg);
