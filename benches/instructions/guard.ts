// `npm run guard`: counts the instructions of all cases, and fails where one takes more than it is recorded to take.
// `npm run guard -- --record` records what they take now.
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
	instructions: counted(),
};
if (process.argv.includes('--record')) {
	writeFileSync(recordFile, `${JSON.stringify(now, undefined, '\t')}\n`);
	console.log(`recorded ${Object.keys(now.instructions).length} cases in benches/instructions/record.json`);
} else {
	report(JSON.parse(readFileSync(recordFile, 'utf8')) as CountRecord);
}

/** The program that runs valgrind is of the very version of the library, and is built once. */
function installRunner(): void {
	const [, version] = /^gungraun = "=([^"]+)"$/mu.exec(readFileSync(join(packageRoot, 'Cargo.toml'), 'utf8'))!;
	const runner = join(tools, 'bin/gungraun-runner');
	if (existsSync(runner) && output(runner, '--version').endsWith(` ${version}`)) {
		return;
	}
	console.log(`installing gungraun-runner ${version} (minutes the first time) …`);
	const install = ['install', '--locked', '--quiet', '--debug', '--version', version!, '--root', tools, 'gungraun-runner'];
	// It runs for seconds, and builds sooner like this.
	run('cargo', install, 'inherit', {CARGO_PROFILE_DEV_DEBUG: '0'});
}

/** Instructions by case. Built as `npm test` builds, so that all it built serves again. */
function counted(): Counts {
	console.log('counting instructions …');
	const build = ['bench', '--quiet', '--workspace', '--bench', 'instructions', '--target', target];
	return countsOf(run('cargo', [...build, '--', '--output-format=json', '--parallel=auto'], 'pipe'));
}

function report(recorded: CountRecord): void {
	const comparison = compare(recorded, now);
	const {differences, grown, shrunk, added, gone} = comparison;
	console.log(table(comparison).join('\n'));
	const list = (what: string, names: readonly string[]): void => {
		if (names.length > 0) {
			console.log(`${what}: ${names.join(', ')}`);
		}
	};
	list('new, not in the record', added);
	list('gone, but in the record', gone);
	list(`took more than ${100 * ALLOWED_GROWTH} % less than recorded: record it`, shrunk);
	if (differences.length > 0) {
		console.log(`NOT COMPARABLE with the record, so nothing is judged. ${differences.join('; ')}`);
	}
	if (grown.length > 0) {
		console.log(
			`TOOK MORE than ${100 * ALLOWED_GROWTH} % more instructions than recorded: ${grown.join(', ')}. Where that is worth it, \`npm run guard -- --record\`.`,
		);
		process.exitCode = 1;
	}
}

function output(command: string, ...args: string[]): string {
	return run(command, args, 'pipe').trim();
}

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
