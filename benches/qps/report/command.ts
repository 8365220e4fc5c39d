// `qps report` and `qps compare`: what is done with records that are there.
import {mkdirSync, writeFileSync} from 'node:fs';
import {dirname, join, relative, resolve} from 'node:path';
import {parseArgs} from 'node:util';
import {packageRoot} from '../../../ts/core/native/addon.ts';
import {cache, here} from '../system.ts';
import {compare} from './compare.ts';
import {compareTable} from './compare-table.ts';
import {reportHtml} from './page.ts';
import type {DescribedRecord} from './description.ts';
import type {QpsRecord} from './record.ts';
import {Records} from './records.ts';

type Say = (line: string) => void;
type Command = (words: readonly string[], say: Say) => void;
type Describe = (record: QpsRecord) => DescribedRecord;

/** The commands by name; `describe` knows all kinds of records. */
export const commandsFor = (describe: Describe): Readonly<Record<string, Command>> => ({
	report: (words, say) => report(describe, words, say),
	compare: (words, say) => comparison(describe, words, say),
});

/**
`report [NAME|FILE …] [--against FILE|NAME] [--out FILE]`: a page of records, the newest of a definition where that is
named, and of all definitions where nothing is. Where one is compared with its own definition, that is the record before.
*/
function report(describe: Describe, words: readonly string[], say: Say): void {
	const {values, positionals} = parseArgs({
		args: [...words],
		allowPositionals: true,
		options: {against: {type: 'string'}, out: {type: 'string'}},
	});
	const kept = new Records(join(here, 'record'));
	const records = positionals.length > 0 ? positionals.map(name => kept.find(name)) : kept.newest();
	if (records.length === 0) {
		throw new Error('expected records in benches/qps/record, got none');
	}
	const {against} = values;
	const named = records.find(({definition}) => definition.name === against) ?? records[0]!;
	const older = against === undefined ? [] : [kept.before(named, against)];
	const out = values.out ? resolve(values.out) : join(cache, 'report.html');
	writePage(out, records.map(describe), older.map(describe), say);
}

/** `compare NEW [OLD]`: files, or definitions: the newest record, and the one before it. */
function comparison(describe: Describe, words: readonly string[], say: Say): void {
	const {positionals} = parseArgs({args: [...words], allowPositionals: true});
	const [newer, older, ...more] = positionals;
	if (newer === undefined || more.length > 0) {
		throw new Error(`expected a record and perhaps another, got ${positionals.length} names`);
	}
	const kept = new Records(join(here, 'record'));
	const record = kept.find(newer);
	say(compareTable(compare(describe(record), describe(kept.before(record, older)))));
}

/** Says where the page is. */
export function writePage(file: string, records: readonly DescribedRecord[], against: readonly DescribedRecord[], say: Say): void {
	mkdirSync(dirname(file), {recursive: true});
	writeFileSync(file, reportHtml(records, {against}));
	say(`page: ${file.startsWith(packageRoot) ? relative(packageRoot, file) : file}`);
}
