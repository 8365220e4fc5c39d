// Makes the JavaScript files and type declarations of the package from the output of the TypeScript compiler in dist/modules: ES modules in dist/ts,
// and CommonJS modules in dist/cjs.
import {mkdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {dirname, join, relative} from 'node:path';
import {build} from 'esbuild';
import {fail, filesUnder, root} from './commands.mjs';

/** Makes the files in dist/ts and dist/cjs. */
export async function bundle() {
	const entries = exportedModules();
	copyDeclarations(entries);
	await bundleAsEsModules(entries);
	await bundleAsCommonJs(entries);
}

/**
Bundles the modules that package.json exports, and the command line. Node opens all modules of a program at the same time. So without bundles,
the 200 source files could not be loaded on a system where a process may have only 64 open files. Code that several entry points use is
written to `chunks`.
*/
async function bundleAsEsModules(entries) {
	await build({
		...bundleOptions,
		entryPoints: [...entries, 'cli/main.js'].map(path => join('dist/modules', path)),
		outdir: 'dist/ts',
		outbase: 'dist/modules',
		chunkNames: 'chunks/[name]-[hash]',
		splitting: true,
		format: 'esm',
	});
	keepNamesOfClassesOnly(filesUnder('dist/ts').filter(path => path.endsWith('.js')));
}

/**
Bundles all exported modules into one CommonJS file, for tools that cannot load ES modules with `require`, such as Jest. For each exported module,
also writes a small CommonJS module, which `require` loads: it passes on the ES module, as `import` loads it, or, if that fails, the module from the
CommonJS bundle.
*/
async function bundleAsCommonJs(entries) {
	rmSync(join(root, 'dist/cjs'), {recursive: true, force: true});
	await build({
		...bundleOptions,
		stdin: {
			contents: entries.map(path => `export * as ${JSON.stringify(path)} from './${path}';`).join('\n'),
			resolveDir: join(root, 'dist/modules'),
		},
		outfile: 'dist/cjs/passagekit.cjs',
		format: 'cjs',
		minifyWhitespace: true,
		// CommonJS has no `import.meta`; the code then uses `__filename`.
		logOverride: {'empty-import-meta': 'silent'},
		// Jest supports `import()` only with an option of Node.
		supported: {'dynamic-import': false},
	});
	for (const path of entries) {
		const file = join('dist/cjs', path.replace(/\.js$/u, '.cjs'));
		const relativePath = other => relative(dirname(file), other).replaceAll('\\', '/');
		const [esModule, bundled] = [relativePath(join('dist/ts', path)), relativePath('dist/cjs/passagekit.cjs')];
		mkdirSync(join(root, dirname(file)), {recursive: true});
		writeFileSync(join(root, file), commonJsModule(esModule, bundled, path));
		writeFileSync(join(root, file.replace(/\.cjs$/u, '.d.cts')), `${requireNote}\nexport * from '${esModule}';\n`);
	}
	keepNamesOfClassesOnly(['dist/cjs/passagekit.cjs']);
}

/**
Returns the source of a CommonJS module that passes on an ES module. `createRequire` hides the CommonJS bundle from bundlers and file tracers,
which would otherwise include its code, too.
*/
function commonJsModule(esModule, bundled, name) {
	return `try {
	module.exports = require('${esModule}');
} catch (error) {
	if (error.code !== 'ERR_REQUIRE_ESM') {
		throw error;
	}
	module.exports = require('node:module').createRequire(__filename)('./${bundled}')['${name}'];
}
`;
}

/** TypeScript before 5.8 rejects `require` of an ES module; so do later versions with `module: node16`. Node supports it since 20.19. */
const requireNote = '// @ts-ignore: Node can load ES modules with `require`.';

/** The esbuild options that both bundles share. */
const bundleOptions = {
	absWorkingDir: root,
	bundle: true,
	platform: 'node',
	// TypeScript has already lowered the syntax that Node 20 lacks.
	target: 'esnext',
	packages: 'external',
	charset: 'utf8',
	// Without this option, esbuild renames a class that refers to itself: `Bm25Index` would become `_Bm25Index`.
	keepNames: true,
	legalComments: 'none',
	logLevel: 'warning',
	define: {PASSAGEKIT_VERSION: JSON.stringify(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version)},
};

/** Returns the paths of the modules that package.json exports, relative to dist/ts: `index.js`, `fusion/index.js`, … */
function exportedModules() {
	const {exports} = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
	return Object.values(exports).flatMap(entry => entry.default?.default.replace('./dist/ts/', '') ?? []);
}

/** Copies the type declarations of exported modules to dist/ts, and those of the modules that they import. Deletes the old content of dist/ts. */
function copyDeclarations(entries) {
	rmSync(join(root, 'dist/ts'), {recursive: true, force: true});
	const pending = entries.map(path => path.replace(/\.js$/u, '.d.ts'));
	const copied = new Set();
	for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
		if (copied.has(path)) {
			continue;
		}
		copied.add(path);
		const text = readFileSync(join(root, 'dist/modules', path), 'utf8');
		mkdirSync(join(root, 'dist/ts', dirname(path)), {recursive: true});
		writeFileSync(join(root, 'dist/ts', path), text);
		for (const [, imported] of text.matchAll(/\b(?:from|import|import\() ?['"](\.[^'"]+)['"]/gu)) {
			pending.push(join(dirname(path), imported.replace(/(?:\.d)?\.[jt]s$/u, '.d.ts')));
		}
	}
}

/**
Restricts esbuild's option `keepNames` to classes. Otherwise, the name of every closure would be set each time the closure is created, which costs
microseconds per search.
*/
function keepNamesOfClassesOnly(paths) {
	const helper = /var __name ?= ?\((\w+), ?(\w+)\) ?=> ?(?=__defProp\(\1, ?"name")/u;
	const pathsWithHelper = paths.filter(path => helper.test(readFileSync(join(root, path), 'utf8')));
	if (pathsWithHelper.length === 0) {
		fail("expected esbuild's helper function `__name` in the bundles, found none: esbuild may have changed it.");
	}
	for (const path of pathsWithHelper) {
		const text = readFileSync(join(root, path), 'utf8');
		// Arrow functions have no prototype.
		writeFileSync(join(root, path), text.replace(helper, 'var __name = ($1, $2) => $1.prototype === undefined ? $1 : '));
	}
}
