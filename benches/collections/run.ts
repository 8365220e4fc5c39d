// The command `npm run bench -- collections`: measures collections beside other embedded databases for Node, and writes a record.
import {createHash} from 'node:crypto';
import {mkdirSync, readFileSync, readdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {parseArgs} from 'node:util';
import {packageRoot} from '../../ts/core/native/addon.ts';
import {coreTicks, load, machine, stolenShare} from '../qps/harness/machine.ts';
import {setUp} from '../qps/harness/system.ts';
import {cache} from './data.ts';
import type {Definition, SystemResult} from './definition.ts';
import {measure, systemsFolder} from './measure.ts';
import {tables} from './table.ts';

const folder = join(packageRoot, 'benches', 'collections');
/** Size of the collection that `--large` adds to those to which documents are committed. */
const LARGE = 1_000_000;
/** Only one system works at a time, on one core, and the harness works little, so a run alone does not keep more cores busy. */
const MAX_BUSY_CORES = 1.2;
/** Share of the time of busy cores that the host of a virtual machine may have given to other guests. */
const MAX_STOLEN = 0.02;
/** Linux counts CPU time in units of 10 ms for programs. */
const TICKS_PER_MS = 0.1;

interface StoredRun {
	readonly definition: Definition;
	readonly results: readonly SystemResult[];
	readonly load: Load;
}

/** How busy the machine was. */
interface Load {
	/** Load averages over 1, 5 and 15 minutes before the run. After it, they would count all threads of the systems that ran. */
	readonly before: readonly number[];
	/** Mean number of cores that worked during the run, and steal time as a share; absent if the operating system does not report them. */
	readonly busyCores?: number | undefined;
	readonly stolenShare?: number | undefined;
}

/** Measures the named definitions, prints the tables of a record with `table`, or lists the definitions. */
export async function collections(args: readonly string[], say: (line: string) => void): Promise<void> {
	const {values, positionals} = parseArgs({
		args: [...args],
		allowPositionals: true,
		options: {setup: {type: 'boolean'}, large: {type: 'boolean'}, only: {type: 'string'}},
	});
	if (positionals[0] === 'table') {
		for (const file of positionals.slice(1)) {
			const {definition, results, load}: StoredRun = JSON.parse(readFileSync(file, 'utf8'));
			say(tables(definition, results));
			say(noiseOf(load));
		}
		return;
	}
	const known = readdirSync(join(folder, 'definitions')).map(file => file.replace('.json', ''));
	if (positionals.length === 0) {
		say(`Definitions: ${known.join(', ')}. Options: --setup, --large, --only SYSTEM,…`);
		say('`table FILE` prints the tables of a record.');
	}
	for (const name of positionals) {
		if (!known.includes(name)) {
			throw new Error(`expected a definition (${known.join(', ')}), got ${name}`);
		}
		const stored: Definition = JSON.parse(readFileSync(join(folder, 'definitions', `${name}.json`), 'utf8'));
		const only = values.only?.split(',');
		const definition = {
			...stored,
			systems: stored.systems.filter(system => only?.includes(system) ?? true),
			commitSizes: values.large ? [...stored.commitSizes, LARGE] : stored.commitSizes,
		};
		for (const system of values.setup ? definition.systems : []) {
			say(setUp(join(systemsFolder, system)) ?? `${system} is set up`);
		}
		say(`${name}: ${definition.about}`);
		const [thisMachine, before, ticks, began] = [machine(1), load(), coreTicks(), performance.now()];
		// A run of some systems is not a comparison.
		const target = only || name === 'smoke' ? join(cache, 'partial') : join(folder, 'record');
		mkdirSync(target, {recursive: true});
		const file = join(target, `${thisMachine.date.slice(0, 10)}-${name}.json`);
		const described = {...thisMachine, node: process.version, addonSha256: addonHash()};
		const write = (path: string, results: readonly SystemResult[]): StoredRun['load'] => {
			const now = coreTicks();
			const busyCores = ticks && now && Number(((now.worked - ticks.worked) / TICKS_PER_MS / (performance.now() - began)).toFixed(3));
			const loads = {before, busyCores, stolenShare: stolenShare(ticks, now)};
			const record = {definition: {name, ...definition}, machine: described, load: loads, results};
			writeFileSync(path, `${JSON.stringify(record, undefined, '\t')}\n`);
			return loads;
		};
		mkdirSync(cache, {recursive: true});
		const results = await measure(definition, say, soFar => write(join(cache, 'unfinished.json'), soFar));
		const loads = write(file, results);
		say(tables(definition, results));
		say(noiseOf(loads));
		say(`recorded in ${file.replace(`${packageRoot}/`, '')}`);
	}
}

/** Says whether other work disturbed a run. */
function noiseOf({before, busyCores, stolenShare: stolen = 0}: Load): string {
	const busy = busyCores === undefined ? '' : `, ${busyCores} cores busy on average, ${(100 * stolen).toFixed(1)}% stolen`;
	const isNoisy = before[0]! > MAX_BUSY_CORES || (busyCores ?? 0) > MAX_BUSY_CORES || stolen > MAX_STOLEN;
	const verdict = isNoisy ? 'NOISY: other work ran meanwhile, so do not quote these numbers' : 'Not disturbed';
	return `\n${verdict} (load averages before the run ${before.join(', ')}${busy}).`;
}

/** Identifies the addon, which may have been built from another commit. Returns undefined if it is not in the folder of the checkout. */
function addonHash(): string | undefined {
	const native = join(packageRoot, 'native');
	const name = readdirSync(native).find(file => file.endsWith('.node'));
	return (
		name &&
		createHash('sha256')
			.update(readFileSync(join(native, name)))
			.digest('hex')
	);
}
