// Packs the npm packages and installs them as a user does: without Rust, and without install scripts.
import {execFile} from 'node:child_process';
import {mkdtempSync} from 'node:fs';
import {mkdir, readFile, readdir, rm, writeFile} from 'node:fs/promises';
import {createRequire} from 'node:module';
import {tmpdir} from 'node:os';
import {delimiter, join} from 'node:path';
import {promisify} from 'node:util';
import {parseTriple} from '@napi-rs/cli';
import {nodeFileTrace} from '@vercel/nft';
import test from 'ava';
import {packageRoot, platformName} from '../ts/core/native/addon.ts';
import {platformPackage, platformPackages} from '../ts/core/native/platform-packages.ts';

const run = promisify(execFile);

/** The environment of a user who has no Rust and no ONNX Runtime. */
const environment: NodeJS.ProcessEnv = {
	...process.env,
	PATH: (process.env['PATH'] ?? '')
		.split(delimiter)
		.filter(folder => !folder.includes('cargo') && !folder.includes('rust'))
		.join(delimiter),
	PASSAGEKIT_ONNXRUNTIME: '',
};

const home = mkdtempSync(join(tmpdir(), 'passagekit-install-'));
/** The folder of the program that passagekit is installed for. */
const folder = join(home, 'app');

test.before(async () => {
	const source = `import {pack} from './scripts/pack.mjs'; await pack();`;
	await run(process.execPath, ['--input-type=module', '--eval', source], {cwd: packageRoot, maxBuffer: 1 << 24});
	const packages = join(packageRoot, 'dist/packages');
	const tarballs = (await readdir(packages)).map(name => join(packages, name));
	await mkdir(folder);
	await writeFile(join(folder, 'package.json'), '{"name": "app", "version": "1.0.0", "private": true}');
	const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', ...tarballs];
	await run('npm', args, {cwd: folder, env: environment});
});

test.after.always(async () => rm(home, {recursive: true, force: true}));

async function node(...args: string[]): Promise<string> {
	const {stdout} = await run(process.execPath, args, {cwd: folder, env: environment});
	return stdout.trim();
}

const program = `
	const docs = await Collection.open(path, {create: true, encoder: false});
	await docs.upsert([{id: 'lamp', text: 'A tall lamp of brass.'}, {id: 'pen', text: 'A pen with blue ink.'}]);
	await docs.commit();
	const {hits} = await docs.search('lamps', {retriever: 'bm25'});
	await docs.close();
	console.log(hits.map(({document}) => document).join());
`;

test('an ES module and a CommonJS module index and search', async t => {
	await writeFile(join(folder, 'program.mjs'), `import {Collection} from 'passagekit'; const path = './esm'; ${program}`);
	t.is(await node('program.mjs'), 'lamp');
	const source = `const {Collection} = require('passagekit'); const path = './cjs'; (async () => {${program}})();`;
	await writeFile(join(folder, 'program.cjs'), source);
	t.is(await node('program.cjs'), 'lamp');
});

test('the command line indexes and searches, and doctor finds the addon and the models', async t => {
	const bin = join(folder, 'node_modules/passagekit/bin/passagekit.js');
	await mkdir(join(folder, 'docs'), {recursive: true});
	await writeFile(join(folder, 'docs/bridge.txt'), 'The bridge of steel was opened in 1902.');
	await node(bin, 'add', 'docs', '--no-encoder');
	t.regex(await node(bin, 'search', 'steel bridges', '--retriever', 'bm25'), /opened in 1902/u);
	const {stdout} = (await t.throwsAsync(node(bin, 'doctor', '--json'))) as Error & {stdout: string};
	const {findings} = JSON.parse(stdout) as {findings: Array<{what: string; ok: boolean; is: string}>};
	t.deepEqual(
		findings.map(({what, ok}) => [what, ok]),
		[
			['platform', true],
			['addon', true],
			['model runtime', false],
			['models', true],
		],
	);
	t.is(findings.at(-1)!.is, 'minilm-encoder, minilm-reader, minilm-mlm-head');
});

test('models are found in their packages, and an error says that a model for tests has none', async t => {
	const source = `
		import {resolveModel} from 'passagekit';
		for (const name of ['minilm-encoder', 'minilm-reader', 'minilm-mlm-head', 'tiny-encoder']) {
			console.log(await resolveModel(name).catch(error => error.code + ' ' + error.message));
		}
	`;
	const lines = (await node('--input-type=module', '--eval', source)).split('\n');
	const folders = ['minilm-encoder', 'minilm-reader', 'minilm-mlm-head'].map(name => join(folder, 'node_modules/@passagekit', name));
	t.deepEqual(lines.slice(0, 3), folders);
	t.regex(lines[3]!, /^ERR_MODEL_MISSING model tiny-encoder: expected a checkout/u);
});

test('a tool that traces files finds the addon and the models', async t => {
	await writeFile(join(folder, 'traced.mjs'), `import {Collection} from 'passagekit'; console.log(Collection);`);
	const {fileList} = await nodeFileTrace([join(folder, 'traced.mjs')], {base: folder});
	for (const file of [
		`${platformPackage(platformName())}/passagekit.${platformName()}.node`,
		'@passagekit/minilm-encoder/model.onnx',
		'@passagekit/minilm-reader/tokenizer.json',
		'@passagekit/minilm-mlm-head/model.safetensors',
	]) {
		t.true(fileList.has(join('node_modules', file)), file);
	}
});

test('each platform that napi builds for has a package, which the loader requires and which is an optional dependency', async t => {
	const manifest = JSON.parse(await readFile(join(packageRoot, 'package.json'), 'utf8')) as {napi: {targets: string[]}; version: string};
	const platforms = Object.keys(platformPackages);
	const built = manifest.napi.targets.map(target => parseTriple(target).platformArchABI);
	t.deepEqual(built.toSorted(), platforms.toSorted());
	const installed = createRequire(join(folder, 'package.json'))('passagekit/package.json') as {
		optionalDependencies: Record<string, string>;
		scripts?: unknown;
		devDependencies?: unknown;
	};
	t.deepEqual(
		installed.optionalDependencies,
		Object.fromEntries(platforms.toSorted().map(platform => [platformPackage(platform), manifest.version])),
	);
	t.is(installed.scripts, undefined);
	t.is(installed.devDependencies, undefined);
});
