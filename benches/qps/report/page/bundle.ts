// Bundles the script of the report page: a TypeScript module and all modules that it imports become one piece of JavaScript
// without imports.
import {readFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {dirname, join, relative} from 'node:path';
import type ts from 'typescript';
import {packageRoot} from '../../../../ts/core/native/addon.ts';

type TypeScript = typeof ts;

const bundles = new Map<string, string>();

/** Bundles the file `entry` with its imports. Each module runs once, when it is first imported. Bundles are cached in memory. */
export function bundle(entry: string): string {
	const script = bundles.get(entry) ?? makeBundle(entry);
	bundles.set(entry, script);
	return script;
}

function makeBundle(entry: string): string {
	// TypeScript is large, so it is loaded only if a page is made.
	const typescript: TypeScript = createRequire(import.meta.url)('typescript');
	const modules = new Map<string, string>();
	add(entry, modules, typescript);
	const parts = [...modules].map(([name, code]) => `${JSON.stringify(name)}(exports, require) {\n${code}}`);
	return [
		"'use strict';",
		'{',
		`const modules = {\n${parts.join(',\n')}\n};`,
		'const loaded = new Map();',
		'const load = name => {',
		'\tif (!loaded.has(name)) {',
		'\t\tconst exports = {};',
		'\t\tloaded.set(name, exports);',
		'\t\tmodules[name](exports, load);',
		'\t}',
		'\treturn loaded.get(name);',
		'};',
		`load(${JSON.stringify(nameOf(entry))});`,
		'}',
	].join('\n');
}

/** Adds a file and its imports to `modules`, which maps names to JavaScript in CommonJS format. */
function add(file: string, modules: Map<string, string>, typescript: TypeScript): void {
	if (modules.has(nameOf(file))) {
		return;
	}
	// Marks the module as seen, and keeps its place before the modules that it imports.
	modules.set(nameOf(file), '');
	const {outputText} = typescript.transpileModule(readFileSync(file, 'utf8'), {
		compilerOptions: {
			target: typescript.ScriptTarget.ES2022,
			module: typescript.ModuleKind.CommonJS,
			removeComments: true,
			verbatimModuleSyntax: false,
			isolatedModules: true,
		},
	});
	const code = outputText.replaceAll(/\brequire\("(\.[^"]+)"\)/gu, (_, path: string) => {
		const imported = join(dirname(file), path);
		add(imported, modules, typescript);
		return `require(${JSON.stringify(nameOf(imported))})`;
	});
	modules.set(
		nameOf(file),
		code.replace(/^"use strict";\n/u, '').replace('Object.defineProperty(exports, "__esModule", { value: true });\n', ''),
	);
}

/** Returns the name of a module in the bundle: its path in the repository. */
const nameOf = (file: string): string => relative(packageRoot, file);
