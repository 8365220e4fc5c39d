// Sets up a checkout: installs packages, builds the addon, and compiles the TypeScript code. A step is skipped if its input files have not
// changed since the step last succeeded: a hash of these files is stored in node_modules as the stamp of the step. Until packages are installed,
// this file may use only Node's built-in modules.
import {spawnSync} from 'node:child_process';
import {createHash} from 'node:crypto';
import {existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {execute, fail, filesUnder, npm, root, say} from './commands.mjs';

const stampFile = join(root, 'node_modules', '.passagekit-stamps.json');
const rustSources = ['Cargo.toml', 'Cargo.lock', 'crates', 'native/Cargo.toml', 'native/build.rs', 'native/src', 'native/addon'];

const steps = [
	{
		name: 'packages',
		inputs: ['package.json', 'package-lock.json'],
		outputs: ['node_modules/typescript/package.json'],
		description: 'installing packages (npm ci)',
		run() {
			// The install script of onnxruntime-node would download GPU files. The package already contains the CPU library.
			execute(npm, ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {ONNXRUNTIME_NODE_INSTALL: 'skip'});
		},
	},
	{
		name: 'addon',
		inputs: rustSources,
		outputs: [() => addonFile()],
		description: 'building the addon in Rust (minutes the first time)',
		run(profile) {
			buildAddon(profile);
		},
	},
	{
		name: 'javascript',
		inputs: [
			'ts',
			'tsconfig.json',
			'tsconfig.build.json',
			'native/binding.d.ts',
			'package.json',
			'package-lock.json',
			'scripts/bundle.mjs',
			'scripts/prepare.mjs',
		],
		outputs: ['dist/ts/index.js', 'dist/ts/index.d.ts', 'dist/cjs/index.cjs'],
		description: 'compiling TypeScript',
		async run() {
			execute(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', 'tsconfig.build.json']);
			// Imported only here, because it uses packages that another step installs.
			const {bundle} = await import('./bundle.mjs');
			await bundle();
		},
	},
];

/**
Runs the steps whose outputs are missing or out of date, and prints what they do and how long they take. `only` restricts this to the steps with
the given names. The addon is built with the Cargo profile `release`, or with `dist`, which takes longer and is that of published addons. An addon
built with `dist` is also used where `release` is requested. If the environment variable `PASSAGEKIT_PREBUILT` is set, the addon in `native/` is
used as it is.
*/
export async function prepare({only, profile = 'release'} = {}) {
	const [major, minor] = process.versions.node.split('.').map(Number);
	if (major < 20 || (major === 20 && minor < 19)) {
		fail(`passagekit needs Node 20.19 or later; this is ${process.version}. Install a newer version from https://nodejs.org.`);
	}
	for (const step of steps) {
		if (only && !only.includes(step.name)) {
			continue;
		}
		if (step.name === 'addon' && process.env.PASSAGEKIT_PREBUILT) {
			continue;
		}
		const suffix = step.name === 'addon' && profile !== 'release' ? ` ${profile}` : '';
		const isComplete = step.outputs.every(file => existsSync(join(root, typeof file === 'function' ? file() : file)));
		if (isComplete && readStamps()[step.name]?.startsWith(`${fingerprint(step.inputs)}${suffix}`)) {
			continue;
		}
		const startedAt = performance.now();
		say(`${step.description} …`);
		// If the step fails, its old outputs may be incomplete, so it must run again.
		const {[step.name]: _, ...others} = readStamps();
		writeStamps(others);
		await step.run(profile);
		// The fingerprint is computed again, because a step may change its own inputs. Installing packages deletes node_modules, and so all stamps.
		writeStamps({...readStamps(), [step.name]: `${fingerprint(step.inputs)}${suffix}`});
		say(`${step.description.replace(/ \(.*\)$/u, '')}: done in ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
	}
}

/** Builds the addon for this platform, and its type declarations. */
function buildAddon(profile) {
	requireRust();
	execute(process.execPath, [
		join(root, 'node_modules/@napi-rs/cli/dist/cli.js'),
		'build',
		'--manifest-path',
		'native/addon/Cargo.toml',
		'--package-json-path',
		'package.json',
		'--output-dir',
		'native',
		'--platform',
		'--no-js',
		'--dts',
		'binding.d.ts',
		'--profile',
		profile,
	]);
}

/**
Returns the target triple of this machine. The addon is built with an explicit target, so Cargo reuses the compiled crates for the tests only if
the tests name the same target.
*/
export function hostTarget() {
	return /^host: (.+)$/mu.exec(spawnSync('rustc', ['-vV'], {encoding: 'utf8'}).stdout)[1];
}

/** If Rust is missing or too old, prints how to install it and exits. */
export function requireRust() {
	const minVersion = /^rust-version = "(\d+)\.(\d+)/mu.exec(readFileSync(join(root, 'Cargo.toml'), 'utf8'));
	const {stdout, error, status} = spawnSync('cargo', ['--version'], {encoding: 'utf8', cwd: root});
	const instructions =
		"Install Rust with rustup (https://rustup.rs):\n\n    curl --proto '=https' --tlsv1.2 -sSf https://sh.rustup.rs | sh\n\nthen open a new shell and run the same command again.";
	if (error || status !== 0) {
		fail(`the addon is built with Rust, but \`cargo\` was not found. ${instructions}`);
	}
	const version = /(\d+)\.(\d+)/u.exec(stdout);
	if (version && (Number(version[1]) - Number(minVersion[1]) || Number(version[2]) - Number(minVersion[2])) < 0) {
		fail(
			`the addon needs Rust ${minVersion[1]}.${minVersion[2]} or later; this is ${version[0]}. Run \`rustup update stable\` or, if you do not have rustup: ${instructions}`,
		);
	}
}

/** Returns the path of the built addon. If there is none, returns a path at which no file exists. */
export function addonFile() {
	const found = readdirSync(join(root, 'native')).find(name => /^passagekit\..*\.node$/u.test(name));
	return `native/${found ?? 'passagekit.node'}`;
}

/** Returns a hash of the version of Node and of the content of all files in `paths`, which are files and folders. */
function fingerprint(paths) {
	const hash = createHash('sha256').update(process.version);
	for (const path of paths.flatMap(filesUnder)) {
		hash.update(`${path}\0`).update(readFileSync(join(root, path)));
	}
	return hash.digest('hex');
}

function readStamps() {
	try {
		return JSON.parse(readFileSync(stampFile, 'utf8'));
	} catch {
		return {};
	}
}

function writeStamps(stamps) {
	mkdirSync(join(root, 'node_modules'), {recursive: true});
	writeFileSync(stampFile, JSON.stringify(stamps));
}
