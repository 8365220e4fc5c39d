// Installs the packages as a user does, and uses them in programs and from the command line. Also tests that a file tracer, which
// deployment tools use to collect the files of a program, finds the files of the packages.
import {mkdtempSync} from 'node:fs';
import {cp, readFile, readdir, rm} from 'node:fs/promises';
import {createRequire} from 'node:module';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {parseTriple} from '@napi-rs/cli';
import {nodeFileTrace} from '@vercel/nft';
import test from 'ava';
import {packageRoot, platformName} from '../../ts/core/native/addon.ts';
import {platformPackage, platformPackages} from '../../ts/core/native/platform-packages.ts';
import {App, packed, program, programWithModel} from './app.ts';

const app = new App();
/** A program for which passagekit is installed without its optional dependencies, and therefore without its addon. */
const appWithoutAddon = new App();

test.before(async () => {
	const tarballs = await packed();
	await app.install(tarballs);
	await appWithoutAddon.install(tarballs, {omit: 'optional'});
});

test.after.always(async () => {
	await app.remove();
	await appWithoutAddon.remove();
});

test('npm installs only the addon package of this platform', async t => {
	const installed = await readdir(app.file('@passagekit'));
	t.deepEqual(
		installed.filter(name => name.startsWith('native-')),
		[`native-${platformName()}`],
	);
	const others = await readdir(appWithoutAddon.file('.'));
	t.deepEqual(others.filter(name => !name.startsWith('.') && name !== '@passagekit').toSorted(), ['commander', 'passagekit']);
	// Some versions of npm leave an empty folder.
	t.deepEqual(await readdir(appWithoutAddon.file('@passagekit')).catch(() => []), []);
});

test('an ES module and a CommonJS module index and search', async t => {
	await app.write('program.mjs', `import {Collection} from 'passagekit'; const path = './esm'; ${program}`);
	t.is(await app.node('program.mjs'), 'lamp');
	const source = `const {Collection} = require('passagekit'); const path = './cjs'; (async () => {${program}})();`;
	await app.write('program.cjs', source);
	t.is(await app.node('program.cjs'), 'lamp');
});

test('a program that uses `import` and one that uses `require` get the same classes', async t => {
	const source = `
		import {createRequire} from 'node:module';
		for (const path of ['passagekit', 'passagekit/dense', 'passagekit/remote']) {
			const [a, b] = [await import(path), createRequire(import.meta.url)(path)];
			console.log(Object.keys(a).every(name => a[name] === b[name]));
		}
	`;
	t.is(await app.node('--input-type=module', '--eval', source), 'true\ntrue\ntrue');
});

test('the command line indexes and searches, and doctor finds the addon and the models', async t => {
	const bin = app.file('passagekit/bin/passagekit.js');
	await app.write('docs/bridge.txt', 'The bridge of steel was opened in 1902.');
	await app.node(bin, 'add', 'docs', '--no-encoder');
	t.regex(await app.node(bin, 'search', 'steel bridges', '--retriever', 'bm25'), /opened in 1902/u);
	const {findings} = JSON.parse(await app.node(bin, 'doctor', '--json')) as {findings: Array<{what: string; ok: boolean; is: string}>};
	t.deepEqual(
		findings.map(({what, ok}) => [what, ok]),
		[
			['platform', true],
			['addon', true],
			['ONNX Runtime', true],
			['models', true],
		],
	);
	t.is(findings.at(-1)!.is, 'minilm-encoder, minilm-reader, minilm-mlm-head');
});

test('models are found in their packages, and for a model that has no package, the error says that a checkout is needed', async t => {
	const source = `
		import {resolveModel} from 'passagekit';
		for (const name of ['minilm-encoder', 'minilm-reader', 'minilm-mlm-head', 'tiny-encoder']) {
			console.log(await resolveModel(name).catch(error => error.code + ' ' + error.message));
		}
	`;
	const lines = (await app.node('--input-type=module', '--eval', source)).split('\n');
	const folders = ['minilm-encoder', 'minilm-reader', 'minilm-mlm-head'].map(name => app.file(`@passagekit/${name}`));
	t.deepEqual(lines.slice(0, 3), folders);
	t.regex(lines[3]!, /^ERR_MODEL_MISSING model tiny-encoder: expected a checkout/u);
});

for (const [description, name, load] of [
	['an ES module', 'traced.mjs', `import {Collection} from 'passagekit';`],
	['a CommonJS module', 'traced.cjs', `const {Collection} = require('passagekit');`],
	['a CommonJS module that loads a subpath', 'traced-subpath.cjs', `const {Collection} = require('passagekit/collection');`],
] as const) {
	test(`a file tracer finds all files that a program needs (${description})`, async t => {
		await app.write(name, `${load} const path = './index'; (async () => {${programWithModel}})();`);
		const {fileList} = await nodeFileTrace([join(app.folder, name)], {base: app.folder});
		for (const file of [
			`${platformPackage(platformName())}/passagekit.${platformName()}.node`,
			'@passagekit/minilm-encoder/model.onnx',
			'@passagekit/minilm-reader/tokenizer.json',
			'@passagekit/minilm-mlm-head/model.safetensors',
		]) {
			t.true(fileList.has(join('node_modules', file)), file);
		}
		const deployed = mkdtempSync(join(tmpdir(), 'passagekit-deployed-'));
		t.teardown(async () => rm(deployed, {recursive: true, force: true}));
		for (const file of fileList) {
			await cp(join(app.folder, file), join(deployed, file), {recursive: true});
		}
		t.is(await app.run(process.execPath, [name], {}, deployed), 'lamp,pen');
	});
}

test('each platform that the addon is built for has a package, which the loader knows and which is an optional dependency', async t => {
	const manifest = JSON.parse(await readFile(join(packageRoot, 'package.json'), 'utf8')) as {napi: {targets: string[]}; version: string};
	const platforms = Object.keys(platformPackages);
	const built = manifest.napi.targets.map(target => parseTriple(target).platformArchABI);
	t.deepEqual(built.toSorted(), platforms.toSorted());
	const installed = createRequire(join(app.folder, 'package.json'))('passagekit/package.json') as {
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

test('without the official client of OpenSearch, passagekit/remote is imported, and a call says what to install', async t => {
	const source = `
		import {OpenSearchCollection} from 'passagekit/remote';
		const error = await OpenSearchCollection.open('docs', {url: 'http://localhost:1'}).catch(error => error);
		console.log(error.code, error.message);
	`;
	await app.write('remote.mjs', source);
	t.regex(await app.node('remote.mjs'), /^ERR_PEER_MISSING .*npm install @opensearch-project\/opensearch/u);
});

test('without the addon, the import, --help and doctor work, and a call that needs the addon says what to install', async t => {
	const bin = appWithoutAddon.file('passagekit/bin/passagekit.js');
	t.regex(await appWithoutAddon.node(bin, '--help'), /^Usage: passagekit/u);
	const {stdout} = (await t.throwsAsync(appWithoutAddon.node(bin, 'doctor'))) as Error & {stdout: string};
	t.true(stdout.includes(`npm install ${platformPackage(platformName())}`), stdout);
	await appWithoutAddon.write(
		'program.mjs',
		`import {Collection} from 'passagekit'; await Collection.open('./docs', {create: true, encoder: false}).catch(error => console.log(error.name, error.code));`,
	);
	t.is(await appWithoutAddon.node('program.mjs'), 'RetrievalError ERR_NATIVE_MISSING');
});

test('on a platform without a package, the error names the supported platforms and says how to build the addon', async t => {
	const source = `
		Object.defineProperty(process, 'platform', {value: 'freebsd'});
		const {FlatIndex} = await import('passagekit');
		try {
			new FlatIndex({dim: 2});
		} catch (error) {
			console.log(error.code, error.message);
		}
	`;
	const message = await appWithoutAddon.node('--input-type=module', '--eval', source);
	t.regex(message, /^ERR_NATIVE_MISSING the native addon for freebsd-/u);
	t.regex(message, /only for darwin-arm64, .*`npm run build` in a checkout/u);
});

test('each package has its license, and the packages of the addon list the licenses of all its crates', async t => {
	for (const name of ['minilm-encoder', 'minilm-reader', 'minilm-mlm-head']) {
		t.regex(await readFile(app.file(`@passagekit/${name}/LICENSE`), 'utf8'), /Apache License/u);
		t.regex(await readFile(app.file(`@passagekit/${name}/NOTICE`), 'utf8'), new RegExp(`^${name} `, 'u'));
	}
	const addon = platformPackage(platformName());
	const licenses = await readFile(app.file(`${addon}/THIRD-PARTY-LICENSES`), 'utf8');
	const {components} = JSON.parse(await readFile(app.file(`${addon}/sbom.cdx.json`), 'utf8')) as {
		components: Array<{name: string; version: string}>;
	};
	t.true(components.some(({name}) => name === 'tantivy'));
	t.regex(licenses, /\nRust's standard library \d/u);
	const own = JSON.parse(await readFile(app.file('passagekit/sbom.cdx.json'), 'utf8')) as {components: Array<{name: string}>};
	t.deepEqual(
		own.components.map(({name}) => name),
		['commander'],
	);
	t.deepEqual(
		components.filter(({name, version}) => !licenses.includes(`\n${name} ${version} (`)).map(({name}) => name),
		[],
	);
});
