// What a record says of the machine and the checkout.
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
	/** The cores that systems ran on; in records from before there could be several, a number. */
	readonly pinnedTo?: string | number | undefined;
	/** Instruction sets that kernels choose by. */
	readonly flags: string;
	readonly memoryBytes: number;
	readonly platform: string;
	/** `with changes` where the checkout was not what was committed. */
	readonly commit: string;
}

/** `threads`: those that systems have. */
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

/** Of all cores since the machine was started, in ticks: when they worked, and when they would have but the host let others. */
interface CoreTicks {
	readonly worked: number;
	readonly stolen: number;
}

/** None where the system does not tell. */
export function coreTicks(): CoreTicks | undefined {
	const [, line] = /^cpu +(.*)$/mu.exec(existsSync('/proc/stat') ? readFileSync('/proc/stat', 'utf8') : '') ?? [];
	const [user, nice, system, , , interrupts, soft, stolen] = line?.split(' ').map(Number) ?? [];
	return stolen === undefined ? undefined : {worked: user! + nice! + system! + interrupts! + soft!, stolen};
}

/** The part of the time of cores with work that a virtual machine's host gave to others, to four digits. */
export function stolenShare(before: CoreTicks | undefined, after: CoreTicks | undefined): number | undefined {
	if (!before || !after) {
		return undefined;
	}
	const [worked, stolen] = [after.worked - before.worked, after.stolen - before.stolen];
	return Number((stolen / Math.max(1, worked + stolen)).toFixed(4));
}
