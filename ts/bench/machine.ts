/** Describes the machine, for the results of benchmarks. */
import {existsSync, readFileSync} from 'node:fs';
import {availableParallelism, cpus, loadavg, totalmem} from 'node:os';
import {native} from '../core/native/native.ts';

/** CPU flags of the instruction sets that determine which kernels are used. */
const KERNEL_FLAGS = /^(?:avx|fma|f16c|bmi2|gfni|vaes|amx|asimd|sve|i8mm|bf16)/u;

export interface Machine {
	/** Time of the measurement, in ISO 8601 format. */
	readonly date: string;
	readonly cpu: string | undefined;
	readonly cores: number;
	readonly memoryBytes: number;
	readonly platform: string;
	readonly node: string;
	/** The level of instruction sets whose kernels passagekit uses, such as `avx2`. */
	readonly kernels: string;
	/** CPU flags of instruction sets, separated by spaces; empty if the system does not list them. */
	readonly flags: string;
}

/** Describes this machine. */
export function machine(): Machine {
	return {
		date: new Date().toISOString(),
		cpu: cpus()[0]?.model.trim(),
		cores: availableParallelism(),
		memoryBytes: totalmem(),
		platform: `${process.platform}-${process.arch}`,
		node: process.versions.node,
		kernels: native.systemInfo().level,
		flags: cpuFlags(),
	};
}

/** Returns the CPU flags that determine which kernels are used, from `/proc/cpuinfo`. */
export function cpuFlags(): string {
	const info = existsSync('/proc/cpuinfo') ? readFileSync('/proc/cpuinfo', 'utf8') : '';
	const flags = /^(?:flags|Features)\s*:\s*(.*)$/mu.exec(info)?.[1]?.split(' ') ?? [];
	return flags.filter(flag => KERNEL_FLAGS.test(flag)).join(' ');
}

/** Returns the load averages over 1, 5 and 15 minutes. */
export const load = (): readonly number[] => loadavg().map(value => Number(value.toFixed(2)));
