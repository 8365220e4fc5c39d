// Runs the tasks behind `npm run demo`, `npm test`, `npm run ready` and the other scripts in package.json. Each task first sets up what it needs
// in the checkout (prepare.mjs).
import {spawnSync} from 'node:child_process';
import {existsSync} from 'node:fs';
import {createRequire} from 'node:module';
import {join} from 'node:path';
import {execute, fail, npm, root, say} from './commands.mjs';
import {addonFile, hostTarget, prepare, requireRust} from './prepare.mjs';

const [task, ...args] = process.argv.slice(2);
const bin = (name, file) => join(root, 'node_modules', name, file);
const node = (...command) => execute(process.execPath, command);

const tasks = {
	async build() {
		await prepare({profile: args[0]});
	},
	async demo() {
		await prepare();
		node('bin/passagekit.js', 'demo', ...args);
	},
	/** Runs all tests. With arguments, runs only ava with these arguments, for example `npm test -- test/fusion/fuse.test.ts`. */
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
	/** Runs the tests of the SIMD kernels for ARM in an emulator. Downloads qemu and zig if they are missing; if that fails, says so and skips the tests. */
	async 'test:arm'() {
		await prepare({only: ['packages']});
		const {testArm} = await import('./test-arm.mjs');
		testArm();
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
	/** Builds the documentation site in docs/.vitepress/dist; `npm run docs serve` serves the site, and updates it when pages change. */
	async docs() {
		await prepare({only: ['packages']});
		// docs/package.json has exact versions instead of a lock file, because a lock file that npm writes on one platform can lack the optional
		// packages of other platforms.
		execute(npm, ['install', '--prefix', 'docs', '--no-package-lock', '--no-audit', '--no-fund', '--loglevel=error']);
		const docs = (name, file, ...rest) => execute(process.execPath, [join(root, 'docs/node_modules', name, file), ...rest]);
		docs('typedoc', 'bin/typedoc', '--options', 'docs/typedoc.json');
		docs('vitepress', 'bin/vitepress.js', args[0] === 'serve' ? 'dev' : 'build', 'docs');
	},
	/**
	Builds the addon for publishing in dist/addons. `npm run addon -- aarch64-unknown-linux-musl` builds it for another platform; without an
	argument, it is built for this one.
	*/
	async addon() {
		const {buildAddonForPublishing} = await import('./addon.mjs');
		await buildAddonForPublishing(args[0]);
	},
	/** Packs the npm packages into dist/packages, with the addons in dist/addons or, for this platform, the addon that `npm run build` builds. */
	async pack() {
		await prepare();
		const {pack} = await import('./pack.mjs');
		await pack();
	},
	/** Sets the next version; see .changeset/README.md. */
	async 'version-packages'() {
		const {version} = await import('./version.mjs');
		await version();
	},
	/** Packs and publishes the packages; with `--dry-run`, does everything except publishing. */
	async release() {
		const unknown = args.filter(argument => argument !== '--dry-run');
		if (unknown.length > 0) {
			fail(`expected no argument but --dry-run, got ${unknown.join(' ')}`, 2);
		}
		const {release} = await import('./release.mjs');
		await release({isDryRun: args.includes('--dry-run')});
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
			`SKIPPING the comparisons with Lucene, trec_eval, Pyserini and Faiss on data sets that cannot be published: they are not in ${shared}. The comparisons on the files in test/golden still run.`,
		);
	}
	say('cargo test …');
	// Without `instructions`, which has no tests, the dependencies have the same features as for the addon, so they are not compiled again.
	const args = ['test', '--release', '--workspace', '--exclude', 'instructions', '--target', hostTarget(), '--quiet'];
	// Without `--tests`, Cargo would also link the examples.
	execute('cargo', [...args, '--tests']);
	execute('cargo', [...args, '--doc']);
	const {supportedLevels} = createRequire(import.meta.url)(join(root, addonFile())).systemInfo();
	// The tests above ran with the first level of instruction sets, which is the fastest. Only the tests of the kernels ran with all levels.
	for (const level of supportedLevels.slice(1)) {
		say(`cargo test of BM25 and vector search with PASSAGEKIT_CPU=${level} …`);
		const tests = ['lucene_scores', 'golden', 'flat', 'flat_storage', 'hnsw', 'hnsw_strategies'].flatMap(name => ['--test', name]);
		execute('cargo', [...args, ...tests], {PASSAGEKIT_CPU: level});
	}
}

function typeTests() {
	say('type tests …');
	node(bin('typescript', 'bin/tsc'), '--noEmit', '-p', 'tsconfig.json');
	// The published declarations must reject what the sources reject.
	node(bin('typescript', 'bin/tsc'), '-p', 'test/types');
	// The scripts of the benchmark report, which run in a browser.
	node(bin('typescript', 'bin/tsc'), '--noEmit', '-p', 'benches/qps/report/client');
}

if (!Object.hasOwn(tasks, task ?? '')) {
	fail(`expected one of ${Object.keys(tasks).join(', ')}, got ${task ?? 'nothing'}`, 2);
}
await tasks[task]();
