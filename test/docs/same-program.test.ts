// Tests `examples/same-program`: the table in its README, and the programs for the other libraries, if their packages are installed.
import {execFile} from 'node:child_process';
import {existsSync} from 'node:fs';
import {readFile, readdir} from 'node:fs/promises';
import {join} from 'node:path';
import {promisify} from 'node:util';
import test from 'ava';
import {packageRoot} from '../../ts/core/native/addon.ts';

const run = promisify(execFile);
const folder = join(packageRoot, 'examples/same-program');
const peersFolder = join(folder, 'peers');
const readme = await readFile(join(folder, 'README.md'), 'utf8');

/** Returns one row of the table in the README, without its first cell, which is `title`. The header row has the title ''. */
function row(title: string): string[] {
	const line = readme.split('\n').find(each => each.startsWith(title === '' ? '| |' : `| ${title} |`))!;
	return line
		.split('|')
		.slice(2, -1)
		.map(cell => cell.trim());
}

/** The paths of the programs, from the links in the header of the table. */
const paths = row('').map(cell => /\((.*)\)$/u.exec(cell)![1]!);

/** Returns the number of lines of a program that are neither blank nor comments. */
async function codeLines(path: string): Promise<number> {
	const source = await readFile(join(folder, path), 'utf8');
	const code = source.replaceAll(/\/\*[\s\S]*?\*\//gu, '').split('\n');
	return code.filter(line => line.trim() !== '' && !line.trim().startsWith('//')).length;
}

test('the README of examples/same-program lists all programs and their numbers of lines', async t => {
	const peers = (await readdir(peersFolder)).filter(name => name.endsWith('.ts')).map(name => `peers/${name}`);
	t.deepEqual(paths.toSorted(), ['passagekit.ts', ...peers].sort());
	t.deepEqual(row('lines of the program').map(Number), await Promise.all(paths.map(codeLines)));
});

test('the passagekit program has fewer lines than the other programs that search by meaning', async t => {
	const searchesByMeaning = row('search by meaning').map(cell => cell === 'yes');
	const lines = await Promise.all(paths.map(codeLines));
	const [first, ...others] = lines.filter((_, i) => searchesByMeaning[i]);
	t.is(paths[0], 'passagekit.ts');
	t.is(others.length, 3);
	t.true(first! < Math.min(...others), `${first} lines, the others ${others.join(', ')}`);
});

test('the README of examples/same-program states the versions that its package.json installs', async t => {
	const {dependencies} = JSON.parse(await readFile(join(peersFolder, 'package.json'), 'utf8')) as {dependencies: Record<string, string>};
	const packages = ['@orama/orama', '@lancedb/lancedb', '@zvec/zvec', 'minisearch'];
	t.deepEqual(
		row('version').slice(1),
		packages.map(name => dependencies[name]),
	);
});

/**
Splits an output into the hits of its two searches, two hits each. Removes the marks of highlights, and sorts the hits of each search,
because their order depends on the fusion method of the library.
*/
function searches(output: string): string[][] {
	const hits = output.trim().replaceAll('*', '').split('\n');
	return [hits.slice(0, 2).sort(), hits.slice(2).sort()];
}

const installed = existsSync(join(peersFolder, 'node_modules'));
for (const path of paths.slice(1)) {
	const title = `examples/same-program/${path} finds the same products as the passagekit program`;
	if (!installed) {
		test.skip(`${title} (needs \`npm install\` in examples/same-program/peers)`, () => {});
		continue;
	}
	test.serial(title, async t => {
		const {stdout} = await run(process.execPath, ['--import', import.meta.resolve('tsx'), join(folder, path)], {timeout: 170_000});
		const [, expected] = /^```text output\n([\s\S]*?)^```$/mu.exec(readme)!;
		t.deepEqual(searches(stdout), searches(expected!));
	});
}

(installed ? test.serial : test.skip)('the programs of examples/same-program/peers compile (needs their packages)', async t => {
	await t.notThrowsAsync(run(process.execPath, [join(packageRoot, 'node_modules/typescript/bin/tsc'), '-p', peersFolder]));
});
