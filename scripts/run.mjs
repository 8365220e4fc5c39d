// The tasks behind `npm run demo`, `npm test`, `npm run ready` and others. Sets up the checkout if needed, then runs the task.
import {spawnSync} from 'node:child_process';
import {existsSync} from 'node:fs';
import {join} from 'node:path';
import {execute, fail, npm, prepare, requireRust, root, say} from './prepare.mjs';

const [task, ...args] = process.argv.slice(2);
const bin = (name, file) => join(root, 'node_modules', name, file);
const node = (...command) => execute(process.execPath, command);

const tasks = {
	/** `build dist` builds the addon as it is published. */
	async build() {
		await prepare({profile: args[0]});
	},
	async demo() {
		await prepare();
		node('bin/passagekit.js', 'demo', ...args);
	},
	/** Runs all tests, or with arguments only those of ava: `npm test -- test/fusion/fuse.test.ts`. */
	async test() {
		await prepare();
		if (args.length === 0) {
			rustTests();
			typeTests();
		}
		node(bin('ava', 'entrypoints/cli.mjs'), ...args);
	},
	/** Runs everything that must pass before a commit. */
	async ready() {
		await tasks.checks();
		await tasks.test();
	},
	/** Checks formatting, lints, and that generated files are up to date. */
	async checks() {
		await prepare();
		requireRust();
		execute('cargo', ['fmt', '--all', '--check']);
		execute('cargo', ['clippy', '--release', '--workspace', '--target', hostTarget(), '--all-targets', '--quiet', '--', '-D', 'warnings']);
		node(bin('oxlint', 'bin/oxlint'), '--deny-warnings', 'ts', 'test', 'benches', 'scripts', 'bin', 'examples');
		node(bin('@biomejs/biome', 'bin/biome'), 'format', '.');
		node(bin('publint', 'src/cli.js'), '--strict');
		// The build rewrites this file whenever the sources have changed.
		if (spawnSync('git', ['diff', '--quiet', '--', 'native/binding.d.ts'], {cwd: root}).status === 1) {
			fail('native/binding.d.ts is not what the addon declares: the build has written it anew; add it to the commit.');
		}
	},
	/** Compares instruction counts with benches/instructions/record.json; `npm run guard -- --record` updates the record. */
	async guard() {
		if (spawnSync('valgrind', ['--version']).status !== 0) {
			say('SKIPPING the comparison of instruction counts: there is no `valgrind` here, which counts them.');
			return;
		}
		await prepare({only: ['packages']});
		requireRust();
		node('--import=tsx', 'benches/instructions/guard.ts', ...args);
	},
	/** Builds the documentation site in docs/.vitepress/dist; `serve` serves it and rebuilds it when pages change. */
	async docs() {
		await prepare({only: ['packages']});
		// Its package.json has exact versions: a lock file made without registry addresses lacks the optional packages of other platforms.
		execute(npm, ['install', '--prefix', 'docs', '--no-package-lock', '--no-audit', '--no-fund', '--loglevel=error']);
		const docs = (name, file, ...rest) => execute(process.execPath, [join(root, 'docs/node_modules', name, file), ...rest]);
		docs('typedoc', 'bin/typedoc', '--options', 'docs/typedoc.json');
		docs('vitepress', 'bin/vitepress.js', args[0] === 'serve' ? 'dev' : 'build', 'docs');
	},
	/** `npm run bench -- NAME` runs one of benches/ with an optimized addon. */
	async bench() {
		await prepare();
		node('--import=tsx', 'benches/run.ts', ...args);
	},
};

function rustTests() {
	requireRust();
	const shared = process.env.PASSAGEKIT_SHARED ?? join(root, '..', 'shared');
	if (!existsSync(join(shared, 'reference'))) {
		say(
			`SKIPPING the checks against Lucene, trec_eval, Pyserini and real collections: they cannot be published, and are not in ${shared}.`,
		);
	}
	say('cargo test …');
	execute('cargo', ['test', '--release', '--workspace', '--target', hostTarget(), '--quiet']);
}

/** The addon is built for an explicit target. Cargo reuses its compiled crates only if the same target is named here. */
function hostTarget() {
	return /^host: (.+)$/mu.exec(spawnSync('rustc', ['-vV'], {encoding: 'utf8'}).stdout)[1];
}

function typeTests() {
	say('type tests …');
	node(bin('typescript', 'bin/tsc'), '--noEmit', '-p', 'tsconfig.json');
	// The published declarations must reject what the sources reject.
	node(bin('typescript', 'bin/tsc'), '-p', 'test/types');
	// Scripts of web pages, which run in a browser and not in Node.
	node(bin('typescript', 'bin/tsc'), '--noEmit', '-p', 'benches/qps/report/client');
}

if (!Object.hasOwn(tasks, task ?? '')) {
	fail(`expected one of ${Object.keys(tasks).join(', ')}, got ${task ?? 'nothing'}`, 2);
}
await tasks[task]();
