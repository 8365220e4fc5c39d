// Describes the machine and the checkout for the record of a run of a benchmark, and measures how busy the machine's cores are.
import {execFileSync} from 'node:child_process';
import {existsSync, readFileSync} from 'node:fs';
import {cpus, totalmem} from 'node:os';
import {cpuFlags} from '../../../ts/bench/machine.ts';
import {packageRoot} from '../../../ts/core/native/addon.ts';
import {coresOf} from './cores.ts';
import {currentLevel} from './level.ts';

export {load} from '../../../ts/bench/machine.ts';

export interface Machine {
	/** When the run of the benchmark began, ISO 8601. */
	readonly date: string;
	readonly cpu?: string | undefined;
	readonly cores: number;
	/** The cores that systems were pinned to, in the format of `taskset`. Older records have one core, as a number. */
	readonly pinnedTo?: string | number | undefined;
	/** The CPU's instruction sets that decide which SIMD kernels run. */
	readonly flags: string;
	/**
	The level of passagekit's kernels in the process of the harness. If the definition has a `level`, the systems run at that level instead.
	Older records do not have this field.
	*/
	readonly level?: string;
	readonly memoryBytes: number;
	readonly platform: string;
	/** The commit's short hash, followed by `with changes` if tracked files had uncommitted changes. */
	readonly commit: string;
}

/** Describes this machine at the start of a run. `threads` is the number of threads that each system may use. */
export function machine(threads: number): Machine {
	const git = (...words: string[]): string => execFileSync('git', words, {cwd: packageRoot, encoding: 'utf8'}).trim();
	const changed = git('status', '--porcelain', '--untracked-files=no') !== '';
	return {
		date: new Date().toISOString(),
		cpu: cpus()[0]?.model.trim(),
		cores: cpus().length,
		pinnedTo: coresOf(threads),
		flags: cpuFlags(),
		level: currentLevel(),
		memoryBytes: totalmem(),
		platform: `${process.platform}-${process.arch}`,
		commit: `${git('rev-parse', '--short', 'HEAD')}${changed ? ' with changes' : ''}`,
	};
}

/** The CPU time of all cores since the machine was started, in ticks (usually 10 ms). */
interface CoreTicks {
	/** Time in which the cores ran something. */
	readonly worked: number;
	/** Steal time: a core of this virtual machine had work, but the host ran another guest. */
	readonly stolen: number;
}

/** Reads the CPU times from `/proc/stat`. Returns undefined if the operating system does not report them. */
export function coreTicks(): CoreTicks | undefined {
	const [, line] = /^cpu +(.*)$/mu.exec(existsSync('/proc/stat') ? readFileSync('/proc/stat', 'utf8') : '') ?? [];
	const [user, nice, system, , , hardInterrupts, softInterrupts, stolen] = line?.split(' ').map(Number) ?? [];
	return stolen === undefined ? undefined : {worked: user! + nice! + system! + hardInterrupts! + softInterrupts!, stolen};
}

/** Returns steal time as a share of the time in which cores had work, rounded to four decimals. */
export function stolenShare(before: CoreTicks | undefined, after: CoreTicks | undefined): number | undefined {
	if (!before || !after) {
		return undefined;
	}
	const [worked, stolen] = [after.worked - before.worked, after.stolen - before.stolen];
	return Number((stolen / Math.max(1, worked + stolen)).toFixed(4));
}
