// Shows records as one HTML page. It makes no network requests, has a light and a dark theme, and can be read without
// its script.
import {createHash} from 'node:crypto';
import {join} from 'node:path';
import {escaped} from '../../../../ts/drawing/html.ts';
import {compare} from '../compare/compare.ts';
import type {DescribedRecord} from '../records/description.ts';
import {ourNames} from '../records/record.ts';
import {againstHtml} from './against.ts';
import {bundle} from './bundle.ts';
import {overview} from './overview.ts';
import {section} from './section.ts';
import {pageStyle} from './style.ts';

export interface ReportOptions {
	/**
	Older records. Each record is compared with the older record of the same definition. If there is only one record and
	only one older record, these two are compared, whatever their definitions.
	*/
	readonly against?: readonly DescribedRecord[];
}

/** Returns the page as HTML: a table of contents if there are several records, then a section per record. */
export function reportHtml(records: readonly DescribedRecord[], {against = []}: ReportOptions = {}): string {
	const ids = idsOf(records);
	const script = bundle(join(import.meta.dirname, '..', 'client', 'main.ts'));
	const hash = createHash('sha256').update(script).digest('base64');
	return [
		'<!doctype html>',
		'<html lang="en">',
		'<head>',
		'<meta charset="utf-8">',
		'<meta name="viewport" content="width=device-width, initial-scale=1">',
		`<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'sha256-${hash}'">`,
		'<meta name="color-scheme" content="light dark">',
		'<link rel="icon" href="data:,">',
		`<title>${escaped([...(records.length === 1 ? [records[0]!.record.definition.name] : []), TITLE].join(' – '))}</title>`,
		`<style>${pageStyle}</style>`,
		'</head>',
		'<body>',
		'<main>',
		`<div class="top"><h1>${TITLE}</h1></div>`,
		`<p class="lead">${LEAD}</p>`,
		...(records.length > 1 ? [overview(records, ids)] : []),
		...records.map((described, i) => section(described, ids[i]!, changes(described, records, against))),
		'</main>',
		`<script>${script}</script>`,
		'</body>',
		'</html>',
		'',
	].join('\n');
}

const TITLE = 'Queries per second, side by side';
const LEAD =
	'passagekit and other systems on the same data, in one run, each on one thread of one core unless a record says otherwise. Figures are medians over rounds; ± is half the range from minimum to maximum, in percent of the median, and is marked above 10%.';

/** Returns the HTML of the comparison of a record with an older one, or an empty string if there is no older one. */
function changes(described: DescribedRecord, records: readonly DescribedRecord[], against: readonly DescribedRecord[]): string {
	const only = records.length === 1 && against.length === 1 ? against[0] : undefined;
	const older = only ?? against.find(({record}) => record.definition.name === described.record.definition.name);
	return older ? againstHtml(compare(described, older), ourNames(described.record)) : '';
}

/** Returns the ids of the sections: the names of the definitions, with a number if two records have the same definition. */
function idsOf(records: readonly DescribedRecord[]): readonly string[] {
	const taken = new Set<string>();
	return records.map(({record: {definition}}) => {
		const slug = definition.name.replaceAll(/\W+/gu, '-') || 'record';
		let id = slug;
		for (let i = 2; taken.has(id); i++) {
			id = `${slug}-${i}`;
		}
		taken.add(id);
		return id;
	});
}
