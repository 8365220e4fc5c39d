import {execFile} from 'node:child_process';
import {cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {promisify} from 'node:util';
import test from 'ava';
import {packageRoot, platformName} from '../ts/addon.ts';

const run = promisify(execFile);

/** The package as npm would install it, without its optional peer; with or without its addon. */
async function installed({addon}: {addon: boolean}): Promise<string> {
	const folder = await mkdtemp(join(tmpdir(), 'passagekit-installed-'));
	const target = join(folder, 'node_modules', 'passagekit');
	await mkdir(join(target, 'native'), {recursive: true});
	for (const part of ['package.json', 'bin', 'dist/ts', 'examples']) {
		await cp(join(packageRoot, part), join(target, part), {recursive: true});
	}
	if (addon) {
		const file = `passagekit.${platformName()}.node`;
		await symlink(join(packageRoot, 'native', file), join(target, 'native', file));
	}
	await symlink(join(packageRoot, 'node_modules/commander'), join(folder, 'node_modules/commander'));
	return folder;
}

async function script(folder: string, source: string): Promise<string> {
	const {stdout} = await run(process.execPath, ['--input-type=module', '--eval', source], {
		cwd: folder,
		env: {...process.env, PASSAGEKIT_ONNXRUNTIME: ''},
	});
	return stdout.trim();
}

test('without the optional peer all but models works, and a missing peer says what to install', async t => {
	const folder = await installed({addon: true});
	t.teardown(async () => rm(folder, {recursive: true, force: true}));
	const models = JSON.stringify(join(packageRoot, 'models/tiny-encoder'));
	const said = await script(
		folder,
		`
		import {Collection, OnnxEncoder, exactMatch} from 'passagekit';
		const collection = await Collection.build([{id: 'a', text: 'a fox'}], './index', {encoder: false});
		console.log(JSON.stringify((await collection.bm25.search('foxes')).map(({id}) => id)), exactMatch('The fox', ['fox']));
		try {
			await OnnxEncoder.load(${models});
		} catch (error) {
			console.log(error.code, error.message);
		}
	`,
	);
	t.regex(said, /^\["a"\] true\nERR_PEER_MISSING .*`npm install onnxruntime-node`/u);
});

test('every subpath can be imported, and also from CommonJS', async t => {
	const folder = await installed({addon: true});
	t.teardown(async () => rm(folder, {recursive: true, force: true}));
	const {exports} = JSON.parse(await readFile(join(packageRoot, 'package.json'), 'utf8')) as {exports: Record<string, unknown>};
	const paths = Object.keys(exports)
		.filter(path => path !== './package.json')
		.map(path => path.replace('.', 'passagekit'));
	const said = await script(
		folder,
		`for (const path of ${JSON.stringify(paths)}) console.log(path, Object.keys(await import(path)).length > 0);`,
	);
	t.deepEqual(
		said.split('\n'),
		paths.map(path => `${path} true`),
	);
	const {stdout} = await run(process.execPath, ['--eval', 'console.log(typeof require("passagekit").FlatIndex)'], {cwd: folder});
	t.is(stdout.trim(), 'function');
});

test('the declarations stand on their own in a program that checks its libraries', async t => {
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

test('a missing addon is an error that names the platform and the command that mends it', async t => {
	const folder = await installed({addon: false});
	t.teardown(async () => rm(folder, {recursive: true, force: true}));
	const said = await script(folder, 'try { await import("passagekit"); } catch (error) { console.log(error.code, error.message); }');
	t.true(said.startsWith(`ERR_NATIVE_MISSING the native addon for ${platformName()} (Node ${process.versions.node}) did not load.`), said);
	t.true(said.includes(`\`npm install @passagekit/native-${platformName()}\``), said);
});

test('nothing runs at install, and everything that is published is meant to be', async t => {
	const manifest = JSON.parse(await readFile(join(packageRoot, 'package.json'), 'utf8')) as {
		scripts: Record<string, string>;
		dependencies: Record<string, string>;
	};
	for (const name of ['preinstall', 'install', 'postinstall', 'prepare']) {
		t.false(name in manifest.scripts, name);
	}
	t.deepEqual(Object.keys(manifest.dependencies), ['commander']);
	const {stdout} = await run('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {cwd: packageRoot, maxBuffer: 1 << 24});
	const [{files}] = JSON.parse(stdout) as [{files: Array<{path: string}>}];
	const folders = new Set(files.map(({path}) => path.split('/').slice(0, 2).join('/')));
	t.deepEqual([...folders].toSorted(), [
		'CHANGELOG.md',
		'LICENSE',
		'README.md',
		'bin/passagekit.js',
		'dist/ts',
		'examples/encyclopedia',
		'package.json',
	]);
});
