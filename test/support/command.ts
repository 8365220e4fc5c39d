// Runs the command line in a child process for tests.
import {execFile} from 'node:child_process';
import {join} from 'node:path';
import {packageRoot} from '../../ts/core/native/addon.ts';

export interface CommandResult {
	readonly status: number;
	readonly stdout: string;
	readonly stderr: string;
}

/** The environment of the tests without the variables that turn colors on or off. */
const {NO_COLOR: _, FORCE_COLOR: __, ...plainEnvironment} = process.env;

/** Runs a command to its end. `environment` is added to that of the tests. */
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
