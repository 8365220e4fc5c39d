// Tests the HTML pages, the SVG figures and the commands for records of `benches/qps`, with the records in the repository and with small
// records.
import {createHash} from 'node:crypto';
import {mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {Script} from 'node:vm';
import test from 'ava';
import {speed} from '../../benches/qps/bm25/results/speed.ts';
import {described} from '../../benches/qps/kinds.ts';
import {commandsFor} from '../../benches/qps/report/command.ts';
import {reportHtml as reportDescribed} from '../../benches/qps/report/page/page.ts';
import {drawBars} from '../../benches/qps/report/plot/bars.ts';
import type {Chart} from '../../benches/qps/report/plot/chart.ts';
import {looks} from '../../benches/qps/report/plot/colors.ts';
import {drawCurves} from '../../benches/qps/report/plot/curves.ts';
import {figureOf} from '../../benches/qps/report/plot/figure.ts';
import {type QpsRecord, parseRecord} from '../../benches/qps/report/records/record.ts';
import {Records} from '../../benches/qps/report/records/records.ts';
import {packageRoot} from '../../ts/core/native/addon.ts';
import {escaped} from '../../ts/drawing/html.ts';
import {bm25Record, figure, vectorsRecord} from './qps-records.ts';

const commands = commandsFor(described);
const chartsOf = (record: QpsRecord): readonly Chart[] => described(record).charts;
const reportHtml = (records: readonly QpsRecord[], {against = []}: {readonly against?: readonly QpsRecord[]} = {}): string =>
	reportDescribed(records.map(described), {against: against.map(described)});
/** Returns whether a record has a text in place of results by system. */
const isText = ({text}: QpsRecord): boolean => text !== undefined;
const isVectors = (record: QpsRecord): boolean => described(record).kind === 'vectors';

const recordFolder = join(packageRoot, 'benches', 'qps', 'record');
/** All records in the repository. */
const repositoryRecords: ReadonlyArray<readonly [file: string, record: QpsRecord]> = readdirSync(recordFolder)
	.filter(file => file.endsWith('.json'))
	.map(file => [file, parseRecord(readFileSync(join(recordFolder, file), 'utf8'), file)] as const);
/** Returns the part of a page before its script. */
const withoutScript = (html: string): string => html.split('<script>')[0]!;
/** Returns the JSON of the charts of each record in a page. */
const chartsIn = (html: string): readonly string[] =>
	[...html.matchAll(/<script type="application\/json" class="charts">(.*?)<\/script>/gsu)].map(([, json]) => json!);

test('the page of every record in the repository shows all systems, and why some of them failed', t => {
	t.true(repositoryRecords.some(([, record]) => isVectors(record)) && repositoryRecords.some(([, record]) => !isVectors(record)));
	for (const [file, record] of repositoryRecords) {
		const html = reportHtml([record]);
		const tables = html.split('<details>')[0]!;
		if (record.text !== undefined) {
			t.true(tables.includes(`<pre>${escaped(record.text)}</pre>`), file);
		}
		for (const {name, failed} of isText(record) ? [] : record.results) {
			t.true(tables.includes(`<th scope="row">${escaped(name)}</th>`), `${file}: ${name}`);
			t.is(failed !== undefined, failed !== undefined && tables.includes(`not measured: ${escaped(failed)}`), `${file}: ${name}`);
		}
		t.notRegex(withoutScript(html), /NaN|undefined|Infinity|\[object/u, file);
		t.deepEqual(JSON.parse(chartsIn(html)[0]!), JSON.parse(JSON.stringify(chartsOf(record))), file);
	}
});

test('a page is self-contained: it has no external addresses, and its security policy allows only its own script', t => {
	const html = reportHtml(repositoryRecords.map(([, record]) => record));

	t.notRegex(html.replaceAll('http://www.w3.org/2000/svg', ''), /https?:\/\/|\ssrc=|@import|url\(/u);
	const scripts = [...html.matchAll(/<script>(.*?)<\/script>/gsu)].map(([, script]) => script!);
	t.is(scripts.length, 1);
	t.true(html.includes(`script-src 'sha256-${createHash('sha256').update(scripts[0]!).digest('base64')}'`));
	t.notThrows(() => new Script(scripts[0]!));
	for (const [, required] of scripts[0]!.matchAll(/require\("([^"]+)"\)/gu)) {
		t.true(scripts[0]!.includes(`\n${JSON.stringify(required)}(exports, require) {`), required);
	}
});

test('without scripts, a page has a chart for each k', t => {
	const [, record] = repositoryRecords.find(([file]) => file.endsWith('-sentences-50k.json'))!;

	const html = withoutScript(reportHtml([record]));

	const drawings = html.match(/<svg class="plot" viewBox="[^"]+" width="[^"]+" height="[^"]+" role="img" aria-label="[^"]+"/gu) ?? [];
	t.deepEqual(
		drawings.map(drawing => /aria-label="(.*)"/u.exec(drawing)![1]),
		['Queries per second at each recall, k = 10, by wall time', 'Queries per second at each recall, k = 100, by wall time'],
	);
});

test('names that contain HTML are escaped', t => {
	const hostile = '</script><img src=x onerror=alert(1)>"&';
	const record = {...bm25Record({name: hostile, passagekitName: hostile}), machine: {...bm25Record().machine, cpu: hostile}};
	const failed = {...record, results: [...record.results, {name: hostile, failed: hostile}]};

	const html = reportHtml([failed, failed], {against: [failed]});

	t.notRegex(html, /<img/u);
	t.true(html.includes('&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;&quot;&amp;'));
	t.is(chartsIn(html).length, 2);
	t.is(JSON.parse(chartsIn(html)[0]!)[0].entries[1].name, hostile);
	t.notRegex(figureOf(hostile, chartsOf(failed)), /<img/u);
});

test('a page of several records has a table of contents with links to their sections', t => {
	const html = reportHtml([bm25Record(), bm25Record(), vectorsRecord()]);

	const links = [...html.matchAll(/<th scope="row"><a href="#([^"]+)">/gu)].map(([, id]) => id);
	t.deepEqual(links, ['small', 'small-2', 'vectors']);
	for (const id of links) {
		t.is(html.split(`<section class="record" id="${id}"`).length, 2);
	}
	t.true(html.includes('4.0× Lucene'));
	t.notRegex(reportHtml([bm25Record()]), /<nav/u);
});

test('the page of a record in which every system failed lists the systems, and has no invalid numbers', t => {
	for (const record of [bm25Record(), vectorsRecord()]) {
		const failed = {...record, results: record.results.map(({name}) => ({name, ours: false, failed: 'gone'}))} as QpsRecord;
		const html = withoutScript(reportHtml([failed, failed]));
		for (const {name} of failed.results) {
			t.true(html.includes(`<th scope="row">${name}</th><td class="words" colspan=`), name);
		}
		t.notRegex(html + figureOf('nothing', chartsOf(failed)), /NaN|undefined|Infinity/u);
	}
});

test('a page has the number of threads, and says which systems used only one', t => {
	const one = bm25Record();
	const results = one.results.map(result => ({...result, threads: result.name === 'Lucene' ? 1 : 2}));

	const html = withoutScript(reportHtml([{...one, definition: {...one.definition, threads: 2}, results}]));

	t.regex(html, /tokens, 2 threads/u);
	t.true(html.includes('measured on one thread instead of 2, because the system is single-threaded: Lucene<'));
	t.regex(withoutScript(reportHtml([one])), /tokens, one thread/u);
});

test('a page has a notice only if the record is noisy', t => {
	t.regex(reportHtml([bm25Record({after: 4})]), /class="notice".*The load after the run was 4\.00/u);
	t.notRegex(reportHtml([bm25Record()]), /class="notice"/u);
});

test('a page compares a record with an older one, and says if the two are not comparable', t => {
	const older = bm25Record({date: '2025-12-31T00:00:00.000Z'});
	const other = {...older, machine: {...older.machine, cpu: 'Another CPU'}};

	t.regex(reportHtml([bm25Record()], {against: [older]}), /Against 2025-12-31 00:00 UTC/u);
	t.notRegex(reportHtml([bm25Record()], {against: [older]}), /Not comparable/u);
	t.regex(reportHtml([bm25Record()], {against: [other]}), /Not comparable/u);
});

test('new records have five percentiles of latency; old records with two percentiles are shown with two', t => {
	const micros = Array.from({length: 1000}, (_, i) => (1000 - i) * 1000);
	const {p50, p90, p95, p99, p999} = speed({rounds: [{wallNanos: 1e9, cpuNanos: 1e9, queryNanos: micros}], queries: 1000});
	t.deepEqual(
		[p50, p90, p95, p99, p999].map(percentile => percentile!.median),
		[500, 900, 950, 990, 999],
	);
	t.is(speed({rounds: [{wallNanos: 1e9, cpuNanos: 1e9, queryNanos: []}], queries: 1000}).p50, undefined);

	const older = bm25Record();
	const [lucene] = older.results;
	const newer = {...older, results: [{...lucene!, speed: {10: {...lucene!.speed![10]!, p90: figure(1500), p999: figure(2500)}}}]};
	t.regex(reportHtml([newer]), />p90<.*>p99<.*>p99\.9</u);
	t.notRegex(withoutScript(reportHtml([older])), /p99\.9|p90/u);
});

test('the lengths of bars are proportional to their values, and the best system comes first', t => {
	const entries = looks([{ours: false}, {ours: true}]).map((look, i) => {
		const wall = {median: 50 * (i + 1), least: 40, most: 100};
		return {name: `system ${i}`, look, bars: {10: {wall, cpu: wall}}};
	});

	const {inside} = drawBars(
		{kind: 'bars', ks: ['10'], unit: 'queries per second', best: 'highest', entries},
		{k: '10', by: 'wall', hidden: new Set(), width: 900},
	);

	const widths = [...inside.matchAll(/<rect [^>]*width="([\d.]+)"/gu)].map(([, width]) => Number(width));
	t.is(widths.length, 2);
	t.true(Math.abs(widths[0]! - 2 * widths[1]!) < 0.2);
	t.true(inside.indexOf('system 1') < inside.indexOf('system 0'));
});

test('a hidden system is not drawn, and does not affect the axes', t => {
	const [curves] = chartsOf(vectorsRecord());
	t.is(curves!.kind, 'curves');
	if (curves!.kind === 'curves') {
		const slow = {...curves!.entries[0]!, name: 'slow', points: {10: [{effort: 1, recall: 0.95, wall: figure(1), cpu: figure(1)}]}};
		const both = {...curves!, entries: [...curves!.entries, slow]};
		const view = {k: '10', by: 'wall' as const, width: 900};

		// A spot is the place of a point, where its tooltip appears.
		t.is(drawCurves(both, {...view, hidden: new Set()}).spots.length, 3);
		t.is(drawCurves(both, {...view, hidden: new Set(['slow'])}).inside, drawCurves(curves!, {...view, hidden: new Set()}).inside);
	}
});

test('an SVG figure is self-contained, has a chart for each k, and names all measured systems', t => {
	for (const [file, record] of repositoryRecords) {
		const svg = figureOf(record.definition.about, chartsOf(record));
		t.notRegex(svg, /var\(|NaN|undefined|Infinity/u, file);
		for (const {name, failed} of isText(record) ? [] : record.results) {
			t.is(svg.includes(`>${escaped(name)}<`), failed === undefined, `${file}: ${name}`);
		}
		// Charts of encoding and of build times have no k.
		t.is(svg.includes('k = '), isVectors(record) || (described(record).kind === 'BM25' && 'queries' in record.definition), file);
	}
});

test('`find` returns the newest record of the definition with a given name, and `before` returns the next older record', t => {
	const folder = mkdtempSync(join(tmpdir(), 'passagekit-records-'));
	const dates = ['2026-01-01T00:00:00.000Z', '2026-03-01T00:00:00.000Z', '2026-02-01T00:00:00.000Z'] as const;
	for (const date of dates) {
		writeFileSync(join(folder, `${date.slice(0, 10)}-small.json`), JSON.stringify(bm25Record({date})));
	}
	writeFileSync(join(folder, '2026-01-01-other.json'), JSON.stringify(bm25Record({name: 'other'})));
	const records = new Records(folder);

	const newest = records.find('small');
	t.is(newest.machine.date, dates[1]);
	t.is(records.before(newest).machine.date, dates[2]);
	t.is(records.find(join(folder, '2026-01-01-small.json')).machine.date, dates[0]);
	t.deepEqual(
		records.newest().map(({definition, machine}) => [definition.name, machine.date]),
		[
			['other', bm25Record().machine.date],
			['small', dates[1]],
		],
	);
	t.throws(() => records.find('nothing'), {message: /expected a file or a definition with a record in .*, got nothing/u});
	t.throws(() => records.before(records.find('other')), {message: /expected a record of other older than/u});
	t.throws(() => parseRecord('{"definition": {}}', 'a.json'), {
		message: 'a.json: expected a record of queries per second, got none with data',
	});
	rmSync(folder, {recursive: true});
});

test('the command `report` writes a page to a given path, and `compare` compares two files', t => {
	const folder = mkdtempSync(join(tmpdir(), 'passagekit-report-'));
	const printed: string[] = [];
	const [newer, older, page] = [join(folder, 'new.json'), join(folder, 'old.json'), join(folder, 'page.html')];
	writeFileSync(newer, JSON.stringify(bm25Record()));
	writeFileSync(older, JSON.stringify(bm25Record({date: '2025-12-31T00:00:00.000Z'})));

	commands['report']!([newer, '--against', older, '--out', page], line => printed.push(line));
	commands['compare']!([newer, older], line => printed.push(line));

	t.deepEqual(printed[0], `page: ${page}`);
	t.regex(readFileSync(page, 'utf8'), /Against 2025-12-31/u);
	t.regex(printed[1]!, /^small: 2026-01-02T03:04:05\.000Z \(abc1234\) against 2025-12-31/u);
	t.throws(() => commands['compare']!([], () => undefined), {message: 'expected one or two records, got 0'});
	rmSync(folder, {recursive: true});
});
