// `npm run demo`, `npm test`, `npm run ready`, …: sets the checkout up where needed, then does the work.
import {spawnSync} from 'node:child_process';
import {existsSync} from 'node:fs';
import {join} from 'node:path';
import {execute, fail, npm, prepare, requireRust, root, say} from './prepare.mjs';

const [task, ...args] = process.argv.slice(2);
const bin = (name, file) => join(root, 'node_modules', name, file);
const node = (...command) => execute(process.execPath, command);

const tasks = {
	/** `build dist`: the addon as it is published. */
	async build() {
		await prepare({profile: args[0]});
	},
	async demo() {
		await prepare();
		node('bin/passagekit.js', 'demo', ...args);
	},
	/** All tests, or with arguments ava's alone: `npm test -- test/fusion/fuse.test.ts`. */
	async test() {
		await prepare();
		if (args.length === 0) {
			rustTests();
			typeTests();
		}
		node(bin('ava', 'entrypoints/cli.mjs'), ...args);
	},
	/** What must hold before a commit. */
	async ready() {
		await tasks.checks();
		await tasks.test();
	},
	/** Formatting, linting, and that generated files are up to date. */
	async checks() {
		await prepare();
		requireRust();
		execute('cargo', ['fmt', '--all', '--check']);
		execute('cargo', ['clippy', '--release', '--workspace', '--target', hostTarget(), '--all-targets', '--quiet', '--', '-D', 'warnings']);
		node(bin('oxlint', 'bin/oxlint'), '--deny-warnings', 'ts', 'test', 'benches', 'scripts', 'bin', 'examples');
		node(bin('@biomejs/biome', 'bin/biome'), 'format', '.');
		node(bin('publint', 'src/cli.js'), '--strict');
		// Written anew by the build whenever the sources had changed.
		if (spawnSync('git', ['diff', '--quiet', '--', 'native/binding.d.ts'], {cwd: root}).status === 1) {
			fail('native/binding.d.ts is not what the addon declares: the build has written it anew; add it to the commit.');
		}
	},
	/** Instructions counted, beside those of benches/instructions/record.json; `npm run guard -- --record` records them. */
	async guard() {
		if (spawnSync('valgrind', ['--version']).status !== 0) {
			say('SKIPPING the comparison of instruction counts: there is no `valgrind` here, which counts them.');
			return;
		}
		await prepare({only: ['packages']});
		requireRust();
		node('--import=tsx', 'benches/instructions/guard.ts', ...args);
	},
	/** The documentation site, in docs/.vitepress/dist; with `serve` it is shown and rebuilt while pages change. */
	async docs() {
		await prepare({only: ['packages']});
		execute(npm, ['ci', '--prefix', 'docs', '--no-audit', '--no-fund', '--loglevel=error']);
		const docs = (name, file, ...rest) => execute(process.execPath, [join(root, 'docs/node_modules', name, file), ...rest]);
		docs('typedoc', 'bin/typedoc', '--options', 'docs/typedoc.json');
		docs('vitepress', 'bin/vitepress.js', args[0] === 'serve' ? 'dev' : 'build', 'docs');
	},
	/** `npm run bench -- NAME`: one of benches/, on an optimized addon. */
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

/** The addon is built for a named target; naming it here shares what was compiled. */
function hostTarget() {
	return /^host: (.+)$/mu.exec(spawnSync('rustc', ['-vV'], {encoding: 'utf8'}).stdout)[1];
}

function typeTests() {
	say('type tests …');
	node(bin('typescript', 'bin/tsc'), '--noEmit', '-p', 'tsconfig.json');
	// What is published must forbid what the sources forbid.
	node(bin('typescript', 'bin/tsc'), '-p', 'test/types');
	// Scripts of pages, which have a document and no Node.
	node(bin('typescript', 'bin/tsc'), '--noEmit', '-p', 'benches/qps/report/client');
}

if (!Object.hasOwn(tasks, task ?? '')) {
	fail(`expected one of ${Object.keys(tasks).join(', ')}, got ${task ?? 'nothing'}`, 2);
}
await tasks[task]();
