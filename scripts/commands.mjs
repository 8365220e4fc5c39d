// What all scripts use: the paths of the checkout, and functions that run commands and print messages.
import {spawnSync} from 'node:child_process';
import {readdirSync, statSync} from 'node:fs';
import {basename, join} from 'node:path';
import {fileURLToPath} from 'node:url';

/** The root folder of the repository. */
export const root = fileURLToPath(new URL('..', import.meta.url));
/** The command that runs npm. */
export const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';

/** Runs a command in the root folder of the repository and shows its output. If it fails, this process exits with the same status. */
export function execute(command, args, environment = {}) {
	const {status, signal, error} = spawnSync(command, args, {
		cwd: root,
		stdio: 'inherit',
		env: {...process.env, ...environment},
		shell: process.platform === 'win32' && command.endsWith('.cmd'),
	});
	if (error) {
		fail(`could not run ${command}: ${error.message}`);
	}
	if (status !== 0) {
		fail(
			`\`${[basename(command), ...args.map(arg => arg.replace(root, ''))].join(' ')}\` ${signal ? `was ended by ${signal}` : `failed with status ${status}`}.`,
			status ?? 1,
		);
	}
}

export function say(message) {
	process.stderr.write(`passagekit: ${message}\n`);
}

export function fail(message, status = 1) {
	say(message);
	process.exit(status);
}

/** Returns the paths of all files in a file or folder, in order, without those of folders named `target`. Paths are relative to the root folder. */
export function filesUnder(path) {
	const status = statSync(join(root, path), {throwIfNoEntry: false});
	if (!status) {
		return [];
	}
	if (!status.isDirectory()) {
		return [path];
	}
	return readdirSync(join(root, path))
		.sort()
		.filter(name => name !== 'target')
		.flatMap(name => filesUnder(`${path}/${name}`));
}
