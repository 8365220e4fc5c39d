// The commands for stored records: `qps report` writes a page, `qps compare` prints a comparison of two records, and
// `qps days` prints the ratios of all records of a definition.
import {mkdirSync, writeFileSync} from 'node:fs';
import {dirname, join, relative, resolve} from 'node:path';
import {parseArgs} from 'node:util';
import {packageRoot} from '../../../ts/core/native/addon.ts';
import {UsageError} from '../../support/usage-error.ts';
import {cache, qpsFolder} from '../harness/folders.ts';
import {compareTable} from './compare/compare-table.ts';
import {compare} from './compare/compare.ts';
import {daysTable} from './compare/days.ts';
import {reportHtml} from './page/page.ts';
import type {DescribedRecord} from './records/description.ts';
import type {QpsRecord} from './records/record.ts';
import {Records} from './records/records.ts';

type Say = (line: string) => void;
type Command = (args: readonly string[], say: Say) => void;
type Describe = (record: QpsRecord) => DescribedRecord;

/** Returns the commands by name. `describe` must accept all kinds of records. */
export const commandsFor = (describe: Describe): Readonly<Record<string, Command>> => ({
	report: (args, say) => reportCommand(describe, args, say),
	compare: (args, say) => compareCommand(describe, args, say),
	days: (args, say) => daysCommand(describe, args, say),
});

/**
`report [NAME|FILE …] [--against NAME|FILE] [--out FILE]` writes a page of records. A name stands for the newest record
of a definition; without names, the page shows the newest record of every definition. As `--against`, a name stands for
the newest record of the definition that is older than the record that it is compared with.
*/
function reportCommand(describe: Describe, args: readonly string[], say: Say): void {
	const {values, positionals} = parseArgs({
		args: [...args],
		allowPositionals: true,
		options: {against: {type: 'string'}, out: {type: 'string'}},
	});
	const stored = new Records(join(qpsFolder, 'record'));
	const records = positionals.length > 0 ? positionals.map(name => stored.find(name)) : stored.newest();
	if (records.length === 0) {
		throw new Error('expected records in benches/qps/record, got none');
	}
	const {against} = values;
	const newer = records.find(({definition}) => definition.name === against) ?? records[0]!;
	const older = against === undefined ? [] : [stored.before(newer, against)];
	const out = values.out ? resolve(values.out) : join(cache, 'report.html');
	writePage(out, records.map(describe), older.map(describe), say);
}

/** `compare NEW [OLD]` prints a comparison of two records, each given by a file or a definition. */
function compareCommand(describe: Describe, args: readonly string[], say: Say): void {
	const {positionals} = parseArgs({args: [...args], allowPositionals: true});
	const [newer, older, ...more] = positionals;
	if (newer === undefined || more.length > 0) {
		throw new UsageError(`expected one or two records, got ${positionals.length}`);
	}
	const stored = new Records(join(qpsFolder, 'record'));
	const record = stored.find(newer);
	say(compareTable(compare(describe(record), describe(stored.before(record, older)))));
}

/** `days NAME …` prints, for each definition, the ratios to other systems over its records from different days. */
function daysCommand(describe: Describe, args: readonly string[], say: Say): void {
	const {positionals} = parseArgs({args: [...args], allowPositionals: true});
	if (positionals.length === 0) {
		throw new UsageError('expected the name of a definition, got none');
	}
	const stored = new Records(join(qpsFolder, 'record'));
	say(positionals.map(name => daysTable(stored.all(name).map(describe))).join('\n\n'));
}

/** Writes a page of records, and prints its path. */
export function writePage(file: string, records: readonly DescribedRecord[], against: readonly DescribedRecord[], say: Say): void {
	mkdirSync(dirname(file), {recursive: true});
	writeFileSync(file, reportHtml(records, {against}));
	say(`page: ${file.startsWith(packageRoot) ? relative(packageRoot, file) : file}`);
}
