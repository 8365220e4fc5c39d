// Sets up a checkout: installs packages, builds the addon, and compiles the TypeScript code. A step is skipped if its input files have not
// changed since the step last succeeded: a hash of these files is stored in node_modules as the stamp of the step. This file imports only
// Node's built-in modules, because it runs before anything is installed.
import {spawnSync} from 'node:child_process';
import {createHash} from 'node:crypto';
import {existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync} from 'node:fs';
import {basename, dirname, join, relative} from 'node:path';
import {fileURLToPath} from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));
export const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';

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
			'scripts/prepare.mjs',
		],
		outputs: ['dist/ts/index.js', 'dist/ts/index.d.ts', 'dist/cjs/index.cjs'],
		description: 'compiling TypeScript',
		async run() {
			execute(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', 'tsconfig.build.json']);
			const entries = exportedModules();
			copyDeclarations(entries);
			await bundle(entries);
			await bundleForCommonJs(entries);
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
Bundles the modules that package.json exports, and the command line. Node opens all modules of a program at the same time. So without bundles,
the 200 source files could not be loaded on a system where a process may have only 64 open files. Code that several entry points use is
written to `chunks`.
*/
async function bundle(entries) {
	const {build} = await import('esbuild');
	await build({
		...bundleOptions,
		entryPoints: [...entries, 'cli/main.js'].map(path => join('dist/modules', path)),
		outdir: 'dist/ts',
		outbase: 'dist/modules',
		chunkNames: 'chunks/[name]-[hash]',
		splitting: true,
		format: 'esm',
	});
	keepNamesOfClassesOnly(filesUnder('dist/ts').filter(path => path.endsWith('.js')));
}

/**
Bundles all exported modules into one CommonJS file, for tools that cannot load ES modules with `require`, such as Jest. For each exported module,
also writes a small CommonJS module, which `require` loads: it passes on the ES module, as `import` loads it, or, if that fails, the module from the
CommonJS bundle.
*/
async function bundleForCommonJs(entries) {
	rmSync(join(root, 'dist/cjs'), {recursive: true, force: true});
	const {build} = await import('esbuild');
	await build({
		...bundleOptions,
		stdin: {
			contents: entries.map(path => `export * as ${JSON.stringify(path)} from './${path}';`).join('\n'),
			resolveDir: join(root, 'dist/modules'),
		},
		outfile: 'dist/cjs/passagekit.cjs',
		format: 'cjs',
		minifyWhitespace: true,
		// CommonJS has no `import.meta`; the code then uses `__filename`.
		logOverride: {'empty-import-meta': 'silent'},
		// Jest supports `import()` only with an option of Node.
		supported: {'dynamic-import': false},
	});
	for (const path of entries) {
		const file = join('dist/cjs', path.replace(/\.js$/u, '.cjs'));
		const relativePath = other => relative(dirname(file), other).replaceAll('\\', '/');
		const [esModule, bundled] = [relativePath(join('dist/ts', path)), relativePath('dist/cjs/passagekit.cjs')];
		mkdirSync(join(root, dirname(file)), {recursive: true});
		writeFileSync(join(root, file), commonJsModule(esModule, bundled, path));
		writeFileSync(join(root, file.replace(/\.cjs$/u, '.d.cts')), `${requireNote}\nexport * from '${esModule}';\n`);
	}
	keepNamesOfClassesOnly(['dist/cjs/passagekit.cjs']);
}

/**
Returns the source of a CommonJS module that passes on an ES module. `createRequire` hides the CommonJS bundle from bundlers and file tracers,
which would otherwise include its code, too.
*/
function commonJsModule(esModule, bundled, name) {
	return `try {
	module.exports = require('${esModule}');
} catch (error) {
	if (error.code !== 'ERR_REQUIRE_ESM') {
		throw error;
	}
	module.exports = require('node:module').createRequire(__filename)('./${bundled}')['${name}'];
}
`;
}

/** TypeScript before 5.8 rejects `require` of an ES module; so do later versions with `module: node16`. Node supports it since 20.19. */
const requireNote = '// @ts-ignore: Node can load ES modules with `require`.';

/** The esbuild options that both bundles share. */
const bundleOptions = {
	absWorkingDir: root,
	bundle: true,
	platform: 'node',
	// TypeScript has already lowered the syntax that Node 20 lacks.
	target: 'esnext',
	packages: 'external',
	charset: 'utf8',
	// Without this option, esbuild renames a class that refers to itself: `Bm25Index` would become `_Bm25Index`.
	keepNames: true,
	legalComments: 'none',
	logLevel: 'warning',
	define: {PASSAGEKIT_VERSION: JSON.stringify(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version)},
};

/** Returns the paths of the modules that package.json exports, relative to dist/ts: `index.js`, `fusion/index.js`, … */
function exportedModules() {
	const {exports} = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
	return Object.values(exports).flatMap(entry => entry.default?.default.replace('./dist/ts/', '') ?? []);
}

/** Copies the type declarations of exported modules to dist/ts, and those of the modules that they import. Deletes the old content of dist/ts. */
function copyDeclarations(entries) {
	rmSync(join(root, 'dist/ts'), {recursive: true, force: true});
	const pending = entries.map(path => path.replace(/\.js$/u, '.d.ts'));
	const copied = new Set();
	for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
		if (copied.has(path)) {
			continue;
		}
		copied.add(path);
		const text = readFileSync(join(root, 'dist/modules', path), 'utf8');
		mkdirSync(join(root, 'dist/ts', dirname(path)), {recursive: true});
		writeFileSync(join(root, 'dist/ts', path), text);
		for (const [, imported] of text.matchAll(/\b(?:from|import|import\() ?['"](\.[^'"]+)['"]/gu)) {
			pending.push(join(dirname(path), imported.replace(/(?:\.d)?\.[jt]s$/u, '.d.ts')));
		}
	}
}

/**
Restricts esbuild's option `keepNames` to classes. Otherwise, the name of every closure would be set each time the closure is created, which costs
microseconds per search.
*/
function keepNamesOfClassesOnly(paths) {
	const helper = /var __name ?= ?\((\w+), ?(\w+)\) ?=> ?(?=__defProp\(\1, ?"name")/u;
	const pathsWithHelper = paths.filter(path => helper.test(readFileSync(join(root, path), 'utf8')));
	if (pathsWithHelper.length === 0) {
		fail("expected esbuild's helper function `__name` in the bundles, found none: esbuild may have changed it.");
	}
	for (const path of pathsWithHelper) {
		const text = readFileSync(join(root, path), 'utf8');
		// Arrow functions have no prototype.
		writeFileSync(join(root, path), text.replace(helper, 'var __name = ($1, $2) => $1.prototype === undefined ? $1 : '));
	}
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
