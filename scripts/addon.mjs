// Builds the addon for publishing, for one of the platforms in package.json, and writes it to dist/addons. On Linux, zig links the addons for
// all Linux platforms: it needs no other compiler, and it can link with the symbols of an old glibc. The addons for macOS use a framework of
// macOS, so they can be linked on Linux only with Apple's SDK, in the folder that the environment variable SDKROOT names.
import {spawnSync} from 'node:child_process';
import {existsSync, mkdirSync, readFileSync, statSync} from 'node:fs';
import {join} from 'node:path';
import {findZig} from './cross-tools.mjs';
import {execute, fail, root, say} from './commands.mjs';
import {hostTarget, prepare, requireRust} from './prepare.mjs';

/** The oldest version of glibc with which the addons for Linux run. Node 20 itself needs 2.28. */
const MIN_GLIBC = '2.17';
/** Maximum size of an addon, in MB. */
const MAX_ADDON_MB = 16.5;
/** The folder for the addons that will be published. */
export const addonFolder = join(root, 'dist/addons');

/** Builds the addon for a Rust target, such as `aarch64-unknown-linux-musl`. */
export async function buildAddonForPublishing(target = hostTarget()) {
	const {name, napi} = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
	if (!napi.targets.includes(target)) {
		fail(`expected a target for which ${name} has a package, one of ${napi.targets.join(', ')}; got ${target}`, 2);
	}
	await prepare({only: ['packages']});
	requireRust();
	const canLink = target.includes('linux') || (target.includes('apple') && Boolean(process.env.SDKROOT));
	const usesZig = process.platform === 'linux' && canLink;
	if (!usesZig && systemOf(target) !== systemOf(hostTarget())) {
		fail(`the addon for ${target} cannot be built on ${process.platform}: build it on that system, as .github/workflows/release.yml does.`);
	}
	if (!installRustTarget(target)) {
		fail(`Rust's standard library for ${target} could not be installed; \`rustup target add ${target}\` failed.`);
	}
	if (usesZig && !findZig()) {
		fail(
			'the addon for publishing is linked with zig, which could not be downloaded. Install it with `pip install cargo-zigbuild ziglang`, and run the same command again.',
		);
	}
	mkdirSync(addonFolder, {recursive: true});
	const {parseTriple} = await import('@napi-rs/cli');
	const file = join(addonFolder, `${napi.binaryName}.${parseTriple(target).platformArchABI}.node`);
	execute(process.execPath, [
		join(root, 'node_modules/@napi-rs/cli/dist/cli.js'),
		'build',
		'--manifest-path',
		'native/addon/Cargo.toml',
		'--package-json-path',
		'package.json',
		'--output-dir',
		'dist/addons',
		// A target folder of its own: because the linker differs from that of `npm run build`, Cargo would otherwise rebuild the C libraries
		// whenever the two builds alternate.
		'--target-dir',
		'target/addons',
		'--platform',
		'--no-js',
		'--dts',
		'binding.d.ts',
		'--profile',
		'dist',
		'--target',
		usesZig && target.endsWith('-gnu') ? `${target}.${MIN_GLIBC}` : target,
		...(usesZig ? ['--cross-compile'] : []),
	]);
	if (!existsSync(file)) {
		fail(`expected the build to write ${file}, but it did not.`);
	}
	const size = statSync(file).size / 1e6;
	say(`dist/addons has the addon for ${target}: ${size.toFixed(1)} MB`);
	if (size > MAX_ADDON_MB) {
		fail(`expected an addon of at most ${MAX_ADDON_MB} MB, got ${size.toFixed(1)} MB.`);
	}
}

/** Returns a target without its architecture, such as `apple-darwin`. A system's own linker links for all of its architectures. */
function systemOf(target) {
	return target.slice(target.indexOf('-') + 1);
}

/** Installs Rust's standard library for a target, if it is missing. Returns whether it is there. */
export function installRustTarget(target) {
	const libraries = spawnSync('rustc', ['--print', 'target-libdir', '--target', target], {encoding: 'utf8', cwd: root}).stdout.trim();
	return existsSync(libraries) || spawnSync('rustup', ['target', 'add', target], {cwd: root, stdio: 'inherit'}).status === 0;
}
