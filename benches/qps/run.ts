// `npm run bench -- qps DEFINITION …`: measures systems side by side, as a definition says, and writes a record.
import {mkdirSync, readFileSync, readdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {parseArgs} from 'node:util';
import * as bm25 from './bm25/measure.ts';
import * as dpr from './dpr/measure.ts';
import * as encoding from './encoding/measure.ts';
import {coreTicks, load, machine, stolenShare} from './machine.ts';
import {described} from './kinds.ts';
import type {Part, Say} from './part.ts';
import {commandsFor, writePage} from './report/command.ts';
import type {QpsRecord} from './report/record.ts';
import {cache, here, setUp, threadsOf} from './system.ts';
import * as vectors from './vectors/measure.ts';

const parts: Readonly<Record<string, Part>> = {
	bm25: bm25 as Part,
	vectors: vectors as Part,
	encoding: encoding as Part,
	dpr: dpr as Part,
};

/**
Runs a report command, or the named definitions. Without a name, it lists all definitions and options. Fails if a system that must
be exact returns wrong hits.
*/
export async function qps(words: readonly string[], say: Say): Promise<void> {
	const command = commandsFor(described)[words[0] ?? ''];
	if (command) {
		command(words.slice(1), say);
		return;
	}
	const {values: options, positionals: names} = parseArgs({
		args: [...words],
		allowPositionals: true,
		options: {setup: {type: 'boolean'}, rebuild: {type: 'boolean'}, smoke: {type: 'boolean'}},
	});
	const homes = new Map(
		Object.keys(parts).flatMap(part =>
			readdirSync(join(here, part, 'definitions')).map(file => [file.replace('.json', ''), part] as const),
		),
	);
	const unknown = names.find(name => !homes.has(name));
	if (unknown !== undefined) {
		throw new Error(`expected a definition (${[...homes.keys()].join(', ')}), got ${unknown}`);
	}
	if (names.length === 0) {
		for (const part of Object.keys(parts)) {
			say(`Definitions of ${part}: ${[...homes].flatMap(([name, home]) => (home === part ? [name] : [])).join(', ')}.`);
		}
		say('Options: --setup, --rebuild, --smoke (one round, kept in .cache/smoke).');
		say('Commands for records: report [NAME|FILE …] [--against FILE|NAME] [--out FILE]; compare NEW [OLD].');
	}
	for (const name of names) {
		const home = homes.get(name)!;
		const defined: {readonly about: string; readonly threads?: number | 'all'} = JSON.parse(
			readFileSync(join(here, home, 'definitions', `${name}.json`), 'utf8'),
		);
		const part = parts[home]!;
		const failed = new Map<string, string>();
		for (const system of options.setup ? new Set(part.systemsOf(defined)) : []) {
			say(`setting ${system.replace('/systems/', ': ')} up …`);
			const failure = setUp(join(here, system));
			if (failure) {
				failed.set(system, failure);
			}
		}
		say(`${name}: ${defined.about}`);
		const threads = threadsOf(defined);
		const [on, before, ticks] = [machine(threads), load(), coreTicks()];
		const {rebuild = false, smoke = false} = options;
		const {definition, data, results, table, figure, wrong} = await part.measure(
			defined.threads === undefined ? defined : {...defined, threads},
			{rebuild, smoke, failed, say},
		);
		const stolen = stolenShare(ticks, coreTicks());
		say(table);
		const record = {
			definition: {name, ...definition},
			data,
			machine: on,
			load: {before, after: load(), ...(stolen !== undefined && {stolen})},
			results,
			...(figure === undefined && {text: table}),
		};
		if (smoke) {
			writeRecord(join('.cache', 'smoke'), name, record, figure, say);
		} else {
			writeRecord('record', `${new Date().toISOString().slice(0, 10)}-${name}`, record, figure, say);
		}
		writePage(join(cache, 'report', `${smoke ? 'smoke-' : ''}${name}.html`), [described(record as QpsRecord)], [], say);
		if (wrong.length > 0) {
			throw new Error(wrong.join('\n'));
		}
	}
}

/** Writes a record, and its chart if there is one. `folder` is relative to this one. */
function writeRecord(folder: string, name: string, record: object, figure: string | undefined, say: Say): void {
	mkdirSync(join(here, folder), {recursive: true});
	writeFileSync(join(here, folder, `${name}.json`), `${JSON.stringify(record, undefined, '\t')}\n`);
	if (figure !== undefined) {
		writeFileSync(join(here, folder, `${name}.svg`), figure);
	}
	say(`recorded in benches/qps/${folder}/${name}.json${figure === undefined ? '' : ' and .svg'}`);
}
