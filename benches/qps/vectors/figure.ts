// Curves of recall against queries per second as an SVG that needs nothing else.
import type {Definition} from './measure.ts';
import type {Summary} from './summary.ts';

const PANEL = {width: 460, height: 420, left: 62, top: 56, bottom: 52, gap: 70};
const LEGEND = {width: 250, line: 20};
/** Recalls on the axis, which is linear in −log₁₀(1 − recall): .90 to .99 is as far as .99 to .999. */
const RECALLS = [0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 0.999];
/** Of others, who get dashes where there are more of them. */
const COLOURS = ['#1f77b4', '#2ca02c', '#9467bd', '#8c564b', '#e377c2', '#17becf', '#bcbd22', '#7f7f7f'];
const OURS = ['#d62728', '#111111', '#ff7f0e', '#555555'];
const DASHES = ['', '6 3', '2 3', '8 3 2 3'];

interface Line {
	readonly name: string;
	readonly ours: boolean;
	readonly colour: string;
	readonly dash: string;
	readonly points: Readonly<Record<string, ReadonlyArray<readonly [recall: number, speed: number]>>>;
}

/** A panel of each k; queries per second of wall time, medians over rounds. */
export function drawn({about, data, rows, targets}: Definition, results: readonly Summary[]): string {
	const lines = linesOf(results);
	// The greatest k first, as in tables of peers.
	const ks = Object.keys(targets).toReversed();
	const width = PANEL.left + ks.length * (PANEL.width + PANEL.gap) + LEGEND.width;
	const height = PANEL.top + PANEL.height + PANEL.bottom;
	const panels = ks.map((k, at) => panel(k, targets[k]!, PANEL.left + at * (PANEL.width + PANEL.gap), lines));
	const legend = legendOf(lines, PANEL.left + ks.length * (PANEL.width + PANEL.gap) - 30);
	return [
		`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="system-ui, 'DejaVu Sans', sans-serif" font-size="12">`,
		`<rect width="${width}" height="${height}" fill="#ffffff"/>`,
		text(PANEL.left, 22, `${data}, ${rows.toLocaleString('en')} rows: ${about}`, 'font-size="14" font-weight="bold"'),
		...panels,
		legend,
		'</svg>',
		'',
	].join('\n');
}

function linesOf(results: readonly Summary[]): readonly Line[] {
	const measured = results.filter(({curves}) => curves);
	const own = measured.filter(({ours}) => ours);
	const others = measured.filter(({ours}) => !ours);
	return measured.map(result => {
		const at = (result.ours ? own : others).indexOf(result);
		const colours = result.ours ? OURS : COLOURS;
		const points = Object.entries(result.curves!).map(([k, curve]) => [
			k,
			curve.points.map(({recall, wall}) => [Math.min(recall, 0.9999), wall.median] as const),
		]);
		return {
			name: result.name,
			ours: result.ours,
			colour: colours[at % colours.length]!,
			dash: DASHES[Math.floor(at / colours.length) % DASHES.length]!,
			points: Object.fromEntries(points) as Line['points'],
		};
	});
}

function panel(k: string, targets: readonly number[], left: number, lines: readonly Line[]): string {
	const all = lines.flatMap(line => line.points[k] ?? []);
	const shown = all.filter(([recall]) => recall >= Math.min(...targets) - 0.2);
	const speeds = shown.map(([, speed]) => speed);
	const [low, high] = [
		10 ** Math.floor(Math.log10(Math.min(...speeds)) * 2 - 0.01),
		10 ** Math.ceil(Math.log10(Math.max(...speeds)) * 2 + 0.01),
	].map(Math.sqrt) as [number, number];
	const span = [
		Math.min(...shown.map(([recall]) => recall), Math.min(...targets) - 0.05),
		Math.max(...shown.map(([recall]) => recall), 0.995),
	].map(nines) as [number, number];
	const x = (recall: number): number => left + (PANEL.width * (nines(recall) - span[0])) / (span[1] - span[0]);
	const y = (speed: number): number => PANEL.top + PANEL.height * (1 - Math.log(speed / low) / Math.log(high / low));
	const [bottom, right] = [PANEL.top + PANEL.height, left + PANEL.width];
	const parts: string[] = [
		`<rect x="${left}" y="${PANEL.top}" width="${PANEL.width}" height="${PANEL.height}" fill="none" stroke="#888888"/>`,
	];
	for (const recall of RECALLS.filter(recall => nines(recall) >= span[0] && nines(recall) <= span[1])) {
		const target = targets.includes(recall);
		parts.push(
			`<line x1="${n(x(recall))}" y1="${PANEL.top}" x2="${n(x(recall))}" y2="${bottom}" stroke="${target ? '#aaaaaa' : '#e5e5e5'}"/>`,
			text(x(recall), bottom + 17, recall.toString().slice(1), `text-anchor="middle"${target ? ' font-weight="bold"' : ''}`),
		);
	}
	for (const speed of ticks(low, high)) {
		parts.push(
			`<line x1="${left}" y1="${n(y(speed))}" x2="${right}" y2="${n(y(speed))}" stroke="#e5e5e5"/>`,
			text(left - 6, y(speed) + 4, speed.toLocaleString('en'), 'text-anchor="end"'),
		);
	}
	parts.push(
		text(left + PANEL.width / 2, bottom + 38, `recall@${k}`, 'text-anchor="middle"'),
		text(left, PANEL.top - 8, `queries per second, one thread, k = ${k}`),
	);
	for (const line of lines.toSorted((a, b) => Number(a.ours) - Number(b.ours))) {
		const points = (line.points[k] ?? [])
			.filter(point => shown.includes(point))
			.map(([recall, speed]) => [n(x(recall)), n(y(speed))] as const);
		if (points.length > 0) {
			const style = `stroke="${line.colour}" stroke-width="${line.ours ? 3 : 1.6}"${line.dash && ` stroke-dasharray="${line.dash}"`}`;
			parts.push(
				`<polyline points="${points.map(point => point.join(',')).join(' ')}" fill="none" ${style}><title>${escaped(line.name)}</title></polyline>`,
				...points.map(([cx, cy]) => `<circle cx="${cx}" cy="${cy}" r="${line.ours ? 3.5 : 2.4}" fill="${line.colour}"/>`),
			);
		}
	}
	return parts.join('\n');
}

function legendOf(lines: readonly Line[], left: number): string {
	return lines
		.map(({name, ours, colour, dash}, at) => {
			const y = PANEL.top + 10 + at * LEGEND.line;
			const style = `stroke="${colour}" stroke-width="${ours ? 3 : 1.6}"${dash && ` stroke-dasharray="${dash}"`}`;
			return `<line x1="${left}" y1="${y}" x2="${left + 26}" y2="${y}" ${style}/>${text(left + 33, y + 4, name, ours ? 'font-weight="bold"' : '')}`;
		})
		.join('\n');
}

/** 1, 2 and 5 times powers of ten. */
function ticks(low: number, high: number): readonly number[] {
	const powers = Array.from({length: 12}, (_, power) => 10 ** power);
	return powers.flatMap(power => [power, 2 * power, 5 * power]).filter(value => value >= low && value <= high);
}

const nines = (recall: number): number => -Math.log10(1 - recall);
const n = (value: number): string => value.toFixed(1);
const text = (x: number, y: number, words: string, style = ''): string =>
	`<text x="${n(x)}" y="${n(y)}" fill="#222222" ${style}>${escaped(words)}</text>`;
const escaped = (words: string): string => words.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
