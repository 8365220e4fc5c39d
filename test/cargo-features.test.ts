// Tests that Cargo compiles the addon and the Rust tests with the same features of each dependency. Otherwise it would compile the dependency, and
// everything that depends on it, twice.
import {execFileSync} from 'node:child_process';
import test from 'ava';
import {packageRoot} from '../ts/core/native/addon.ts';

// On other systems, dependencies have other features, for which native/Cargo.toml is not tuned.
const testOnLinux = process.platform === 'linux' ? test : test.skip;

testOnLinux('the addon enables the same features of its dependencies as the Rust tests do', t => {
	const forAddon = features('--package', 'passagekit-native', '--edges', 'normal,build');
	const forTests = features('--workspace', '--exclude', 'instructions', '--edges', 'normal,build,dev');
	t.true(forAddon.size > 100);
	const different = [...forAddon].filter(line => !forTests.has(line));
	t.deepEqual(different, [], 'native/Cargo.toml must enable the features that the tests enable');
});

/** Returns the dependencies from registries with their versions and features, one string for each. */
function features(...args: string[]): Set<string> {
	const host = /^host: (.+)$/mu.exec(execFileSync('rustc', ['-vV'], {encoding: 'utf8'}))![1]!;
	const output = execFileSync('cargo', ['tree', '--locked', '--target', host, '--format', '{p} {f}', '--prefix', 'none', ...args], {
		cwd: packageRoot,
		encoding: 'utf8',
		stdio: ['ignore', 'pipe', 'inherit'],
	});
	return new Set(
		output
			.split('\n')
			.map(line => line.replace(/ \(\*\)$/u, '').trim())
			.filter(line => line !== '' && !line.includes(packageRoot)),
	);
}
