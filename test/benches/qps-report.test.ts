import {createHash} from 'node:crypto';
import {mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {Script} from 'node:vm';
import test from 'ava';
import {speed} from '../../benches/qps/bm25/speed.ts';
import {described} from '../../benches/qps/kinds.ts';
import {commandsFor} from '../../benches/qps/report/command.ts';
import {figureOf} from '../../benches/qps/report/figure.ts';
import {reportHtml as reportDescribed} from '../../benches/qps/report/page.ts';
import type {Chart} from '../../benches/qps/report/plot/chart.ts';
import {drawBars} from '../../benches/qps/report/plot/bars.ts';
import {drawCurves} from '../../benches/qps/report/plot/curves.ts';
import {looks} from '../../benches/qps/report/plot/colors.ts';
import {type QpsRecord, parseRecord} from '../../benches/qps/report/record.ts';
import {Records} from '../../benches/qps/report/records.ts';
import {escaped} from '../../ts/drawing/html.ts';
import {packageRoot} from '../../ts/core/native/addon.ts';
import {bm25Record, figure, vectorsRecord} from './qps-records.ts';

const commands = commandsFor(described);
const chartsOf = (record: QpsRecord): readonly Chart[] => described(record).charts;
const reportHtml = (records: readonly QpsRecord[], {against = []}: {readonly against?: readonly QpsRecord[]} = {}): string =>
	reportDescribed(records.map(described), {against: against.map(described)});
const isText = ({text}: QpsRecord): boolean => text !== undefined;
const isVectors = (record: QpsRecord): boolean => described(record).kind === 'vectors';

const folder = join(packageRoot, 'benches', 'qps', 'record');
const kept: ReadonlyArray<readonly [file: string, record: QpsRecord]> = readdirSync(folder)
	.filter(file => file.endsWith('.json'))
	.map(file => [file, parseRecord(readFileSync(join(folder, file), 'utf8'), file)] as const);
const withoutScript = (html: string): string => html.split('<script>')[0]!;
const chartsIn = (html: string): readonly string[] =>
	[...html.matchAll(/<script type="application\/json" class="charts">(.*?)<\/script>/gsu)].map(([, json]) => json!);

test('a page of every record that is kept shows all systems, those that failed with their reason', t => {
	t.true(kept.some(([, record]) => isVectors(record)) && kept.some(([, record]) => !isVectors(record)));
	for (const [file, record] of kept) {
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

test('a page needs nothing else: no addresses, and its policy allows its own script alone', t => {
	const html = reportHtml(kept.map(([, record]) => record));

	t.notRegex(html.replaceAll('http://www.w3.org/2000/svg', ''), /https?:\/\/|\ssrc=|@import|url\(/u);
	const scripts = [...html.matchAll(/<script>(.*?)<\/script>/gsu)].map(([, script]) => script!);
	t.is(scripts.length, 1);
	t.true(html.includes(`script-src 'sha256-${createHash('sha256').update(scripts[0]!).digest('base64')}'`));
	t.notThrows(() => new Script(scripts[0]!));
	for (const [, required] of scripts[0]!.matchAll(/require\("([^"]+)"\)/gu)) {
		t.true(scripts[0]!.includes(`\n${JSON.stringify(required)}(exports, require) {`), required);
	}
});

test('without its script a page has drawings of all k', t => {
	const [, record] = kept.find(([file]) => file.endsWith('-sentences-50k.json'))!;

	const html = withoutScript(reportHtml([record]));

	const drawings = html.match(/<svg class="plot" viewBox="[^"]+" width="[^"]+" height="[^"]+" role="img" aria-label="[^"]+"/gu) ?? [];
	t.deepEqual(
		drawings.map(drawing => /aria-label="(.*)"/u.exec(drawing)![1]),
		['Queries per second at a recall, k = 10, by wall time', 'Queries per second at a recall, k = 100, by wall time'],
	);
});

test('names that look like HTML stay words', t => {
	const hostile = '</script><img src=x onerror=alert(1)>"&';
	const record = {...bm25Record({name: hostile, ours: hostile}), machine: {...bm25Record().machine, cpu: hostile}};
	const failed = {...record, results: [...record.results, {name: hostile, failed: hostile}]};

	const html = reportHtml([failed, failed], {against: [failed]});

	t.notRegex(html, /<img/u);
	t.true(html.includes('&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;&quot;&amp;'));
	t.is(chartsIn(html).length, 2);
	t.is(JSON.parse(chartsIn(html)[0]!)[0].entries[1].name, hostile);
	t.notRegex(figureOf(hostile, chartsOf(failed)), /<img/u);
});

test('several records have contents, whose links lead to their sections', t => {
	const html = reportHtml([bm25Record(), bm25Record(), vectorsRecord()]);

	const links = [...html.matchAll(/<th scope="row"><a href="#([^"]+)">/gu)].map(([, id]) => id);
	t.deepEqual(links, ['small', 'small-2', 'vectors']);
	for (const id of links) {
		t.is(html.split(`<section class="record" id="${id}"`).length, 2);
	}
	t.true(html.includes('4.0× Lucene'));
	t.notRegex(reportHtml([bm25Record()]), /<nav/u);
});

test('a record in which every system failed is shown, and drawn as nothing', t => {
	for (const record of [bm25Record(), vectorsRecord()]) {
		const failed = {...record, results: record.results.map(({name}) => ({name, ours: false, failed: 'gone'}))} as QpsRecord;
		const html = withoutScript(reportHtml([failed, failed]));
		for (const {name} of failed.results) {
			t.true(html.includes(`<th scope="row">${name}</th><td class="words" colspan=`), name);
		}
		t.notRegex(html + figureOf('nothing', chartsOf(failed)), /NaN|undefined|Infinity/u);
	}
});

test('a page says of how many threads a record is, and which systems have no more than one', t => {
	const one = bm25Record();
	const results = one.results.map(result => ({...result, threads: result.name === 'Lucene' ? 1 : 2}));

	const html = withoutScript(reportHtml([{...one, definition: {...one.definition, threads: 2}, results}]));

	t.regex(html, /tokens, 2 threads/u);
	t.true(html.includes('measured on one thread instead of 2, because the system is single-threaded: Lucene<'));
	t.regex(withoutScript(reportHtml([one])), /tokens, one thread/u);
});

test('a noisy run is told, and a quiet one is not', t => {
	t.regex(reportHtml([bm25Record({after: 4})]), /class="notice".*The load after the run was 4\.00/u);
	t.notRegex(reportHtml([bm25Record()]), /class="notice"/u);
});

test('a page says what changed, and of another machine that it cannot', t => {
	const older = bm25Record({date: '2025-12-31T00:00:00.000Z'});
	const other = {...older, machine: {...older.machine, cpu: 'Another CPU'}};

	t.regex(reportHtml([bm25Record()], {against: [older]}), /Against 2025-12-31 00:00 UTC/u);
	t.notRegex(reportHtml([bm25Record()], {against: [older]}), /Not comparable/u);
	t.regex(reportHtml([bm25Record()], {against: [other]}), /Not comparable/u);
});

test('single queries have five percentiles from now on, and records with two are shown with two', t => {
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

test('bars start at 0 and are as long as their values, the best first', t => {
	const entries = looks([{ours: false}, {ours: true}]).map((look, i) => {
		const wall = {median: 50 * (i + 1), least: 40, most: 100};
		return {name: `system ${i}`, look, of: {10: {wall, cpu: wall}}};
	});

	const {inside} = drawBars(
		{kind: 'bars', ks: ['10'], unit: 'queries per second', best: 'most', entries},
		{k: '10', by: 'wall', hidden: new Set(), width: 900},
	);

	const widths = [...inside.matchAll(/<rect [^>]*width="([\d.]+)"/gu)].map(([, width]) => Number(width));
	t.is(widths.length, 2);
	t.true(Math.abs(widths[0]! - 2 * widths[1]!) < 0.2);
	t.true(inside.indexOf('system 1') < inside.indexOf('system 0'));
});

test('an entry that is hidden is not drawn, and axes are those of the others', t => {
	const [curves] = chartsOf(vectorsRecord());
	t.is(curves!.kind, 'curves');
	if (curves!.kind === 'curves') {
		const slow = {...curves!.entries[0]!, name: 'slow', points: {10: [{effort: 1, recall: 0.95, wall: figure(1), cpu: figure(1)}]}};
		const both = {...curves!, entries: [...curves!.entries, slow]};
		const view = {k: '10', by: 'wall' as const, width: 900};

		t.is(drawCurves(both, {...view, hidden: new Set()}).spots.length, 3);
		t.is(drawCurves(both, {...view, hidden: new Set(['slow'])}).inside, drawCurves(curves!, {...view, hidden: new Set()}).inside);
	}
});

test('figures for papers stand alone: a panel of each k, every system by name', t => {
	for (const [file, record] of kept) {
		const svg = figureOf(record.definition.about, chartsOf(record));
		t.notRegex(svg, /var\(|NaN|undefined|Infinity/u, file);
		for (const {name, failed} of isText(record) ? [] : record.results) {
			t.is(svg.includes(`>${escaped(name)}<`), failed === undefined, `${file}: ${name}`);
		}
		t.is(
			svg.split('k = ').length - 1 > 0,
			isVectors(record) || (described(record).kind === 'BM25' && 'queries' in record.definition),
			file,
		);
	}
});

test('names mean the newest record of a definition, or the one before it', t => {
	const home = mkdtempSync(join(tmpdir(), 'passagekit-records-'));
	const dates = ['2026-01-01T00:00:00.000Z', '2026-03-01T00:00:00.000Z', '2026-02-01T00:00:00.000Z'] as const;
	for (const date of dates) {
		writeFileSync(join(home, `${date.slice(0, 10)}-small.json`), JSON.stringify(bm25Record({date})));
	}
	writeFileSync(join(home, '2026-01-01-other.json'), JSON.stringify(bm25Record({name: 'other'})));
	const records = new Records(home);

	const newest = records.find('small');
	t.is(newest.machine.date, dates[1]);
	t.is(records.before(newest).machine.date, dates[2]);
	t.is(records.find(join(home, '2026-01-01-small.json')).machine.date, dates[0]);
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
	rmSync(home, {recursive: true});
});

test('the commands write a page where they are told, and compare files', t => {
	const home = mkdtempSync(join(tmpdir(), 'passagekit-report-'));
	const said: string[] = [];
	const [newer, older, page] = [join(home, 'new.json'), join(home, 'old.json'), join(home, 'page.html')];
	writeFileSync(newer, JSON.stringify(bm25Record()));
	writeFileSync(older, JSON.stringify(bm25Record({date: '2025-12-31T00:00:00.000Z'})));

	commands['report']!([newer, '--against', older, '--out', page], line => said.push(line));
	commands['compare']!([newer, older], line => said.push(line));

	t.deepEqual(said[0], `page: ${page}`);
	t.regex(readFileSync(page, 'utf8'), /Against 2025-12-31/u);
	t.regex(said[1]!, /^small: 2026-01-02T03:04:05\.000Z \(abc1234\) against 2025-12-31/u);
	t.throws(() => commands['compare']!([], () => undefined), {message: 'expected a record and perhaps another, got 0 names'});
	rmSync(home, {recursive: true});
});
