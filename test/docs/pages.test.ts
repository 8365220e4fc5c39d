// Tests that the code on the pages of the documentation compiles, runs and prints the stated output.
import {execFile, spawnSync} from 'node:child_process';
import {cp, mkdir, mkdtemp, readdir, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join, relative} from 'node:path';
import {promisify} from 'node:util';
import test from 'ava';
import {packageRoot} from '../../ts/core/native/addon.ts';
import {outputsOf, programOf, readPage} from './code-blocks.ts';

const run = promisify(execFile);

/** The folder for the programs of the pages. It is inside the package, so that programs can import `passagekit` by name, as users do. */
const programs = join(packageRoot, 'dist', 'docs-programs');

/** Returns the paths of the files below a folder that have an extension, relative to the package. Skips generated pages. */
async function filesUnder(folder: string, extension: string): Promise<string[]> {
	const entries = await readdir(join(packageRoot, folder), {withFileTypes: true, recursive: true});
	return entries
		.filter(entry => entry.isFile() && entry.name.endsWith(extension) && !/node_modules|\.vitepress|docs\/api/u.test(entry.parentPath))
		.map(entry => relative(packageRoot, join(entry.parentPath, entry.name)));
}

const paths = ['README.md', ...(await filesUnder('docs', '.md')), ...(await filesUnder('examples', '.md'))];
/** Whether a page is the README of an example program, which `examples.test.ts` tests. */
const isProgramReadme = (path: string): boolean => /^examples[/\\](?!encyclopedia)/u.test(path);
const pages = paths.filter(path => !isProgramReadme(path)).map(path => ({...readPage(join(packageRoot, path)), path}));
/** The file name of a page's program. */
const nameOf = (path: string): string => `${path.replaceAll(/[/\\]/gu, '-').replace(/\.\w+$/u, '')}.ts`;

test.before(async () => {
	await rm(programs, {recursive: true, force: true});
	await mkdir(programs, {recursive: true});
	for (const page of pages) {
		const program = programOf(page);
		if (program !== undefined) {
			await writeFile(join(programs, nameOf(page.path)), program);
		}
	}
});

test.serial('all code on the pages of the documentation compiles', async t => {
	const tsconfig = {
		extends: '../../tsconfig.json',
		compilerOptions: {
			noEmit: true,
			rootDir: '../..',
			noUnusedLocals: false,
			allowImportingTsExtensions: true,
			rewriteRelativeImportExtensions: false,
		},
		include: ['*.ts'],
		exclude: [],
	};
	await writeFile(join(programs, 'tsconfig.json'), JSON.stringify(tsconfig));
	const {stdout, status} = spawnSync(process.execPath, [join(packageRoot, 'node_modules/typescript/bin/tsc'), '-p', programs], {
		encoding: 'utf8',
	});
	t.is(status, 0, stdout);
});

for (const page of pages.filter(({blocks}) => blocks.some(({runs}) => runs))) {
	test.serial(`${page.path}: its code runs and prints the stated output`, async t => {
		const folder = await mkdtemp(join(tmpdir(), 'passagekit-docs-'));
		t.teardown(async () => rm(folder, {recursive: true, force: true}));
		await cp(join(packageRoot, 'examples/encyclopedia'), folder, {recursive: true});
		const {stdout} = await run(process.execPath, ['--import', import.meta.resolve('tsx'), join(programs, nameOf(page.path))], {
			cwd: folder,
			timeout: 170_000,
		});
		const printed = outputsOf(stdout);
		for (const [i, {output, line}] of page.blocks.entries()) {
			if (output !== undefined) {
				t.is(printed[i], output, `the block on line ${line}`);
			}
		}
		// For a page that states no output, the test is that its program does not fail.
		t.pass();
	});
}
