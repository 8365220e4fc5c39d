// Estimates the speed of the kernels on CPUs that are not at hand: compiles crates/kernels for 64-bit ARM and for x86-64, finds the main loop of
// each kernel in the assembly code, and has llvm-mca simulate this loop on models of the CPUs' pipelines. A model knows neither caches nor
// mispredicted branches, and LLVM has only one, simplified model for all CPUs of Apple. So these are estimates for data in the L1 cache.
import {execFileSync, spawnSync} from 'node:child_process';
import {readFileSync, readdirSync, statSync} from 'node:fs';
import {join} from 'node:path';
import {packageRoot} from '../../ts/core/native/addon.ts';
import type {Benchmark} from '../support/benchmark.ts';

/** How to find the main loop of a kernel in a crate's assembly code, and how much work an iteration of the loop does. */
interface Loop {
	/** Part of the mangled name of the function. */
	readonly symbol: string;
	/** Instructions of the loop, with the number of products (or passages, for `scan`) that each stands for. */
	readonly work: Readonly<Record<string, number>>;
	/** An instruction that the loop must not have. */
	readonly without?: string;
}

/** An instruction set: the compiler's target, and the models of CPUs that have the instruction set. */
interface Target {
	readonly rust: string;
	readonly triple: string;
	/** Names for llvm-mca, by the names that are shown. */
	readonly cpus: Readonly<Record<string, string>>;
	/** The loops, by kernel. */
	readonly loops: Readonly<Record<string, Loop>>;
}

const arm = {rust: 'aarch64-unknown-linux-musl', triple: 'aarch64'};
const armCpus = {'Neoverse N1': 'neoverse-n1', 'Neoverse V2': 'neoverse-v2', 'Apple M': 'apple-m1'};
const ITERATIONS = 200;

const targets: Readonly<Record<string, Target>> = {
	avx2: {
		rust: 'x86_64-unknown-linux-gnu',
		triple: 'x86_64',
		cpus: {Skylake: 'skylake', 'Zen 3': 'znver3'},
		loops: {
			'f32 inner products': {symbol: '5float6x86_644avx25block', work: {vfmadd231ps: 8}, without: 'vsubps'},
			'f32 squared distances': {symbol: '5float6x86_644avx25block', work: {vfmadd231ps: 8}},
			'f32 inner products, panels': {symbol: 'avx26panels22accumulate_panels_into', work: {vfmadd231ps: 8}, without: 'vsubps'},
			'f16 inner products': {symbol: '4half6x86_644avx23f165block', work: {vfmadd231ps: 8}, without: 'vsubps'},
			'int8 products': {symbol: '4int86x86_644avx2', work: {vpmaddwd: 16}, without: 'vpmaddubsw'},
			'int8 products, small groups': {symbol: '4int811packed_rows4avx28products', work: {vpmaddubsw: 32}},
			'int4 products': {symbol: '4int46x86_644avx211products_of', work: {vpmaddubsw: 32}},
			'sign sketches': {symbol: '5signs6x86_644avx27sums_of', work: {vpcmpeqb: 32}},
			// Four shuffles of 16 bytes expand the codes, and two of 32 bytes look up their bounds.
			'BM25 scan, one term': {symbol: '7impacts4avx23add', work: {vpshufb: 64 / 6}},
		},
	},
	neon: {
		...arm,
		cpus: armCpus,
		loops: {
			'f32 inner products': {symbol: '5float7aarch644neon5block', work: {fmla: 4}, without: 'fsub'},
			'f32 squared distances': {symbol: '5float7aarch644neon5block', work: {fmla: 4}},
			'f32 inner products, panels': {symbol: 'neon6panels22accumulate_panels_into', work: {fmla: 4}, without: 'fsub'},
			'f16 inner products': {symbol: '4half7aarch644neon3f165block', work: {fmla: 4}, without: 'fsub'},
			'int8 products': {symbol: '4int87aarch644neon', work: {smull: 8, smull2: 8}},
			'int4 products': {symbol: '4int47aarch644neon11products_of', work: {smull: 8, smull2: 8, smlal: 8, smlal2: 8}},
			'sign sketches': {symbol: '5signs7aarch644neon7sums_of', work: {cmeq: 16}},
			'BM25 scan, one term': {symbol: '7impacts4neon3add', work: {tbl: 8}},
		},
	},
	'neon+dotprod': {
		...arm,
		cpus: armCpus,
		loops: {
			'int8 products': {symbol: '4int87aarch647dotprod', work: {sdot: 16}},
			'int4 products': {symbol: '4int47aarch647dotprod11products_of', work: {sdot: 16}},
		},
	},
	'neon+i8mm': {
		...arm,
		cpus: {'Neoverse V2': 'neoverse-v2', 'Apple M': 'apple-m4'},
		loops: {
			'int8 products': {symbol: '4int84i8mm', work: {usmmla: 32}},
		},
	},
};

export const pipeline: Benchmark = async say => {
	const mca = findMca();
	const assembly = new Map<string, Map<string, string[][]>>();
	const estimates: Array<Record<string, string | number>> = [];
	for (const [instructionSet, {rust, triple, cpus, loops}] of Object.entries(targets)) {
		if (!assembly.has(rust)) {
			assembly.set(rust, loopsByFunction(compile(rust)));
		}
		for (const [kernel, loop] of Object.entries(loops)) {
			const {body, work} = mainLoop(assembly.get(rust)!, loop);
			const estimate: Record<string, string | number> = {kernel, instructionSet, work, instructions: body.length};
			for (const [name, cpu] of Object.entries(cpus)) {
				estimate[name] = cyclesPerIteration(mca.command, triple, cpu, body);
			}
			estimates.push(estimate);
			const perCycle = Object.keys(cpus).map(name => `${name} ${(work / (estimate[name] as number)).toFixed(1)}`);
			const per1000 = Math.round((1000 * body.length) / work);
			const what = kernel.startsWith('BM25') ? 'passages' : 'products';
			say(`${kernel}, ${instructionSet}: ${per1000} instructions per 1,000 ${what}; ${what} per cycle: ${perCycle.join(', ')}`);
		}
	}
	return {llvm: mca.version, estimates};
};

/** Returns the default llvm-mca or, if there is none or it is older than version 19, the newest that is installed. */
function findMca(): {command: string; version: string} {
	for (const command of ['llvm-mca', ...[22, 21, 20, 19].map(version => `llvm-mca-${version}`)]) {
		const {status, stdout} = spawnSync(command, ['--version'], {encoding: 'utf8'});
		const version = /version (\d\S*)/u.exec(stdout ?? '')?.[1];
		// Older versions have no models of the newer CPUs.
		if (status === 0 && version !== undefined && Number.parseInt(version, 10) >= 19) {
			return {command, version};
		}
	}
	throw new Error('expected llvm-mca 19 or later to be installed (on Debian, `apt install llvm-19`)');
}

/** Compiles the crate `kernels` for a target and returns its assembly code. The target needs no linker. */
function compile(rust: string): string {
	const target = 'target/pipeline';
	const options = ['--package', 'kernels', '--release', '--lib', '--quiet', '--target', rust, '--target-dir', target];
	// If nothing has changed, Cargo does not write the assembly code again. So files of earlier runs are kept, and the newest one is read.
	execFileSync('cargo', ['rustc', ...options, '--', '--emit', 'asm', '-C', 'codegen-units=1'], {
		cwd: packageRoot,
		stdio: ['ignore', 'ignore', 'inherit'],
	});
	const folder = join(packageRoot, target, rust, 'release/deps');
	const files = readdirSync(folder).filter(name => /^kernels-.*\.s$/u.test(name));
	const newest = files.map(name => join(folder, name)).toSorted((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs)[0];
	if (newest === undefined) {
		throw new Error(`expected cargo to write the assembly code of kernels to ${folder}`);
	}
	return readFileSync(newest, 'utf8');
}

/** Returns the innermost loops of each function, each as an array of instructions. */
function loopsByFunction(assembly: string): Map<string, string[][]> {
	const functions = new Map<string, string[][]>();
	for (const [, name, code] of assembly.matchAll(/^(_(?:ZN|R)\S+):\n([\s\S]*?)^\.Lfunc_end/gmu)) {
		const lines = code!.split('\n');
		const labels = new Map<string, number>();
		const loops: Array<{start: number; end: number}> = [];
		for (const [at, line] of lines.entries()) {
			const label = /^(\.L\w+):/u.exec(line)?.[1];
			if (label !== undefined) {
				labels.set(label, at);
			}
			// A branch to a label above it closes a loop.
			const start = labels.get(/^\s+(?:b|b\.\w+|cbn?z|tbn?z|j\w+)\s(?:.*\s)?(\.L\w+)$/u.exec(line)?.[1] ?? '');
			if (start !== undefined) {
				loops.push({start, end: at});
			}
		}
		const isInnermost = (loop: {start: number; end: number}): boolean =>
			!loops.some(other => other !== loop && loop.start <= other.start && other.end <= loop.end);
		const isInstruction = (line: string): boolean => /^\s+[a-z]/u.test(line);
		functions.set(
			name!,
			loops.filter(isInnermost).map(({start, end}) => lines.slice(start, end + 1).filter(isInstruction)),
		);
	}
	return functions;
}

/** Returns the loop of the matching functions that does the most work per iteration, and this work. */
function mainLoop(functions: Map<string, string[][]>, {symbol, work, without}: Loop): {body: string[]; work: number} {
	const candidates = [...functions].filter(([name]) => name.includes(symbol)).flatMap(([, loops]) => loops);
	const operations = (body: string[]): string[] => body.map(line => line.trim().split(/\s/u)[0]!);
	const measured = candidates
		.filter(body => without === undefined || !operations(body).includes(without))
		.map(body => ({body, work: Math.round(operations(body).reduce((sum, operation) => sum + (work[operation] ?? 0), 0))}));
	const main = measured.toSorted((a, b) => b.work - a.work)[0];
	if (main === undefined || main.work === 0) {
		throw new Error(`expected a loop with ${Object.keys(work).join(', ')} in a function ${symbol}`);
	}
	return main;
}

function cyclesPerIteration(command: string, triple: string, cpu: string, body: readonly string[]): number {
	const args = [`-mtriple=${triple}`, `-mcpu=${cpu}`, `-iterations=${ITERATIONS}`];
	const output = execFileSync(command, args, {input: body.join('\n'), encoding: 'utf8', stdio: ['pipe', 'pipe', 'ignore']});
	const cycles = Number(/^Total Cycles:\s+(\d+)$/mu.exec(output)?.[1]);
	if (!(cycles > 0)) {
		throw new Error(`${command} ${args.join(' ')}: expected a line "Total Cycles", got ${output.slice(0, 200)}`);
	}
	return Number((cycles / ITERATIONS).toFixed(2));
}
