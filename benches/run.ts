// `npm run bench -- NAME …`: runs benchmarks and writes their results, with CPU and commit, to benches/record/.
import {execFileSync} from 'node:child_process';
import {mkdirSync, writeFileSync} from 'node:fs';
import {cpus} from 'node:os';
import {join} from 'node:path';
import {packageRoot} from '../ts/core/native/addon.ts';
import {native} from '../ts/core/native/native.ts';
import type {Benchmark} from './benchmark.ts';
import {calls} from './calls.ts';
import {hybrid} from './hybrid.ts';
import {latency} from './latency.ts';
import {memory} from './memory.ts';
import {phraseStudy} from './phrase-study.ts';
import {phrases} from './phrases.ts';
import {qps} from './qps/run.ts';
import {quality} from './quality.ts';
import {replication} from './replication.ts';
import {soak} from './soak.ts';
import {temperature} from './temperature.ts';
import {tuneEvidenceBench} from './tune-evidence.ts';
import {vocabularyStudy} from './vocabulary-study.ts';

const benchmarks: Readonly<Record<string, Benchmark>> = {
	quality,
	latency,
	memory,
	calls,
	hybrid,
	phrases,
	'phrase-study': phraseStudy,
	replication,
	soak,
	temperature,
	'tune-evidence': tuneEvidenceBench,
	'vocabulary-study': vocabularyStudy,
};

const names = process.argv.slice(2);
if (names[0] === 'qps') {
	await qps(names.slice(1), line => console.log(line));
	process.exit();
}
if (names.length === 0) {
	console.log(`Benchmarks: ${Object.keys(benchmarks).join(', ')}, qps. Run one with \`npm run bench -- NAME\`.`);
}
for (const name of names) {
	const benchmark = benchmarks[name];
	if (!benchmark) {
		throw new Error(`expected one of ${Object.keys(benchmarks).join(', ')}, got ${name}`);
	}
	const result = await benchmark(line => console.log(line));
	const record = {
		benchmark: name,
		cpu: cpus()[0]?.model.trim(),
		cores: cpus().length,
		kernels: native.systemInfo().kernels,
		node: process.version,
		commit: commit(),
		...result,
	};
	const folder = join(packageRoot, 'benches', 'record');
	mkdirSync(folder, {recursive: true});
	const file = join(folder, `${name}.json`);
	writeFileSync(file, `${JSON.stringify(record, undefined, '\t')}\n`);
	console.log(`recorded in benches/record/${name}.json`);
}

function commit(): string {
	const git = (...args: string[]): string => execFileSync('git', args, {cwd: packageRoot, encoding: 'utf8'}).trim();
	return `${git('rev-parse', '--short', 'HEAD')}${git('status', '--porcelain', '--untracked-files=no') === '' ? '' : ' with changes'}`;
}
