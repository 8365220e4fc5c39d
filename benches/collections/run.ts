// The command `npm run bench -- collections`: compares passagekit's collections with other embedded databases for Node, and writes a
// record of the results.
import {createHash} from 'node:crypto';
import {mkdirSync, readFileSync, readdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {parseArgs} from 'node:util';
import {packageRoot} from '../../ts/core/native/addon.ts';
import {coreTicks, load, machine, stolenShare} from '../qps/harness/machine.ts';
import {setUp} from '../qps/harness/system.ts';
import {UsageError} from '../support/usage-error.ts';
import {cache} from './data.ts';
import type {Definition, SystemResult} from './definition.ts';
import {measure, systemsFolder} from './measure.ts';
import {tables} from './table.ts';

const folder = join(packageRoot, 'benches', 'collections');
/** With `--large`, commits to a collection with this number of documents are measured, too. */
const LARGE = 1_000_000;
/**
A run counts as disturbed by other work if the mean number of busy cores during the run, or the load average before the run, is above this.
An undisturbed run stays below: only one system works at a time, on one core, and the harness itself does little.
*/
const MAX_BUSY_CORES = 1.2;
/** The steal time above which a run counts as disturbed: the share of the cores' busy time that a host gave to other virtual machines. */
const MAX_STOLEN = 0.02;
/** Linux reports CPU time in ticks of 10 ms. */
const TICKS_PER_MS = 0.1;

/** The parts of a record that the command `table` prints. */
interface StoredRun {
	readonly definition: Definition;
	readonly results: readonly SystemResult[];
	readonly load: Load;
}

/** How busy the machine was. */
interface Load {
	/**
	Load averages over 1, 5 and 15 minutes, taken before the run. After the run, they would count all threads of the systems, although
	these threads share one core.
	*/
	readonly before: readonly number[];
	/** Mean number of busy cores during the run; absent if the operating system does not report CPU times. */
	readonly busyCores?: number | undefined;
	/** Steal time as a share of the time in which cores had work; absent in the same case. */
	readonly stolenShare?: number | undefined;
}

/**
Measures the definitions that `args` names, prints the tables of records (`table FILE …`), or lists the definitions if none is named or
`--help` is given.
*/
export async function collections(args: readonly string[], say: (line: string) => void): Promise<void> {
	const {values, positionals: given} = parseArgs({
		args: [...args],
		allowPositionals: true,
		options: {setup: {type: 'boolean'}, large: {type: 'boolean'}, only: {type: 'string'}, help: {type: 'boolean', short: 'h'}},
	});
	const positionals = values.help ? [] : given;
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
			throw new UsageError(`expected a definition (${known.join(', ')}), got ${name}`);
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
		// Results of selected systems, and of smoke runs, must not be quoted as comparisons, so they do not go to `record/`.
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

/** Returns a line that says whether other work disturbed a run. */
function noiseOf({before, busyCores, stolenShare: stolen = 0}: Load): string {
	const busy = busyCores === undefined ? '' : `, ${busyCores} cores busy on average, ${(100 * stolen).toFixed(1)}% stolen`;
	const isNoisy = before[0]! > MAX_BUSY_CORES || (busyCores ?? 0) > MAX_BUSY_CORES || stolen > MAX_STOLEN;
	const verdict = isNoisy ? 'NOISY: other work ran at the same time, so do not quote these numbers' : 'Not disturbed';
	return `\n${verdict} (load averages before the run ${before.join(', ')}${busy}).`;
}

/** Returns the SHA-256 of the addon, which may have been built from an older commit; undefined if the folder `native/` has no addon. */
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
