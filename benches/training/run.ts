// The command `npm run bench -- training`: compares the training of encoders with PyTorch, and writes a record.
import {createHash} from 'node:crypto';
import {mkdirSync, readFileSync, readdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {parseArgs} from 'node:util';
import {sharedFile} from '../../test/support/shared.ts';
import {packageRoot} from '../../ts/core/native/addon.ts';
import {coreTicks, load, machine, stolenShare} from '../qps/harness/machine.ts';
import {setUp} from '../qps/harness/system.ts';
import {accuracyTable, measureAccuracy} from './accuracy.ts';
import {cache} from './data.ts';
import {type Definition, type Results, commonSettings, definition as full, smoke} from './definition.ts';
import {measure, systemsFolder} from './measure.ts';
import {tables} from './table.ts';

/** A measurement counts as disturbed if more cores than this were busy with other work, on average. */
const MAX_OTHER_BUSY_CORES = 0.1;

/** Measures, prints tables and writes the record. Without the shared data sets, prints that it is skipped. */
export async function training(args: readonly string[], say: (line: string) => void): Promise<void> {
	const {values} = parseArgs({
		args: [...args],
		options: {
			setup: {type: 'boolean'},
			smoke: {type: 'boolean'},
			accuracy: {type: 'boolean'},
			bf16: {type: 'boolean'},
			help: {type: 'boolean', short: 'h'},
		},
	});
	if (values.help) {
		say('Options: --setup, --smoke, --accuracy, --bf16.');
		return;
	}
	if (!sharedFile('data', 'squad-train', 'questions.jsonl.gz') || !sharedFile('models', 'minilm-base', 'model.safetensors')) {
		say('SKIPPING the benchmark of training: it needs the shared data sets.');
		return;
	}
	for (const system of values.setup ? ['passagekit', 'pytorch'] : []) {
		say(setUp(join(systemsFolder, system)) ?? `${system} is set up`);
	}
	const definition = {...(values.smoke ? smoke : full), bf16: values.bf16 === true};
	const [thisMachine, before, ticks, addon] = [machine(Math.max(...definition.threads)), load(), coreTicks(), addonHash()];
	if (values.accuracy) {
		await recordAccuracy(definition, values.smoke === true, say);
		return;
	}
	const results = await measure(definition, say);
	const record = {
		benchmark: 'training',
		machine: {...thisMachine, node: process.version, addonSha256: addon},
		/** Load averages over 1, 5 and 15 minutes, before the run. */
		load: {before, stolenShare: stolenShare(ticks, coreTicks())},
		definition: {...definition, ...commonSettings},
		results,
	};
	const hasChanged = addonHash() !== addon;
	// Such results must not be quoted.
	const folder = values.smoke || hasChanged ? cache : join(packageRoot, 'benches', 'record');
	mkdirSync(folder, {recursive: true});
	const file = join(folder, `training${suffix(definition)}.json`);
	writeFileSync(file, `${JSON.stringify(record, undefined, '\t')}\n`);
	say(tables(results));
	say(`\n${noiseOf(results)}`);
	if (hasChanged) {
		say('The addon was built anew during the run, so do not quote these numbers.');
	}
	say(`recorded in ${file.replace(`${packageRoot}/`, '')}`);
}

/** Compares the accuracy of both systems, which does not depend on other work on the machine, and writes a record. */
async function recordAccuracy(definition: Definition, isSmoke: boolean, say: (line: string) => void): Promise<void> {
	const results = await measureAccuracy(definition, say);
	const {batchSize, hardNegatives, accuracy, threads, bf16} = definition;
	const record = {
		benchmark: 'training-accuracy',
		machine: {...machine(Math.max(...threads)), node: process.version, addonSha256: addonHash()},
		definition: {batchSize, hardNegatives, bf16, accuracy, ...commonSettings},
		results,
	};
	const folder = isSmoke ? cache : join(packageRoot, 'benches', 'record');
	mkdirSync(folder, {recursive: true});
	const file = join(folder, `training-accuracy${suffix(definition)}.json`);
	writeFileSync(file, `${JSON.stringify(record, undefined, '\t')}\n`);
	say(accuracyTable(results));
	say(`\nrecorded in ${file.replace(`${packageRoot}/`, '')}`);
}

/** The end of the names of records. */
const suffix = ({bf16}: Definition): string => (bf16 ? '-bf16' : '');

/** Returns a line that says whether other work disturbed a run. */
function noiseOf({data}: Results): string {
	const busy = Object.values(data).flatMap(({speeds}) => speeds.map(({otherBusyCores}) => otherBusyCores ?? 0));
	const verdict =
		Math.max(...busy) > MAX_OTHER_BUSY_CORES ? 'NOISY: other work ran at the same time, so do not quote these numbers' : 'Not disturbed';
	return `${verdict} (cores busy with other work: ${busy.join(', ')}).`;
}

/** Returns the SHA-256 of the addon, which may have been built from an older commit. */
function addonHash(): string {
	const folder = join(packageRoot, 'native');
	const hash = createHash('sha256');
	for (const name of readdirSync(folder).filter(file => file.endsWith('.node'))) {
		hash.update(readFileSync(join(folder, name)));
	}
	return hash.digest('hex');
}
