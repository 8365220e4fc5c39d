// Tests the published package: its import paths, declarations, bundles and files, with and without the native addon.
import {execFile, spawnSync} from 'node:child_process';
import {cp, mkdir, mkdtemp, readFile, readdir, rm, symlink, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {promisify} from 'node:util';
import test from 'ava';
import {build} from 'esbuild';
import {packageRoot, platformName} from '../ts/core/native/addon.ts';
import {npm} from './install/app.ts';

const run = promisify(execFile);

/**
Installs the package in a new folder as npm would, with or without its addon, but without `onnxruntime-node`, its optional peer
dependency.
*/
async function installed({addon}: {addon: boolean}): Promise<string> {
	const folder = await mkdtemp(join(tmpdir(), 'passagekit-installed-'));
	const target = join(folder, 'node_modules', 'passagekit');
	await mkdir(join(target, 'native'), {recursive: true});
	for (const part of ['package.json', 'bin', 'dist/ts', 'dist/cjs', 'examples/encyclopedia']) {
		await cp(join(packageRoot, part), join(target, part), {recursive: true});
	}
	if (addon) {
		const file = `passagekit.${platformName()}.node`;
		await symlink(join(packageRoot, 'native', file), join(target, 'native', file));
	}
	await symlink(join(packageRoot, 'node_modules/commander'), join(folder, 'node_modules/commander'));
	return folder;
}

/** The import paths of the package: `passagekit`, `passagekit/fusion`, … */
async function exported(): Promise<string[]> {
	const {exports} = JSON.parse(await readFile(join(packageRoot, 'package.json'), 'utf8')) as {exports: Record<string, unknown>};
	return Object.keys(exports)
		.filter(path => path !== './package.json')
		.map(path => path.replace('.', 'passagekit'));
}

/** Runs the source of an ES module in the folder and returns what it prints. */
async function script(folder: string, source: string): Promise<string> {
	const {stdout} = await run(process.execPath, ['--input-type=module', '--eval', source], {
		cwd: folder,
		// The program must not find an ONNX Runtime library through the environment.
		env: {...process.env, PASSAGEKIT_ONNXRUNTIME: ''},
	});
	return stdout.trim();
}

test('without onnxruntime-node, BM25, answer matching and models like BERT work, and the error for other models says what to install', async t => {
	const folder = await installed({addon: true});
	t.teardown(async () => rm(folder, {recursive: true, force: true}));
	const [recognized, other] = ['minilm-encoder', 'tiny-encoder'].map(name => JSON.stringify(join(packageRoot, 'models', name)));
	const output = await script(
		folder,
		`
		import {Collection, OnnxEncoder, exactMatch} from 'passagekit';
		const collection = await Collection.build([{id: 'a', text: 'a fox'}], './index', {encoder: false});
		console.log(JSON.stringify((await collection.bm25.search('foxes')).map(({id}) => id)), exactMatch('The fox', ['fox']));
		const encoder = await OnnxEncoder.load(${recognized});
		console.log(encoder.runtime, (await encoder.encode(['a text'])).dim);
		try {
			await OnnxEncoder.load(${other});
		} catch (error) {
			console.log(error.code, error.message);
		}
	`,
	);
	t.regex(output, /^\["a"\] true\npassagekit 384\nERR_PEER_MISSING .* needs ONNX Runtime.*`npm install onnxruntime-node`/u);
});

test('without the official client of OpenSearch, the error of a collection in a cluster says what to install', async t => {
	const folder = await installed({addon: true});
	t.teardown(async () => rm(folder, {recursive: true, force: true}));
	const output = await script(
		folder,
		`
		import {OpenSearchCollection} from 'passagekit/remote';
		await OpenSearchCollection.open('docs', {url: 'http://127.0.0.1:1'}).catch(error => console.log(error.code, error.message));
	`,
	);
	t.is(
		output,
		'ERR_PEER_MISSING the package @opensearch-project/opensearch is not installed. Install it with `npm install @opensearch-project/opensearch`.',
	);
});

test('every subpath can be imported, and the package can be required from CommonJS', async t => {
	const folder = await installed({addon: true});
	t.teardown(async () => rm(folder, {recursive: true, force: true}));
	const paths = await exported();
	const output = await script(
		folder,
		`for (const path of ${JSON.stringify(paths)}) console.log(path, Object.keys(await import(path)).length > 0);`,
	);
	t.deepEqual(
		output.split('\n'),
		paths.map(path => `${path} true`),
	);
	const {stdout} = await run(process.execPath, ['--eval', 'console.log(typeof require("passagekit").FlatIndex)'], {cwd: folder});
	t.is(stdout.trim(), 'function');
});

test('the declarations compile in a program without skipLibCheck', async t => {
	const folder = await installed({addon: false});
	t.teardown(async () => rm(folder, {recursive: true, force: true}));
	await mkdir(join(folder, 'node_modules/@types'));
	for (const name of ['@types/node', 'undici-types']) {
		await symlink(join(packageRoot, 'node_modules', name), join(folder, 'node_modules', name));
	}
	await writeFile(join(folder, 'package.json'), '{"type": "module"}');
	await writeFile(
		join(folder, 'program.ts'),
		`
		import {Collection, type Run, evaluate} from 'passagekit';
		import {fuse} from 'passagekit/fusion';
		declare const run: Run;
		const {answers} = await (await Collection.open('index')).ask('who?');
		const {mean} = await evaluate(await fuse({dense: run, sparse: run}, {method: 'rrf'}), new Map(), ['nDCG@10']);
		export const both: [string, number] = [answers[0]!.text, mean['nDCG@10']];
	`,
	);
	const options = [
		'--target',
		'es2022',
		'--lib',
		'es2022,esnext.disposable',
		'--module',
		'nodenext',
		'--strict',
		'--noEmit',
		'--types',
		'node',
	];
	await t.notThrowsAsync(
		run(process.execPath, [join(packageRoot, 'node_modules/typescript/bin/tsc'), ...options, 'program.ts'], {cwd: folder}),
	);
});

/**
A program that prints the errors of calls that need the addon: a constructor, a synchronous function, and two functions that
return promises.
*/
const needAddon = `
	import {Bm25Index, FlatIndex, RetrievalError, exactMatch} from 'passagekit';
	import {fuse} from 'passagekit/fusion';
	for (const call of [() => new FlatIndex({dim: 2}), () => exactMatch('a', ['a']), () => Bm25Index.open('x'), () => fuse([new Map(), new Map()], {method: 'rrf'})]) {
		try {
			await call();
			console.log('no error');
		} catch (error) {
			console.log(error instanceof RetrievalError, error.code, error.message);
		}
	}
`;

test('without its addon, the package can be imported, and the error of a call that needs the addon says what to install', async t => {
	const folder = await installed({addon: false});
	t.teardown(async () => rm(folder, {recursive: true, force: true}));
	const expected = `true ERR_NATIVE_MISSING the native addon for ${platformName()} (Node ${process.versions.node}) is not installed. Install it with \`npm install @passagekit/native-${platformName()}\``;
	const lines = (await script(folder, needAddon)).split('\n');
	t.is(lines.length, 4);
	for (const line of lines) {
		t.true(line.startsWith(expected), line);
	}
});

test('the platform package is found by the name that the error message states', async t => {
	const folder = await installed({addon: false});
	t.teardown(async () => rm(folder, {recursive: true, force: true}));
	const name = `native-${platformName()}`;
	const {napi} = JSON.parse(await readFile(join(packageRoot, 'package.json'), 'utf8')) as {napi: {packageName: string}};
	t.is(`${napi.packageName}-${platformName()}`, `@passagekit/${name}`, 'napi publishes the addon under this name');
	const target = join(folder, 'node_modules/@passagekit', name);
	await mkdir(target, {recursive: true});
	await writeFile(join(target, 'package.json'), JSON.stringify({name: `@passagekit/${name}`, main: 'passagekit.node'}));
	const missing = await script(folder, needAddon);
	t.regex(missing, /is installed and does not load: @passagekit\/native-.*passagekit\.node/u);
	await symlink(join(packageRoot, 'native', `passagekit.${platformName()}.node`), join(target, 'passagekit.node'));
	t.is(await script(folder, 'import {exactMatch} from "passagekit"; console.log(exactMatch("The fox", ["fox"]));'), 'true');
});

test('if the addon of a checkout does not load, the addon of the platform package is used', async t => {
	const folder = await installed({addon: false});
	t.teardown(async () => rm(folder, {recursive: true, force: true}));
	const file = `passagekit.${platformName()}.node`;
	await writeFile(join(folder, 'node_modules/passagekit/native', file), 'no library');
	const name = `@passagekit/native-${platformName()}`;
	const target = join(folder, 'node_modules', name);
	await mkdir(target, {recursive: true});
	await writeFile(join(target, 'package.json'), JSON.stringify({name, main: file}));
	await symlink(join(packageRoot, 'native', file), join(target, file));
	t.is(await script(folder, 'import {exactMatch} from "passagekit"; console.log(exactMatch("The fox", ["fox"]));'), 'true');
});

test('an addon of another version is refused', async t => {
	const folder = await installed({addon: false});
	t.teardown(async () => rm(folder, {recursive: true, force: true}));
	const name = `@passagekit/native-${platformName()}`;
	const target = join(folder, 'node_modules', name);
	await mkdir(target, {recursive: true});
	await writeFile(join(target, 'package.json'), JSON.stringify({name, main: 'index.js'}));
	await writeFile(join(target, 'index.js'), `module.exports = {systemInfo: () => ({version: '0.0.9'})};`);
	const {version} = JSON.parse(await readFile(join(packageRoot, 'package.json'), 'utf8')) as {version: string};
	const expected = `true ERR_NATIVE_MISSING expected the native addon of version ${version}, got version 0.0.9. Install it with \`npm install ${name}@${version}\`.`;
	t.deepEqual(new Set((await script(folder, needAddon)).split('\n')), new Set([expected]));
});

test('if the addon cannot be loaded, the error contains the message of the loader', async t => {
	const folder = await installed({addon: false});
	t.teardown(async () => rm(folder, {recursive: true, force: true}));
	const file = join(folder, 'node_modules/passagekit/native', `passagekit.${platformName()}.node`);
	await writeFile(file, 'no library');
	const output = await script(folder, needAddon);
	t.regex(
		output,
		/^true ERR_NATIVE_MISSING the native addon for .* is installed and does not load: .*\.node: .+\. It may be for another platform/mu,
	);
	if (process.platform === 'linux') {
		t.regex(output, /invalid ELF header|file too short/u);
	}
});

test('without its addon, the command line shows help and version, and doctor reports what is missing', async t => {
	const folder = await installed({addon: false});
	t.teardown(async () => rm(folder, {recursive: true, force: true}));
	const bin = join(folder, 'node_modules/passagekit/bin/passagekit.js');
	const {version} = JSON.parse(await readFile(join(packageRoot, 'package.json'), 'utf8')) as {version: string};
	t.regex((await run(process.execPath, [bin, '--help'])).stdout, /^Usage: passagekit/u);
	t.is((await run(process.execPath, [bin, '--version'])).stdout.trim(), version);
	const {code, stdout} = (await t.throwsAsync(run(process.execPath, [bin, 'doctor', '--json']))) as Error & {code: number; stdout: string};
	t.is(code, 1);
	const {ok, findings} = JSON.parse(stdout) as {ok: boolean; findings: Array<{what: string; ok: boolean; is: string}>};
	t.false(ok);
	const addon = findings.find(({what}) => what === 'addon')!;
	t.false(addon.ok);
	t.true(addon.is.includes(`npm install @passagekit/native-${platformName()}`), addon.is);
	const evaluated = (await t.throwsAsync(run(process.execPath, [bin, 'evaluate', '--run', 'x', '--qrels', 'y']))) as Error & {
		stderr: string;
	};
	t.regex(evaluated.stderr, /^passagekit: the native addon .*\(ERR_NATIVE_MISSING\)$/mu);
});

test('a program that was bundled together with the package finds the addon in the platform package', async t => {
	const folder = await installed({addon: false});
	t.teardown(async () => rm(folder, {recursive: true, force: true}));
	const target = join(folder, 'node_modules/@passagekit', `native-${platformName()}`);
	await mkdir(target, {recursive: true});
	await writeFile(join(target, 'package.json'), JSON.stringify({name: `@passagekit/native-${platformName()}`, main: 'passagekit.node'}));
	await symlink(join(packageRoot, 'native', `passagekit.${platformName()}.node`), join(target, 'passagekit.node'));
	await writeFile(
		join(folder, 'program.js'),
		`import {PhraseSegmenter, encyclopedia, exactMatch, resolveModel} from 'passagekit';
		(async () => {
			console.log(exactMatch('The fox', ['fox']));
			for (const call of [() => resolveModel('tiny-encoder'), () => encyclopedia().questions('test')]) {
				await call().then(() => console.log('found'), error => console.log(error.code));
			}
		})();`,
	);
	for (const format of ['esm', 'cjs'] as const) {
		const outfile = join(folder, `bundle.${format === 'esm' ? 'mjs' : 'cjs'}`);
		// A CommonJS bundle has no `import.meta` and must work without it.
		await build({absWorkingDir: folder, entryPoints: ['program.js'], outfile, bundle: true, platform: 'node', format, logLevel: 'error'});
		// Removes the package's own folder. The bundle then finds neither the models nor the questions of the encyclopedia, as the last two
		// lines of its output show.
		await rm(join(folder, 'node_modules/passagekit'), {recursive: true, force: true});
		const {stdout} = await run(process.execPath, [outfile], {cwd: folder});
		t.deepEqual(stdout.trim().split('\n'), ['true', 'ERR_MODEL_MISSING', 'ERR_IO'], format);
		// Restores what the next bundle is built from.
		await cp(join(packageRoot, 'dist/ts'), join(folder, 'node_modules/passagekit/dist/ts'), {recursive: true});
		await cp(join(packageRoot, 'package.json'), join(folder, 'node_modules/passagekit/package.json'));
	}
});

const hasPrlimit = spawnSync('prlimit', ['--version']).status === 0;
// Skipped if `prlimit`, which limits the number of open files, is not installed.
(hasPrlimit ? test : test.skip)('importing all subpaths and running `--help` work with at most 64 open files', async t => {
	const limited = async (...args: string[]): Promise<string> =>
		(await run('prlimit', ['--nofile=64', process.execPath, ...args], {cwd: packageRoot})).stdout;
	const paths = (await exported()).map(path => `await import(${JSON.stringify(path)});`);
	t.is(await limited('--input-type=module', '--eval', `${paths.join('\n')} console.log('imported');`), 'imported\n');
	t.regex(await limited('bin/passagekit.js', '--help'), /^Usage: passagekit/u);
});

test('the published JavaScript consists of entry modules and shared chunks, and exported functions keep their names', async t => {
	const files = (await readdir(join(packageRoot, 'dist/ts'), {recursive: true})).filter(name => name.endsWith('.js'));
	const entries = new Set((await exported()).map(path => join(path.replace('passagekit', '.'), 'index.js')));
	const others = files.filter(name => !entries.has(name) && name !== join('cli', 'main.js'));
	t.true(
		others.every(name => name.startsWith('chunks')),
		others.join(', '),
	);
	t.true(files.length < 56, `${files.length}`);
	for (const path of await exported()) {
		for (const [name, value] of Object.entries((await import(path)) as Record<string, unknown>)) {
			if (typeof value === 'function') {
				t.is(value.name, name, path);
			}
		}
	}
});

test('the package has no install scripts and publishes only the intended files', async t => {
	const manifest = JSON.parse(await readFile(join(packageRoot, 'package.json'), 'utf8')) as {
		scripts: Record<string, string>;
		dependencies: Record<string, string>;
	};
	for (const name of ['preinstall', 'install', 'postinstall', 'prepare']) {
		t.false(name in manifest.scripts, name);
	}
	t.deepEqual(Object.keys(manifest.dependencies), ['commander']);
	const [command, ...args] = npm;
	const {stdout} = await run(command, [...args, 'pack', '--dry-run', '--json', '--ignore-scripts'], {cwd: packageRoot, maxBuffer: 1 << 24});
	const [{files}] = JSON.parse(stdout) as [{files: Array<{path: string}>}];
	const folders = new Set(files.map(({path}) => path.split('/').slice(0, 2).join('/')));
	t.deepEqual([...folders].toSorted(), [
		'CHANGELOG.md',
		'LICENSE',
		'README.md',
		'bin/passagekit.js',
		'dist/cjs',
		'dist/ts',
		'examples/encyclopedia',
		'package.json',
	]);
});
