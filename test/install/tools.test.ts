// Uses the installed packages with compilers, bundlers, test runners and JavaScript runtimes.
import {mkdtempSync} from 'node:fs';
import {readFile, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {pathToFileURL} from 'node:url';
import test from 'ava';
import {packageRoot, platformName} from '../../ts/core/native/addon.ts';
import {App, packed, program, programWithModel} from './app.ts';

const app = new App();

test.before(async t => {
	t.timeout(600_000);
	await app.install(await packed(), {manifest: join(packageRoot, 'test/install/tools')});
	await app.write('program.mjs', `import {Collection} from 'passagekit'; const path = process.env.FOLDER; ${program}`);
});

test.after.always(async () => app.remove());

/** The source code of a TypeScript program that must compile without errors. */
const typedProgram = `
	import {Collection, HnswIndex, RetrievalError, evaluate, fuse, type Hit, type Searcher} from 'passagekit';
	import {OpenSearchCollection, type OpenSearchCreateOptions} from 'passagekit/remote';
	import {replicate} from 'passagekit/studies';

	interface Product {
		price: number;
		name: string;
	}
	export async function find(path: string): Promise<readonly Hit[]> {
		const docs = await Collection.open<Product>(path, {create: true, encoder: false});
		await docs.upsert([{id: 'a', text: 'A lamp.', fields: {price: 1, name: 'lamp'}}]);
		// @ts-expect-error: no product has this field.
		await docs.search('lamp', {filter: {weight: 3}});
		const {hits} = await docs.search('lamp', {filter: {price: {lt: 3}}});
		return hits;
	}
	// The official client is not installed, and its types are not needed.
	export async function findInCluster(options: OpenSearchCreateOptions): Promise<readonly Hit[]> {
		const docs = await OpenSearchCollection.create<Product>('docs', options);
		// @ts-expect-error: no product has this field.
		await docs.search('lamp', {filter: {weight: 3}});
		const {hits} = await docs.search('lamp', {filter: {price: {lt: 3}}});
		await docs.close();
		return hits;
	}
	export const codes = (error: unknown): string | undefined => (error instanceof RetrievalError ? error.code : undefined);
	export const used: readonly unknown[] = [HnswIndex, evaluate, fuse, replicate];
	export type {Searcher};
`;

for (const version of ['5.4', '5.9', '6.0']) {
	for (const [description, extensions, options] of [
		['as an ECMAScript and as a CommonJS module', ['mts', 'cts'], {module: 'nodenext'}],
		['for a bundler', ['ts'], {module: 'preserve', moduleResolution: 'bundler'}],
		[
			'as a CommonJS module with moduleResolution node10',
			['ts'],
			{module: 'commonjs', moduleResolution: 'node10', ...(version === '6.0' ? {ignoreDeprecations: '6.0'} : {})},
		],
	] as const) {
		test.serial(`TypeScript ${version} finds no errors in a program and all declaration files, compiled ${description}`, async t => {
			const folder = `types-${version}-${Object.values(options).join('-')}`;
			const common = {target: 'es2022', lib: ['es2023'], types: ['node'], strict: true, skipLibCheck: false, noEmit: true};
			await app.write(`${folder}/tsconfig.json`, JSON.stringify({compilerOptions: {...common, ...options}}));
			for (const extension of extensions) {
				await app.write(`${folder}/program-${extension}.${extension}`, typedProgram);
			}
			t.is(await app.node(app.file(`typescript-${version}/bin/tsc`), '-p', folder), '');
		});
	}
}

test.serial('tsx runs a TypeScript program that uses passagekit', async t => {
	await app.write('program.ts', `import {Collection} from 'passagekit'; const path: string = './tsx'; (async () => {${program}})();`);
	t.is(await app.node(app.file('tsx/dist/cli.mjs'), 'program.ts'), 'lamp');
});

/**
The source code of a test for Vitest and Jest. The code before it must import what the test uses, and declare `runner`, the name of the test
runner.
*/
const runnerTest = `
	test('passagekit', async () => {
		await expect(Collection.open('./missing')).rejects.toBeInstanceOf(RetrievalError);
		await expect(Collection.open('./missing')).rejects.toBeInstanceOf(Error);
		expect(() => new FlatIndex({dim: -1})).toThrow(RetrievalError);
		const docs = await Collection.open('./runner-' + runner, {create: true, encoder: false});
		await docs.upsert([{id: 'lamp', text: 'A tall lamp.'}]);
		await docs.commit();
		await expect(docs.search('lamp', {k: -1})).rejects.toMatchObject({code: 'ERR_ARGUMENT'});
		const controller = new AbortController();
		controller.abort();
		await expect(docs.search('lamp', {signal: controller.signal})).rejects.toMatchObject({name: 'AbortError'});
		const {hits} = await docs.search('lamps', {retriever: 'bm25'});
		expect(hits.map(hit => hit.document)).toEqual(['lamp']);
		await docs.close();
	});
`;

test.serial('Vitest runs a test, in which errors are instances of RetrievalError', async t => {
	const imports = `import {expect, test} from 'vitest'; import {Collection, FlatIndex, RetrievalError} from 'passagekit'; const runner = 'vitest';`;
	await app.write('vitest/passagekit.test.mjs', `${imports}${runnerTest}`);
	t.regex(await app.node(app.file('vitest/vitest.mjs'), 'run', '--root', '.', 'vitest'), /1 passed/u);
});

for (const [description, load, extension, nodeArgs] of [
	['a CommonJS module', `const {Collection, FlatIndex, RetrievalError} = require('passagekit');`, 'js', []],
	['an ES module', `import {Collection, FlatIndex, RetrievalError} from 'passagekit';`, 'mjs', ['--experimental-vm-modules']],
] as const) {
	test.serial(`Jest runs a test, in which errors are instances of RetrievalError (${description})`, async t => {
		const folder = `jest-${extension}`;
		await app.write(`${folder}/passagekit.test.${extension}`, `${load} const runner = '${folder}';${runnerTest}`);
		await app.write(`${folder}/jest.config.json`, JSON.stringify({testMatch: [`**/*.test.${extension}`]}));
		const args = [...nodeArgs, app.file('jest/bin/jest.js'), '--config', `${folder}/jest.config.json`, '--json'];
		const {numPassedTests} = JSON.parse(await app.node(...args)) as {numPassedTests: number};
		t.is(numPassedTests, 1);
	});
}

/** The bundles to test: each module format, with passagekit external or bundled. */
const bundles = (['esm', 'cjs'] as const).flatMap(format => [true, false].map(isExternal => ({format, isExternal})));

/** Writes the source of a program that uses a model, for bundling. Returns its path. */
async function writeBundled(name: string): Promise<string> {
	const source = `import {Collection} from 'passagekit'; const path = process.env.FOLDER; (async () => {${programWithModel}})();`;
	await app.write(`${name}/source.mjs`, source);
	return `./${name}/source.mjs`;
}

/** Runs a program in a working directory other than the folder with its packages. */
async function runElsewhere(path: string): Promise<string> {
	const folder = mkdtempSync(join(tmpdir(), 'passagekit-elsewhere-'));
	try {
		return await app.run(process.execPath, [join(app.folder, path)], {FOLDER: join(folder, 'index')}, folder);
	} finally {
		await rm(folder, {recursive: true, force: true});
	}
}

for (const {format, isExternal} of bundles) {
	test.serial(`esbuild builds a working program (${format}) with passagekit ${isExternal ? 'external' : 'bundled'}`, async t => {
		const name = `esbuild-${format}-${isExternal}`;
		const outfile = `${name}/program.${format === 'esm' ? 'mjs' : 'cjs'}`;
		const options = {
			entryPoints: [await writeBundled(name)],
			outfile,
			bundle: true,
			format,
			platform: 'node',
			external: isExternal ? ['passagekit'] : [],
			logLevel: 'error',
		};
		await app.node('--eval', `require('esbuild').buildSync(${JSON.stringify(options)})`);
		t.is(await runElsewhere(outfile), 'lamp,pen');
	});

	test.serial(`webpack builds a working program (${format}) with passagekit ${isExternal ? 'external' : 'bundled'}`, async t => {
		const name = `webpack-${format}-${isExternal}`;
		const filename = `program.${format === 'esm' ? 'mjs' : 'cjs'}`;
		const options = {
			mode: 'production',
			// Minimizing takes most of the time, so only one of the bundles that contain passagekit is minimized.
			optimization: {minimize: format === 'cjs' && !isExternal},
			target: 'node20',
			entry: await writeBundled(name),
			externals: isExternal ? {passagekit: `${format === 'esm' ? 'module' : 'commonjs'} passagekit`} : {},
			output: {path: join(app.folder, name), filename, ...(format === 'esm' ? {module: true, library: {type: 'module'}} : {})},
			...(format === 'esm' ? {experiments: {outputModule: true}} : {}),
		};
		const build = `require('webpack')(${JSON.stringify(options)}, (error, stats) => {
			console.log(error ?? stats.toString({all: false, errors: true, warnings: true}));
		})`;
		t.is(await app.node('--eval', build), '');
		if (!isExternal) {
			// webpack writes the paths of source files into the bundle. On the machine of a user, there are no such files.
			const file = join(app.folder, name, filename);
			const text = await readFile(file, 'utf8');
			const moved = text.replaceAll(pathToFileURL(app.folder).href, pathToFileURL(join(app.folder, 'elsewhere')).href);
			t.true(moved !== text);
			await writeFile(file, moved);
		}
		t.is(await runElsewhere(join(name, filename)), 'lamp,pen');
	});
}

/** The packages of these runtimes are for Linux on x64 with glibc. Elsewhere, the tests are skipped. */
const runtimeTest = platformName() === 'linux-x64-gnu' ? test.serial : test.serial.skip;

for (const [runtime, file, args] of [
	['Node 22', 'node-22/bin/node', []],
	['Node 24', 'node-24/bin/node', []],
	['Bun', '@oven/bun-linux-x64/bin/bun', []],
	['Deno', '@deno/linux-x64-glibc/deno', ['run', '--allow-all', '--no-lock']],
] as const) {
	runtimeTest(`${runtime} runs a program that uses passagekit`, async t => {
		const folder = `./index-${runtime.replace(' ', '-')}`;
		t.is(await app.run(app.file(file), [...args, 'program.mjs'], {FOLDER: folder}), 'lamp');
	});
}
