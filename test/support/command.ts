// Runs the `passagekit` command in a child process, for tests.
import {execFile} from 'node:child_process';
import {join} from 'node:path';
import {packageRoot} from '../../ts/core/native/addon.ts';

export interface CommandResult {
	/** The exit status; 1 if the process ended without one, for example by a signal. */
	readonly status: number;
	readonly stdout: string;
	readonly stderr: string;
}

/** The environment of the tests without the variables that turn colors on or off. */
const {NO_COLOR: _, FORCE_COLOR: __, ...plainEnvironment} = process.env;

/** Runs `passagekit` with these arguments and waits until it exits. `environment` is added to the environment of the tests. */
export async function passagekit(args: readonly string[], environment: NodeJS.ProcessEnv = {}): Promise<CommandResult> {
	return new Promise(resolve => {
		execFile(
			process.execPath,
			[join(packageRoot, 'bin/passagekit.js'), ...args],
			{maxBuffer: 1 << 26, env: {...plainEnvironment, ...environment}},
			(error, stdout, stderr) => {
				resolve({status: typeof error?.code === 'number' ? error.code : error ? 1 : 0, stdout, stderr});
			},
		);
	});
}
