// What a record says of the machine and the checkout.
import {execFileSync} from 'node:child_process';
import {cpus, totalmem} from 'node:os';
import {packageRoot} from '../../ts/addon.ts';
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
