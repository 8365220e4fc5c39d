// The section of the report page that shows one record: the conditions of the measurement, charts, tables, the comparison with an
// older record, and the configuration.
import {escaped} from '../../../../ts/drawing/html.ts';
import {folded} from '../../../../ts/drawing/page.ts';
import {type Chart, draw, titleOf} from '../plot/chart.ts';
import {mark, svg} from '../plot/pieces.ts';
import type {DescribedRecord} from '../records/description.ts';
import {noise} from '../records/noise.ts';
import {type QpsRecord, threadsOf} from '../records/record.ts';
import {figuresTable} from '../tables/html-table.ts';
import {singleThreaded} from '../tables/single-threaded.ts';

/** The width of charts in the HTML, in pixels. The script redraws them to fit the page. */
const WIDTH = 860;

/** Returns the section with the given id. `against` is the HTML of the comparison with an older record, or empty. */
export function section(described: DescribedRecord, id: string, against: string): string {
	const {record, charts, tables, effortTables = []} = described;
	const {name, about} = record.definition;
	return [
		`<section class="record" id="${id}" aria-labelledby="${id}-title">`,
		`<h2 id="${id}-title"><a href="#${id}">${escaped(name)}</a></h2>`,
		`<p class="about">${escaped(about)}</p>`,
		facts(described),
		notice(described),
		...singleThreaded(record.results, threadsOf(record)).map(line => `<p class="aside">${escaped(line)}</p>`),
		'<div class="controls"></div>',
		...charts.map((chart, i) => figure(chart, i)),
		`<script type="application/json" class="charts">${embedded(charts)}</script>`,
		...(record.text === undefined ? [] : [`<div class="scroll"><pre>${escaped(record.text)}</pre></div>`]),
		...tables.map(figuresTable),
		against,
		...(effortTables.length > 0 ? [folded('All efforts measured', effortTables.map(figuresTable))] : []),
		folded('Configuration', [`<pre>${escaped(JSON.stringify({definition: record.definition, data: record.data}, undefined, 2))}</pre>`]),
		'</section>',
	].join('\n');
}

/** Returns JSON for a script element. `<` is escaped, so that no string can contain the end tag. */
const embedded = (value: unknown): string => JSON.stringify(value).replaceAll('<', String.raw`\u003c`);

/** Returns the conditions of the measurement as a list of descriptions. */
function facts({record, setting}: DescribedRecord): string {
	const {machine, load} = record;
	const lines: ReadonlyArray<readonly [string, string]> = [
		['Measured', `${setting}; ${record.definition.rounds} rounds`],
		['Data', dataOf(record)],
		[
			'Machine',
			`${machine.cpu ?? 'unknown CPU'}, ${machine.cores} cores${machine.pinnedTo === undefined ? '' : ` (systems on ${/\D/u.test(String(machine.pinnedTo)) ? 'cores' : 'core'} ${machine.pinnedTo})`}, ${(machine.memoryBytes / 1e9).toFixed(1)} GB, ${machine.platform}`,
		],
		['Flags', machine.flags],
		['Run', `${machine.date.slice(0, 16).replace('T', ' ')} UTC, commit ${machine.commit}`],
		[
			'Load',
			`${load.before.join(', ')} before, ${load.after.join(', ')} after (1, 5, 15 minutes)${load.stolen === undefined ? '' : `; ${(100 * load.stolen).toFixed(1)}% of the cores’ busy time taken by the host`}`,
		],
	];
	return `<dl class="facts">${lines.map(([what, value]) => `<dt>${what}</dt><dd>${escaped(value)}</dd>`).join('')}</dl>`;
}

/** Joins the descriptions (`about`) of the data set, or of the corpus and the queries. */
function dataOf({data}: QpsRecord): string {
	const parts = [data, data['corpus'], data['queries']].flatMap(part => {
		const about = typeof part === 'object' && part !== null && 'about' in part ? part.about : undefined;
		return typeof about === 'string' ? [about] : [];
	});
	return parts.join('; ') || '–';
}

/** Returns a warning if the machine was not quiet. Otherwise, returns remarks about individual figures, if there are any. */
function notice(described: DescribedRecord): string {
	const {noisy, reasons} = noise(described);
	if (noisy) {
		return `<div class="notice" role="note"><b>Not a quiet machine:</b> do not quote these figures.<ul>${reasons.map(reason => `<li>${escaped(reason)}</li>`).join('')}</ul></div>`;
	}
	return reasons.map(reason => `<p class="aside">${escaped(reason)}</p>`).join('');
}

/**
Returns a chart as it is first shown: for the first k, by wall time. Without JavaScript, the charts for the other values
of k are shown below it.
*/
function figure(chart: Chart, index: number): string {
	const view = {k: chart.ks[0] ?? '', by: 'wall' as const, hidden: new Set<string>(), width: WIDTH};
	const title = titleOf(chart, view);
	const otherKs = chart.ks.slice(1).map(k => {
		const title = titleOf(chart, {...view, k});
		return `<h3>${escaped(title)}</h3><div class="drawing">${svg(draw(chart, {...view, k}), title)}</div>`;
	});
	return [
		`<figure data-chart="${index}">`,
		`<figcaption><h3>${escaped(title)}</h3></figcaption>`,
		`<div class="drawing">${svg(draw(chart, view), title)}</div>`,
		...(otherKs.length > 0 ? [`<noscript>${otherKs.join('\n')}</noscript>`] : []),
		...(chart.kind === 'curves' ? [legend(chart)] : []),
		'</figure>',
	].join('\n');
}

/** Returns the legend of a chart of curves. */
function legend({entries}: Chart): string {
	const items = entries.map(
		({name, look}, i) =>
			`<li><span data-entry="${i}"${look.ours ? ' class="ours"' : ''}><svg class="plot" viewBox="0 0 28 12" aria-hidden="true"><g class="${look.style}"><line x1="0" y1="6" x2="28" y2="6" class="curve"/>${mark(look.mark, [14, 6], 3.6)}</g></svg>${escaped(name)}</span></li>`,
	);
	return `<ul class="legend">${items.join('')}</ul>`;
}
