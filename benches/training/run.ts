// The command `npm run bench -- training`: compares the training of encoders with PyTorch, and writes a record.
import {mkdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {parseArgs} from 'node:util';
import {sharedFile} from '../../test/support/shared.ts';
import {packageRoot} from '../../ts/core/native/addon.ts';
import {coreTicks, load, machine, stolenShare} from '../qps/harness/machine.ts';
import {setUp} from '../qps/harness/system.ts';
import {cache} from './data.ts';
import {commonSettings, definition as full, smoke} from './definition.ts';
import {measure, systemsFolder} from './measure.ts';
import {tables} from './table.ts';

/** Linux reports CPU time in ticks of 10 ms. */
const TICKS_PER_MS = 0.1;

/** Measures, prints tables and writes the record. Without the shared data sets, prints that it is skipped. */
export async function training(args: readonly string[], say: (line: string) => void): Promise<void> {
	const {values} = parseArgs({args: [...args], options: {setup: {type: 'boolean'}, smoke: {type: 'boolean'}}});
	if (!sharedFile('data', 'squad-train', 'questions.jsonl.gz') || !sharedFile('models', 'minilm-base', 'model.safetensors')) {
		say('SKIPPING the benchmark of training: it needs the shared data sets.');
		return;
	}
	for (const system of values.setup ? ['passagekit', 'pytorch'] : []) {
		say(setUp(join(systemsFolder, system)) ?? `${system} is set up`);
	}
	const definition = values.smoke ? smoke : full;
	const [thisMachine, before, ticks, began] = [machine(Math.max(...definition.threads)), load(), coreTicks(), performance.now()];
	const results = await measure(definition, say);
	const now = coreTicks();
	const busyCores = ticks && now && Number(((now.worked - ticks.worked) / TICKS_PER_MS / (performance.now() - began)).toFixed(3));
	const record = {
		benchmark: 'training',
		machine: {...thisMachine, node: process.version},
		/** Load averages over 1, 5 and 15 minutes, before the run; and the mean number of busy cores during the run. */
		load: {before, busyCores, stolenShare: stolenShare(ticks, now)},
		definition: {...definition, ...commonSettings},
		results,
	};
	// The results of smoke runs must not be quoted.
	const folder = values.smoke ? cache : join(packageRoot, 'benches', 'record');
	mkdirSync(folder, {recursive: true});
	const file = join(folder, 'training.json');
	writeFileSync(file, `${JSON.stringify(record, undefined, '\t')}\n`);
	say(tables(results));
	say(`\nLoad averages before the run ${before.join(', ')}; ${busyCores ?? '?'} cores busy on average.`);
	say(`recorded in ${file.replace(`${packageRoot}/`, '')}`);
}
