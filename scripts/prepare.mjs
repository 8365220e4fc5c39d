// Sets up a checkout: installs packages, builds the addon, compiles the TypeScript. It imports only Node built-ins, because it runs
// before anything is installed. A step is skipped if its input files have not changed since it last succeeded.
import {spawnSync} from 'node:child_process';
import {createHash} from 'node:crypto';
import {existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync} from 'node:fs';
import {basename, join} from 'node:path';
import {fileURLToPath} from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));
export const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';

const stampFile = join(root, 'node_modules', '.passagekit-stamps.json');
const rustSources = ['Cargo.toml', 'Cargo.lock', 'crates', 'native/Cargo.toml', 'native/build.rs', 'native/src'];

const steps = [
	{
		name: 'packages',
		reads: ['package.json', 'package-lock.json'],
		makes: ['node_modules/typescript/package.json'],
		does: 'installing packages (npm ci)',
		run() {
			// The peer's install script would download GPU files. The package already contains the CPU library.
			execute(npm, ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {ONNXRUNTIME_NODE_INSTALL: 'skip'});
		},
	},
	{
		name: 'addon',
		reads: rustSources,
		makes: [() => addonFile()],
		does: 'building the addon in Rust (minutes the first time)',
		run(profile) {
			buildAddon(profile);
		},
	},
	{
		name: 'javascript',
		reads: [
			'ts',
			'tsconfig.json',
			'tsconfig.build.json',
			'native/binding.d.ts',
			'package.json',
			'package-lock.json',
			'scripts/prepare.mjs',
		],
		makes: ['dist/ts/index.js', 'dist/ts/index.d.ts'],
		does: 'compiling TypeScript',
		async run() {
			execute(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', 'tsconfig.build.json']);
			removeStaleDeclarations();
			await bundle();
		},
	},
];

/**
Does what is missing or stale, saying what and how long it took. The addon is built in `profile`: `release`, or `dist`, which
takes longer and is what is published; one that is built in `dist` is good for both.
*/
export async function prepare({only, profile = 'release'} = {}) {
	const [major, minor] = process.versions.node.split('.').map(Number);
	if (major < 20 || (major === 20 && minor < 19)) {
		fail(`passagekit needs Node 20.19 or later; this is ${process.version}. Install a newer one from https://nodejs.org.`);
	}
	for (const step of steps) {
		if (only && !only.includes(step.name)) {
			continue;
		}
		const suffix = step.name === 'addon' && profile !== 'release' ? ` ${profile}` : '';
		const stamp = `${fingerprint(step.reads)}${suffix}`;
		const made = step.makes.every(file => existsSync(join(root, typeof file === 'function' ? file() : file)));
		if (made && readStamps()[step.name]?.startsWith(stamp)) {
			continue;
		}
		const began = performance.now();
		say(`${step.does} …`);
		await step.run(profile);
		// Packages come with a new node_modules, and the stamps with it.
		writeStamps({...readStamps(), [step.name]: `${fingerprint(step.reads)}${suffix}`});
		say(`${step.does.replace(/ \(.*\)$/u, '')}: done in ${((performance.now() - began) / 1000).toFixed(1)} s`);
	}
}

/** Builds the addon and its type declarations. */
function buildAddon(profile) {
	requireRust();
	execute(process.execPath, [
		join(root, 'node_modules/@napi-rs/cli/dist/cli.js'),
		'build',
		'--manifest-path',
		'native/Cargo.toml',
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
Bundles the modules that package.json exports, and the command line. Node opens all modules of a program at once: the 200
files of the sources would not open where a process may have 64 files open. What several entries use goes into `chunks`.
*/
async function bundle() {
	const output = join(root, 'dist/ts');
	for (const path of filesUnder('dist/ts').filter(path => path.endsWith('.js'))) {
		rmSync(join(root, path));
	}
	const {exports} = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
	const published = Object.values(exports).flatMap(entry => entry.default?.replace('./dist/', '') ?? []);
	const {build} = await import('esbuild');
	await build({
		absWorkingDir: root,
		entryPoints: [...published, 'ts/cli/main.js'].map(path => path.replace(/^ts/u, 'dist/modules')),
		outdir: output,
		outbase: 'dist/modules',
		chunkNames: 'chunks/[name]-[hash]',
		bundle: true,
		splitting: true,
		format: 'esm',
		platform: 'node',
		// TypeScript has already lowered the syntax that Node 20 lacks.
		target: 'esnext',
		packages: 'external',
		charset: 'utf8',
		// Otherwise esbuild calls a class that refers to itself `_Bm25Index`.
		keepNames: true,
		legalComments: 'none',
		logLevel: 'warning',
	});
	nameClassesOnly(filesUnder('dist/ts').filter(path => path.endsWith('.js')));
}

/** Removes declarations of sources that were moved or deleted. tsc leaves them, and they would be published. */
function removeStaleDeclarations() {
	for (const path of filesUnder('dist/ts').filter(path => path.endsWith('.d.ts'))) {
		if (!existsSync(join(root, path.replace(/^dist\//u, '').replace(/\.d\.ts$/u, '.ts')))) {
			rmSync(join(root, path));
		}
	}
}

/** Restricts `keepNames` to classes. It sets the name of every closure each time the closure is created, which costs microseconds per search. */
function nameClassesOnly(paths) {
	const helper = /var __name = \(target, value\) => (?=__defProp\(target, "name")/u;
	const found = paths.filter(path => helper.test(readFileSync(join(root, path), 'utf8')));
	if (found.length === 0) {
		fail("esbuild's helper for names is not where this script expects it.");
	}
	for (const path of found) {
		const text = readFileSync(join(root, path), 'utf8');
		// Arrow functions have no prototype.
		writeFileSync(join(root, path), text.replace(helper, 'var __name = (target, value) => target.prototype === undefined ? target : '));
	}
}

/** Prints what to install if Rust is missing or too old. */
export function requireRust() {
	const wanted = /^rust-version = "(\d+)\.(\d+)/mu.exec(readFileSync(join(root, 'Cargo.toml'), 'utf8'));
	const {stdout, error, status} = spawnSync('cargo', ['--version'], {encoding: 'utf8', cwd: root});
	const how =
		"Install it with rustup (https://rustup.rs):\n\n    curl --proto '=https' --tlsv1.2 -sSf https://sh.rustup.rs | sh\n\nthen open a new shell and run the same command again.";
	if (error || status !== 0) {
		fail(`the addon is built with Rust, and there is no \`cargo\` here. ${how}`);
	}
	const found = /(\d+)\.(\d+)/u.exec(stdout);
	if (found && (Number(found[1]) - Number(wanted[1]) || Number(found[2]) - Number(wanted[2])) < 0) {
		fail(`the addon needs Rust ${wanted[1]}.${wanted[2]} or later; this is ${found[0]}. Run \`rustup update stable\`. ${how}`);
	}
}

/** Runs a command in the project's folder and shows its output. If it fails, this process exits with the same status. */
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

function addonFile() {
	const found = readdirSync(join(root, 'native')).find(name => /^passagekit\..*\.node$/u.test(name));
	return `native/${found ?? 'passagekit.node'}`;
}

function fingerprint(paths) {
	const hash = createHash('sha256').update(process.version);
	for (const path of paths.flatMap(filesUnder)) {
		hash.update(`${path}\0`).update(readFileSync(join(root, path)));
	}
	return hash.digest('hex');
}

function filesUnder(path) {
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
