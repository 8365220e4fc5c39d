// Uses the installed packages with compilers, bundlers, test runners and JavaScript runtimes.
import {join} from 'node:path';
import test from 'ava';
import {packageRoot, platformName} from '../../ts/core/native/addon.ts';
import {App, packed, program} from './app.ts';

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
	for (const [name, module, format] of [
		['as an ECMAScript module', 'nodenext', 'mts'],
		['for a bundler', 'preserve', 'ts'],
	] as const) {
		test.serial(`TypeScript ${version} finds no errors in a program and all declaration files, compiled ${name}`, async t => {
			const folder = `types-${version}-${module}`;
			const compilerOptions = {
				target: 'es2022',
				lib: ['es2023'],
				module,
				...(module === 'preserve' ? {moduleResolution: 'bundler'} : {}),
				types: ['node'],
				strict: true,
				skipLibCheck: false,
				noEmit: true,
			};
			await app.write(`${folder}/tsconfig.json`, JSON.stringify({compilerOptions}));
			await app.write(`${folder}/program.${format}`, typedProgram);
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

test.serial('Jest runs a test, in which errors are instances of RetrievalError', async t => {
	const imports = `import {Collection, FlatIndex, RetrievalError} from 'passagekit'; const runner = 'jest';`;
	await app.write('jest/passagekit.test.mjs', `${imports}${runnerTest}`);
	await app.write('jest.config.json', JSON.stringify({testMatch: ['**/jest/*.test.mjs'], transform: {}, testEnvironment: 'node'}));
	const args = ['--experimental-vm-modules', app.file('jest/bin/jest.js'), '--config', 'jest.config.json', '--json'];
	const {numPassedTests} = JSON.parse(await app.node(...args)) as {numPassedTests: number};
	t.is(numPassedTests, 1);
});

for (const format of ['esm', 'cjs'] as const) {
	for (const external of [true, false]) {
		test.serial(`esbuild builds a working program (${format}) with passagekit ${external ? 'external' : 'bundled'}`, async t => {
			const name = `esbuild-${format}-${external}`;
			const source = `import {Collection} from 'passagekit'; const path = './index-${name}'; (async () => {${program}})();`;
			await app.write(`${name}.source.mjs`, source);
			const file = `${name}.${format === 'esm' ? 'mjs' : 'cjs'}`;
			const options = {
				entryPoints: [`${name}.source.mjs`],
				outfile: file,
				bundle: true,
				format,
				platform: 'node',
				external: external ? ['passagekit'] : [],
				logLevel: 'error',
				logOverride: {'empty-import-meta': 'silent'},
			};
			await app.node('--eval', `require('esbuild').buildSync(${JSON.stringify(options)})`);
			t.is(await app.node(file), 'lamp');
		});
	}
}

for (const external of [true, false]) {
	test.serial(`webpack builds a working program with passagekit ${external ? 'external' : 'bundled'}`, async t => {
		const name = `webpack-${external}`;
		const source = `import {Collection} from 'passagekit'; const path = './index-${name}'; (async () => {${program}})();`;
		await app.write(`${name}.source.mjs`, source);
		const configuration = `{
			mode: 'production',
			target: 'node20',
			entry: './${name}.source.mjs',
			externals: ${external ? `{passagekit: 'module passagekit'}` : '{}'},
			experiments: {outputModule: true},
			output: {path: process.cwd() + '/${name}', filename: 'program.mjs', module: true, library: {type: 'module'}},
		}`;
		const build = `require('webpack')(${configuration}, (error, stats) => {
			console.log(error ?? stats.toString({all: false, errors: true, warnings: true}));
		})`;
		t.is(await app.node('--eval', build), '');
		t.is(await app.node(`${name}/program.mjs`), 'lamp');
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
