// Finds the tools that build and run programs for other platforms on Linux: zig and cargo-zigbuild, and qemu. Those that are not installed are
// downloaded into target/tools: zig and cargo-zigbuild from PyPI, and qemu from the package server of Debian or Ubuntu. The system does not change.
import {spawnSync} from 'node:child_process';
import {mkdirSync, readdirSync} from 'node:fs';
import {delimiter, join} from 'node:path';
import {root, say} from './prepare.mjs';

const folder = join(root, 'target/tools');
const pythonPackages = ['cargo-zigbuild==0.24.1', 'ziglang==0.17.1'];

/** Returns the command of qemu's emulator, or `undefined` if it is neither installed nor can be downloaded. */
export function findQemu() {
	const name = 'qemu-aarch64-static';
	const downloaded = join(folder, 'qemu/usr/bin', name);
	const find = () => [name, 'qemu-aarch64', downloaded].find(command => succeeds(command, ['--version']));
	const found = find();
	if (found !== undefined) {
		return found;
	}
	say('downloading qemu-user-static …');
	if (succeeds('apt-get', ['download', 'qemu-user-static'])) {
		const file = readdirSync(folder).find(file => file.startsWith('qemu-user-static'));
		succeeds('dpkg', ['-x', file, 'qemu']);
	}
	return find();
}

/** Returns whether zig and cargo-zigbuild are installed or were downloaded. Adds the folder of the downloaded ones to `PATH`. */
export function findZig() {
	if (hasZig()) {
		return true;
	}
	const bin = join(folder, 'python/bin');
	process.env.PATH = `${bin}${delimiter}${process.env.PATH}`;
	if (!hasZig()) {
		say(`downloading ${pythonPackages.join(' and ')} …`);
		void (
			succeeds('python3', ['-m', 'venv', 'python']) &&
			succeeds(join(bin, 'pip'), ['install', '--quiet', '--disable-pip-version-check', ...pythonPackages])
		);
	}
	return hasZig();
}

function hasZig() {
	return (succeeds('zig', ['version']) || succeeds('python3', ['-m', 'ziglang', 'version'])) && succeeds('cargo-zigbuild', ['--version']);
}

function succeeds(command, args) {
	mkdirSync(folder, {recursive: true});
	return spawnSync(command, args, {cwd: folder, stdio: ['ignore', 'ignore', 'ignore']}).status === 0;
}
