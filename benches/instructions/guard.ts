// `npm run guard` counts the instructions that each case (a benchmark function with one argument) executes, and fails if a count is more
// than 3% above the one in record.json. It does not fail if the counts are not comparable, for example because rustc was updated since they
// were recorded. `npm run guard -- --record` writes the current counts to record.json.
import {spawnSync} from 'node:child_process';
import {existsSync, readFileSync, writeFileSync} from 'node:fs';
import {delimiter, join} from 'node:path';
import {packageRoot} from '../../ts/core/native/addon.ts';
import {ALLOWED_GROWTH, type CountRecord, type Counts, compare, table} from './compare.ts';
import {countsOf} from './summary.ts';

const recordFile = join(packageRoot, 'benches/instructions/record.json');
const tools = join(packageRoot, 'target/tools');

const target = /^host: (.+)$/mu.exec(output('rustc', '-vV'))![1]!;
installRunner();
const now: CountRecord = {
	rustc: output('rustc', '--version'),
	target,
	libc: output('getconf', 'GNU_LIBC_VERSION'),
	valgrind: output('valgrind', '--version'),
	instructions: countInstructions(),
};
if (process.argv.includes('--record')) {
	writeFileSync(recordFile, `${JSON.stringify(now, undefined, '\t')}\n`);
	console.log(`recorded ${Object.keys(now.instructions).length} cases in benches/instructions/record.json`);
} else {
	report(JSON.parse(readFileSync(recordFile, 'utf8')) as CountRecord);
}

/** Installs gungraun's runner, the program that runs valgrind, unless the runner for the crate's version is already installed. */
function installRunner(): void {
	const [, version] = /^gungraun = "=([^"]+)"$/mu.exec(readFileSync(join(packageRoot, 'Cargo.toml'), 'utf8'))!;
	const runner = join(tools, 'bin/gungraun-runner');
	if (existsSync(runner) && output(runner, '--version').endsWith(` ${version}`)) {
		return;
	}
	console.log(`installing gungraun-runner ${version} (takes minutes, only once) …`);
	const install = ['install', '--locked', '--quiet', '--debug', '--version', version!, '--root', tools, 'gungraun-runner'];
	// A debug build without debug information takes less time to compile, and the speed of the runner itself does not matter.
	run('cargo', install, 'inherit', {CARGO_PROFILE_DEV_DEBUG: '0'});
}

/**
Counts the instructions of all cases. Builds the same workspace for the same target as `npm test`, so that cargo reuses the compiled
crates.
*/
function countInstructions(): Counts {
	console.log('counting instructions …');
	const build = ['bench', '--quiet', '--workspace', '--bench', 'instructions', '--target', target];
	return countsOf(run('cargo', [...build, '--', '--output-format=json', '--parallel=auto'], 'pipe'));
}

/** Prints the comparison with the recorded counts. If a count grew too much, the process will exit with status 1. */
function report(recorded: CountRecord): void {
	const comparison = compare(recorded, now);
	const {differences, grown, shrunk, added, gone} = comparison;
	console.log(table(comparison).join('\n'));
	const list = (what: string, names: readonly string[]): void => {
		if (names.length > 0) {
			console.log(`${what}: ${names.join(', ')}`);
		}
	};
	list('new (not in the record)', added);
	list('gone (only in the record)', gone);
	list(`shrank by more than ${100 * ALLOWED_GROWTH}%, so record the new counts`, shrunk);
	if (differences.length > 0) {
		console.log(`NOT COMPARABLE with the record, so no case fails: ${differences.join('; ')}`);
	}
	if (grown.length > 0) {
		console.log(
			`FAILED, more than ${100 * ALLOWED_GROWTH}% more instructions than recorded: ${grown.join(', ')}. If that is justified, run \`npm run guard -- --record\`.`,
		);
		process.exitCode = 1;
	}
}

/** Runs a command and returns what it writes to stdout, without leading and trailing white space. */
function output(command: string, ...args: string[]): string {
	return run(command, args, 'pipe').trim();
}

/**
Runs a command in the repository, with gungraun's runner on the `PATH`. Fails if the command fails. Returns what the command writes to
stdout if `stdout` is `pipe`, and an empty string otherwise.
*/
function run(
	command: string,
	args: readonly string[],
	stdout: 'inherit' | 'pipe',
	environment: Readonly<Record<string, string>> = {},
): string {
	const {status, error, ...result} = spawnSync(command, args, {
		cwd: packageRoot,
		encoding: 'utf8',
		maxBuffer: 1 << 28,
		stdio: ['ignore', stdout, 'inherit'],
		env: {...process.env, ...environment, PATH: `${join(tools, 'bin')}${delimiter}${process.env['PATH']}`},
	});
	if (error || status !== 0) {
		throw new Error(`\`${command} ${args.join(' ')}\` failed: ${error?.message ?? `status ${status}`}`);
	}
	return result.stdout ?? '';
}
