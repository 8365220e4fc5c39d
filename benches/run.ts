// `npm run bench -- NAME …` runs the named benchmarks one after another. Each one writes its result, with the CPU and the commit, to
// benches/record/NAME.json, or to another file there if its result names one. `npm run bench -- qps …`, `npm run bench -- collections …` and
// `npm run bench -- training …` run comparisons with other systems, which have their own records.
import {execFileSync} from 'node:child_process';
import {mkdirSync, writeFileSync} from 'node:fs';
import {cpus} from 'node:os';
import {join} from 'node:path';
import {packageRoot} from '../ts/core/native/addon.ts';
import {native} from '../ts/core/native/native.ts';
import {collections} from './collections/run.ts';
import {phraseStudy} from './effectiveness/phrase-study.ts';
import {quality} from './effectiveness/quality.ts';
import {replication} from './effectiveness/replication.ts';
import {temperature} from './effectiveness/temperature.ts';
import {trainedEncoder} from './effectiveness/trained-encoder.ts';
import {trainedReader} from './effectiveness/trained-reader.ts';
import {trainingStudy} from './effectiveness/training-study.ts';
import {vocabularyStudy} from './effectiveness/vocabulary-study.ts';
import {memory} from './load/memory.ts';
import {remote} from './load/remote.ts';
import {soak} from './load/soak.ts';
import {qps} from './qps/run.ts';
import {hitConversion} from './speed/hit-conversion.ts';
import {hybrid} from './speed/hybrid.ts';
import {latency} from './speed/latency.ts';
import {phrases} from './speed/phrases.ts';
import {pipeline} from './speed/pipeline.ts';
import {planner} from './speed/planner.ts';
import {segments} from './speed/segments.ts';
import {tuneEvidenceBenchmark} from './speed/tune-evidence.ts';
import type {Benchmark} from './support/benchmark.ts';
import {UsageError} from './support/usage-error.ts';
import {training} from './training/run.ts';

/** All benchmarks except `comparisons`, which take arguments of their own. README.md says what each benchmark measures. */
const benchmarks: Readonly<Record<string, Benchmark>> = {
	'hit-conversion': hitConversion,
	hybrid,
	latency,
	phrases,
	pipeline,
	planner,
	segments,
	'tune-evidence': tuneEvidenceBenchmark,
	memory,
	remote,
	soak,
	quality,
	'phrase-study': phraseStudy,
	replication,
	temperature,
	'trained-encoder': trainedEncoder,
	'trained-reader': trainedReader,
	'training-study': trainingStudy,
	'vocabulary-study': vocabularyStudy,
};
const comparisons = {qps, collections, training} as const;
const allNames = [...Object.keys(benchmarks), ...Object.keys(comparisons)].join(', ');

const names = process.argv.slice(2);
const [comparison] = names;
if (comparison === 'qps' || comparison === 'collections' || comparison === 'training') {
	try {
		await comparisons[comparison](names.slice(1), line => console.log(line));
		process.exit();
	} catch (error) {
		if (isUsageError(error)) {
			stopForUsage(`${error.message}\n\`npm run bench -- ${comparison} --help\` lists the arguments.`);
		}
		throw error;
	}
}
if (names.length === 0 || names.includes('--help') || names.includes('-h')) {
	console.log(`Benchmarks: ${allNames}. Run one with \`npm run bench -- NAME\`.`);
	process.exit();
}
for (const name of names) {
	const benchmark = benchmarks[name];
	if (!benchmark) {
		stopForUsage(`expected one of ${allNames}, got ${name}`);
	}
	// Before the benchmark, because some benchmarks write files.
	const measured = commit();
	const {recordName = name, ...result} = await benchmark(line => console.log(line));
	const record = {
		benchmark: name,
		cpu: cpus()[0]?.model.trim(),
		cores: cpus().length,
		kernels: native.systemInfo().level,
		node: process.version,
		commit: measured,
		...result,
	};
	const folder = join(packageRoot, 'benches', 'record');
	mkdirSync(folder, {recursive: true});
	const file = join(folder, `${recordName}.json`);
	writeFileSync(file, `${JSON.stringify(record, undefined, '\t')}\n`);
	console.log(`recorded in benches/record/${recordName}.json`);
}

/** Returns whether an error was caused by the arguments. */
function isUsageError(error: unknown): error is Error {
	return error instanceof UsageError || (error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS'));
}

/** Prints a message without a stack trace, and exits. */
function stopForUsage(message: string): never {
	console.error(message);
	process.exit(2);
}

/** Returns the commit of the working tree. */
function commit(): string {
	const git = (...args: string[]): string => execFileSync('git', args, {cwd: packageRoot, encoding: 'utf8'}).trim();
	return `${git('rev-parse', '--short', 'HEAD')}${git('status', '--porcelain', '--untracked-files=no') === '' ? '' : ' with changes'}`;
}
