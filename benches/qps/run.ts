// The command `npm run bench -- qps`. It measures the systems of a benchmark definition side by side and writes a record,
// or runs a command that reads records (`report`, `compare`, `days`).
import {mkdirSync, readFileSync, readdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {parseArgs} from 'node:util';
import {UsageError} from '../support/usage-error.ts';
import * as bm25 from './bm25/measure.ts';
import * as dpr from './dpr/measure.ts';
import * as encoding from './encoding/measure.ts';
import {threadsOf} from './harness/cores.ts';
import {cache, qpsFolder} from './harness/folders.ts';
import {environmentOf} from './harness/level.ts';
import {coreTicks, load, machine, stolenShare} from './harness/machine.ts';
import type {Say, Suite} from './harness/suite.ts';
import {setUp} from './harness/system.ts';
import {described} from './kinds.ts';
import {commandsFor, writePage} from './report/command.ts';
import type {QpsRecord} from './report/records/record.ts';
import * as vectors from './vectors/measure.ts';

const suites: Readonly<Record<string, Suite>> = {
	bm25: bm25 as Suite,
	vectors: vectors as Suite,
	encoding: encoding as Suite,
	dpr: dpr as Suite,
};

/**
Runs a command that reads records (`report`, `compare`, `days`), or measures the named definitions. Without a name, or with `--help`, it lists all
definitions, options and commands. Fails, after writing the record, if a system that must be exact returns wrong hits.
*/
export async function qps(args: readonly string[], say: Say): Promise<void> {
	const command = commandsFor(described)[args[0] ?? ''];
	if (command) {
		command(args.slice(1), say);
		return;
	}
	const {values: options, positionals} = parseArgs({
		args: [...args],
		allowPositionals: true,
		options: {setup: {type: 'boolean'}, rebuild: {type: 'boolean'}, smoke: {type: 'boolean'}, help: {type: 'boolean', short: 'h'}},
	});
	const names = options.help ? [] : positionals;
	const suiteOf = new Map(
		Object.keys(suites).flatMap(suite =>
			readdirSync(join(qpsFolder, suite, 'definitions')).map(file => [file.replace('.json', ''), suite] as const),
		),
	);
	const unknown = names.find(name => !suiteOf.has(name));
	if (unknown !== undefined) {
		throw new UsageError(`expected a definition (${[...suiteOf.keys()].join(', ')}), got ${unknown}`);
	}
	if (names.length === 0) {
		for (const suite of Object.keys(suites)) {
			const definitions = [...suiteOf].filter(([, other]) => other === suite).map(([name]) => name);
			say(`Definitions of ${suite}: ${definitions.join(', ')}.`);
		}
		say('Options: --setup, --rebuild, --smoke (one round, kept in .cache/smoke).');
		say('Commands for records: report [NAME|FILE …] [--against FILE|NAME] [--out FILE]; compare NEW [OLD]; days NAME ….');
	}
	for (const name of names) {
		const suiteName = suiteOf.get(name)!;
		const stored: {readonly about: string; readonly threads?: number | 'all'; readonly level?: string} = JSON.parse(
			readFileSync(join(qpsFolder, suiteName, 'definitions', `${name}.json`), 'utf8'),
		);
		const suite = suites[suiteName]!;
		// Systems inherit the environment, which holds them to the definition's level of instruction sets.
		const originalEnv = {...process.env};
		Object.assign(process.env, environmentOf(stored.level));
		const failed = new Map<string, string>();
		for (const system of options.setup ? new Set(suite.systemsOf(stored)) : []) {
			say(`setting up ${system.replace('/systems/', ': ')} …`);
			const failure = setUp(join(qpsFolder, system));
			if (failure) {
				failed.set(system, failure);
			}
		}
		say(`${name}: ${stored.about}`);
		const threads = threadsOf(stored);
		const [thisMachine, loadBefore, ticksBefore] = [machine(threads), load(), coreTicks()];
		const {rebuild = false, smoke = false} = options;
		const {definition, data, results, table, figure, violations} = await suite.measure(
			// Replaces `all` with the number of cores.
			stored.threads === undefined ? stored : {...stored, threads},
			{rebuild, smoke, failed, say},
		);
		const stolen = stolenShare(ticksBefore, coreTicks());
		say(table);
		const record = {
			definition: {name, ...definition},
			data,
			machine: thisMachine,
			load: {before: loadBefore, after: load(), ...(stolen !== undefined && {stolen})},
			results,
			...(figure === undefined && {text: table}),
		};
		if (smoke) {
			writeRecord(join('.cache', 'smoke'), name, record, figure, say);
		} else {
			writeRecord('record', `${new Date().toISOString().slice(0, 10)}-${name}`, record, figure, say);
		}
		writePage(join(cache, 'report', `${smoke ? 'smoke-' : ''}${name}.html`), [described(record as QpsRecord)], [], say);
		process.env = originalEnv;
		if (violations.length > 0) {
			throw new Error(violations.join('\n'));
		}
	}
}

/** Writes a record, and its charts as one SVG (`figure`) if there are any. `folder` is relative to benches/qps. */
function writeRecord(folder: string, name: string, record: object, figure: string | undefined, say: Say): void {
	mkdirSync(join(qpsFolder, folder), {recursive: true});
	writeFileSync(join(qpsFolder, folder, `${name}.json`), `${JSON.stringify(record, undefined, '\t')}\n`);
	if (figure !== undefined) {
		writeFileSync(join(qpsFolder, folder, `${name}.svg`), figure);
	}
	say(`recorded in benches/qps/${folder}/${name}.json${figure === undefined ? '' : ' and .svg'}`);
}
