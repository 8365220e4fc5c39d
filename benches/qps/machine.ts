// Describes the machine and the checkout, for the record of a run.
import {execFileSync} from 'node:child_process';
import {existsSync, readFileSync} from 'node:fs';
import {cpus, totalmem} from 'node:os';
import {packageRoot} from '../../ts/core/native/addon.ts';
import {cpuFlags} from '../../ts/bench/machine.ts';
import {coresOf} from './system.ts';

export {load} from '../../ts/bench/machine.ts';

export interface Machine {
	/** When the run began, ISO 8601. */
	readonly date: string;
	readonly cpu?: string | undefined;
	readonly cores: number;
	/** The cores that systems ran on, as `taskset` takes them. In records from before runs could use several cores, a number. */
	readonly pinnedTo?: string | number | undefined;
	/** The CPU's instruction sets that decide which kernels run. */
	readonly flags: string;
	readonly memoryBytes: number;
	readonly platform: string;
	/** The commit's short hash, followed by `with changes` if tracked files had uncommitted changes. */
	readonly commit: string;
}

/** `threads` is the number of threads that each system may use. */
export function machine(threads: number): Machine {
	const git = (...words: string[]): string => execFileSync('git', words, {cwd: packageRoot, encoding: 'utf8'}).trim();
	const changed = git('status', '--porcelain', '--untracked-files=no') !== '';
	return {
		date: new Date().toISOString(),
		cpu: cpus()[0]?.model.trim(),
		cores: cpus().length,
		pinnedTo: coresOf(threads),
		flags: cpuFlags(),
		memoryBytes: totalmem(),
		platform: `${process.platform}-${process.arch}`,
		commit: `${git('rev-parse', '--short', 'HEAD')}${changed ? ' with changes' : ''}`,
	};
}

/** CPU time of all cores since the machine was started, in ticks. */
interface CoreTicks {
	readonly worked: number;
	/** The time in which a core had work, but the virtual machine's host ran another guest. */
	readonly stolen: number;
}

/** Reads the counters from `/proc/stat`. Returns undefined if the operating system does not have them. */
export function coreTicks(): CoreTicks | undefined {
	const [, line] = /^cpu +(.*)$/mu.exec(existsSync('/proc/stat') ? readFileSync('/proc/stat', 'utf8') : '') ?? [];
	const [user, nice, system, , , interrupts, soft, stolen] = line?.split(' ').map(Number) ?? [];
	return stolen === undefined ? undefined : {worked: user! + nice! + system! + interrupts! + soft!, stolen};
}

/** The share of the cores' busy time that the virtual machine's host gave to other guests, rounded to four decimals. */
export function stolenShare(before: CoreTicks | undefined, after: CoreTicks | undefined): number | undefined {
	if (!before || !after) {
		return undefined;
	}
	const [worked, stolen] = [after.worked - before.worked, after.stolen - before.stolen];
	return Number((stolen / Math.max(1, worked + stolen)).toFixed(4));
}
