/** What a record says of the machine. */
import {existsSync, readFileSync} from 'node:fs';
import {availableParallelism, cpus, loadavg, totalmem} from 'node:os';
import {native} from '../core/native/native.ts';

/** Instruction sets that kernels choose by. */
const TELLING = /^(?:avx|fma|f16c|bmi2|gfni|vaes|amx|asimd|sve|i8mm|bf16)/u;

export interface Machine {
	readonly date: string;
	readonly cpu: string | undefined;
	readonly cores: number;
	readonly memoryBytes: number;
	readonly platform: string;
	readonly node: string;
	/** The kernels that passagekit has chosen. */
	readonly kernels: string;
	/** Instruction sets, where the system tells. */
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

/** Processes that run or want to, on average over 1, 5 and 15 minutes. */
export const load = (): readonly number[] => loadavg().map(value => Number(value.toFixed(2)));
