// Tests that the examples in the documentation comments of `ts/` compile.
import {spawnSync} from 'node:child_process';
import {copyFile, mkdir, readdir, rm, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import test from 'ava';
import ts from 'typescript';
import {packageRoot} from '../../ts/core/native/addon.ts';
import {readExamples} from './code-blocks.ts';

/** The modules that the package exports. */
const entries = ['ts/index.ts', 'ts/studies/index.ts', 'ts/remote/index.ts'];

/** Maps each exported name to the module of `entries` that exports it. */
function exportedNames(): Map<string, string> {
	const program = ts.createProgram(
		entries.map(entry => join(packageRoot, entry)),
		{module: ts.ModuleKind.NodeNext, target: ts.ScriptTarget.ES2023, allowImportingTsExtensions: true, noEmit: true, skipLibCheck: true},
	);
	const checker = program.getTypeChecker();
	const names = new Map<string, string>();
	for (const entry of entries) {
		const module = checker.getSymbolAtLocation(program.getSourceFile(join(packageRoot, entry))!)!;
		for (const {name} of checker.getExportsOfModule(module)) {
			names.set(name, entry);
		}
	}
	return names;
}

test('every @example of a documentation comment compiles', async t => {
	const folder = join(packageRoot, 'dist', 'doc-comments');
	await rm(folder, {recursive: true, force: true});
	await mkdir(folder, {recursive: true});
	const exports = exportedNames();
	const sources = (await readdir(join(packageRoot, 'ts'), {recursive: true})).filter(path => path.endsWith('.ts'));
	let count = 0;
	for (const path of sources) {
		for (const {code, line} of readExamples(join(packageRoot, 'ts', path))) {
			const used = new Set([...code.matchAll(/\b[A-Za-z]\w*\b/gu)].map(([word]) => word));
			// Imports the exported names that the example uses and does not declare itself.
			const imports = [...exports].filter(
				([name]) => used.has(name) && !new RegExp(`(?:const|function|class) (?:\\{[^}]*\\b)?${name}\\b`, 'u').test(code),
			);
			const heads = imports.map(([name, entry]) => `import {${name}} from '../../${entry}';`);
			const name = `${path.replaceAll(/[/\\.]/gu, '-')}-${line}.ts`;
			await writeFile(join(folder, name), [`// ts/${path}, line ${line}`, ...heads, code, 'export {};\n'].join('\n'));
			count += 1;
		}
	}
	t.true(count > 50, 'the examples were found');
	await copyFile(join(packageRoot, 'test/docs/example-names.d.ts'), join(folder, 'example-names.d.ts'));
	const tsconfig = {
		extends: '../../tsconfig.json',
		compilerOptions: {
			noEmit: true,
			rootDir: '../..',
			allowImportingTsExtensions: true,
			rewriteRelativeImportExtensions: false,
			verbatimModuleSyntax: false,
			noUnusedLocals: false,
			noUncheckedIndexedAccess: false,
		},
		include: ['*.ts'],
		exclude: [],
	};
	await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(tsconfig));
	const compiler = join(packageRoot, 'node_modules/typescript/bin/tsc');
	const {stdout, status} = spawnSync(process.execPath, [compiler, '-p', folder], {encoding: 'utf8', cwd: folder});
	t.is(status, 0, stdout);
});
