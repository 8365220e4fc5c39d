/** The description of the machine in a benchmark record. */
import {existsSync, readFileSync} from 'node:fs';
import {availableParallelism, cpus, loadavg, totalmem} from 'node:os';
import {native} from '../core/native/native.ts';

/** Instruction sets that determine the choice of kernels. */
const TELLING = /^(?:avx|fma|f16c|bmi2|gfni|vaes|amx|asimd|sve|i8mm|bf16)/u;

export interface Machine {
	readonly date: string;
	readonly cpu: string | undefined;
	readonly cores: number;
	readonly memoryBytes: number;
	readonly platform: string;
	readonly node: string;
	/** The kernels that passagekit uses on this machine. */
	readonly kernels: string;
	/** Instruction sets of the processor; empty if the system does not list them. */
	readonly flags: string;
}

export function machine(): Machine {
	return {
		date: new Date().toISOString(),
		cpu: cpus()[0]?.model.trim(),
		cores: availableParallelism(),
		memoryBytes: totalmem(),
		platform: `${process.platform}-${process.arch}`,
		node: process.versions.node,
		kernels: native.systemInfo().kernels,
		flags: cpuFlags(),
	};
}

export function cpuFlags(): string {
	const info = existsSync('/proc/cpuinfo') ? readFileSync('/proc/cpuinfo', 'utf8') : '';
	const flags = /^(?:flags|Features)\s*:\s*(.*)$/mu.exec(info)?.[1]?.split(' ') ?? [];
	return flags.filter(flag => TELLING.test(flag)).join(' ');
}

/** Returns the load averages over 1, 5 and 15 minutes. */
export const load = (): readonly number[] => loadavg().map(value => Number(value.toFixed(2)));
