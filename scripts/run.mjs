// Runs the tasks of `npm run demo`, `npm test`, `npm run ready` and the other scripts in package.json. Sets up the checkout first if needed.
import {spawnSync} from 'node:child_process';
import {existsSync} from 'node:fs';
import {createRequire} from 'node:module';
import {join} from 'node:path';
import {addonFile, execute, fail, npm, prepare, requireRust, root, say} from './prepare.mjs';

const [task, ...args] = process.argv.slice(2);
const bin = (name, file) => join(root, 'node_modules', name, file);
const node = (...command) => execute(process.execPath, command);

const tasks = {
	/** Builds everything; `npm run build dist` builds the addon as it is published. */
	async build() {
		await prepare({profile: args[0]});
	},
	async demo() {
		await prepare();
		node('bin/passagekit.js', 'demo', ...args);
	},
	/** Runs all tests. With arguments, it runs only ava with these, for example `npm test -- test/fusion/fuse.test.ts`. */
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
			fail('native/binding.d.ts was out of date, and the build has updated it: add it to the commit.');
		}
	},
	/** Compares instruction counts with those in benches/instructions/record.json; `npm run guard -- --record` updates them. */
	async guard() {
		if (spawnSync('valgrind', ['--version']).status !== 0) {
			say('SKIPPING the comparison of instruction counts: it needs `valgrind`, which is not installed.');
			return;
		}
		await prepare({only: ['packages']});
		requireRust();
		node('--import=tsx', 'benches/instructions/guard.ts', ...args);
	},
	/** Builds the documentation site in docs/.vitepress/dist; `npm run docs serve` serves it, and updates it when pages change. */
	async docs() {
		await prepare({only: ['packages']});
		// docs/package.json has exact versions instead of a lock file: one made on a single platform can lack optional packages of others.
		execute(npm, ['install', '--prefix', 'docs', '--no-package-lock', '--no-audit', '--no-fund', '--loglevel=error']);
		const docs = (name, file, ...rest) => execute(process.execPath, [join(root, 'docs/node_modules', name, file), ...rest]);
		docs('typedoc', 'bin/typedoc', '--options', 'docs/typedoc.json');
		docs('vitepress', 'bin/vitepress.js', args[0] === 'serve' ? 'dev' : 'build', 'docs');
	},
	/**
	Packs the npm packages in dist/packages, with an addon that is optimized for publishing. `npm run pack release` takes the addon of
	`npm run build`, which is larger and built in less time.
	*/
	async pack() {
		await prepare({profile: args[0] ?? 'dist'});
		const {pack} = await import('./pack.mjs');
		await pack();
	},
	/** `npm run bench -- NAME` runs a benchmark with an optimized addon. */
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
			`SKIPPING the comparisons with Lucene, trec_eval, Pyserini and Faiss on collections that cannot be published: they are not in ${shared}. The comparisons on test/golden run.`,
		);
	}
	say('cargo test …');
	execute('cargo', ['test', '--release', '--workspace', '--target', hostTarget(), '--quiet']);
	const {supportedLevels} = createRequire(import.meta.url)(join(root, addonFile())).systemInfo();
	// The tests above ran with the first level, which is the fastest. The tests of kernels ran with all.
	for (const level of supportedLevels.slice(1)) {
		say(`cargo test of BM25 and vector search with PASSAGEKIT_CPU=${level} …`);
		const tests = ['lucene_scores', 'golden', 'flat', 'hnsw'].flatMap(name => ['--test', name]);
		const args = ['test', '--release', '--target', hostTarget(), '--quiet', '-p', 'sparse', '-p', 'dense', ...tests];
		execute('cargo', args, {PASSAGEKIT_CPU: level});
	}
}

/**
Returns the target triple of this machine. The addon is built with an explicit target, and Cargo reuses its compiled crates only if tests name
the same one.
*/
function hostTarget() {
	return /^host: (.+)$/mu.exec(spawnSync('rustc', ['-vV'], {encoding: 'utf8'}).stdout)[1];
}

function typeTests() {
	say('type tests …');
	node(bin('typescript', 'bin/tsc'), '--noEmit', '-p', 'tsconfig.json');
	// The published declarations must reject what the sources reject.
	node(bin('typescript', 'bin/tsc'), '-p', 'test/types');
	// Scripts of the benchmark report, which run in a browser.
	node(bin('typescript', 'bin/tsc'), '--noEmit', '-p', 'benches/qps/report/client');
}

if (!Object.hasOwn(tasks, task ?? '')) {
	fail(`expected one of ${Object.keys(tasks).join(', ')}, got ${task ?? 'nothing'}`, 2);
}
await tasks[task]();
