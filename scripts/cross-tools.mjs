// Finds the tools that build and run programs for other platforms on Linux: zig and cargo-zigbuild, and qemu. Those that are not installed are
// downloaded into target/tools: zig and cargo-zigbuild from PyPI, and qemu from the package server of Debian or Ubuntu.
import {spawnSync} from 'node:child_process';
import {mkdirSync, readdirSync, rmSync, writeFileSync} from 'node:fs';
import {delimiter, join} from 'node:path';
import {root, say} from './commands.mjs';

const folder = join(root, 'target/tools');
/** The packages from PyPI, with the SHA-256 of their files for Linux on x86-64 and on 64-bit ARM. pip refuses any other file. */
const pythonPackages = {
	'cargo-zigbuild==0.24.1': [
		'238a1ab54a95053a4eadc34775c81f795a8ad75f80bfed63f3f445f518102375',
		'07c5e3dcddf208500462ec927c556bb306cca2b533b0abe29446bffb63767b85',
	],
	'ziglang==0.17.1': [
		'ea6cc5d87b033cf0aedfbc8f9549a908cae6c50ac31f1698188fa48a74524b54',
		'b7c5f02fccd40f89b999ee16a1f5ddced56e6182370f8affe494bcf8a28cf07e',
	],
};

/** Returns the command of qemu's emulator, or `undefined` if it is neither installed nor can be downloaded. */
export function findQemu() {
	const names = ['qemu-aarch64-static', 'qemu-aarch64'];
	const commands = [...names, ...names.map(name => join(folder, 'qemu/usr/bin', name))];
	const find = () => commands.find(command => succeeds(command, ['--version']));
	const found = find();
	if (found !== undefined) {
		return found;
	}
	say('downloading qemu …');
	// In newer versions of Debian, the package qemu-user-static is empty and depends on qemu-user.
	for (const name of ['qemu-user-static', 'qemu-user']) {
		const isPackage = file => file.startsWith(`${name}_`);
		readdirSync(folder)
			.filter(isPackage)
			.forEach(file => rmSync(join(folder, file)));
		if (find() === undefined && succeeds('apt-get', ['download', name], 'inherit')) {
			succeeds('dpkg', ['-x', readdirSync(folder).find(isPackage), 'qemu'], 'inherit');
		}
	}
	return find();
}

/** Returns whether zig and cargo-zigbuild are installed or were downloaded. Adds the folder of the downloaded tools to `PATH`. */
export function findZig() {
	if (hasZig()) {
		return true;
	}
	const bin = join(folder, 'python/bin');
	process.env.PATH = `${bin}${delimiter}${process.env.PATH}`;
	if (!hasZig()) {
		say(`downloading ${Object.keys(pythonPackages).join(' and ')} …`);
		if (succeeds('python3', ['-m', 'venv', 'python'], 'inherit')) {
			const requirements = Object.entries(pythonPackages).map(([name, hashes]) =>
				[name, ...hashes.map(hash => `--hash=sha256:${hash}`)].join(' '),
			);
			writeFileSync(join(folder, 'requirements.txt'), requirements.join('\n'));
			const options = ['--quiet', '--disable-pip-version-check', '--require-hashes', '--requirement', 'requirements.txt'];
			succeeds(join(bin, 'pip'), ['install', ...options], 'inherit');
		}
	}
	return hasZig();
}

function hasZig() {
	return (succeeds('zig', ['version']) || succeeds('python3', ['-m', 'ziglang', 'version'])) && succeeds('cargo-zigbuild', ['--version']);
}

/** Returns whether a command succeeds. `errors` says where its stderr goes. */
function succeeds(command, args, errors = 'ignore') {
	mkdirSync(folder, {recursive: true});
	return spawnSync(command, args, {cwd: folder, stdio: ['ignore', 'ignore', errors]}).status === 0;
}
