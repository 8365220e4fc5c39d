/**
Reads the imports among the files of a Rust crate, as a graph for `importCycles`.

File A imports file B if A uses a name that B defines: in a `use` declaration, or in a path in its code that begins with
`crate` or `super`. A re-export with `pub use` is not an import. If A uses a name through a re-export, A imports the file
that defines the name, not the file that re-exports it. An inline test module (`#[cfg(test)] mod … {`) is ignored, with all
code after it.

The source is searched with regular expressions, not parsed, so a name is found by its spelling alone.
*/
import {readFileSync} from 'node:fs';
import {dirname, join, relative} from 'node:path';
import {type FileGraph, filesBelow} from './import-cycles.ts';

/** The segments of a module path, from the root of the crate: `crate::store::Reader` is `['store', 'Reader']`. */
type ModulePath = readonly string[];

interface Module {
	readonly file: string;
	readonly path: ModulePath;
	/** The source up to the first inline test module, without comments and without the content of string literals. */
	readonly source: string;
	readonly declarations: readonly UseDeclaration[];
}

/** One path of a `use` declaration: `use a::{b, c}` becomes two of these objects. */
interface UseDeclaration {
	/** Whether the declaration re-exports the name, as `pub use` and `pub(crate) use` do. */
	readonly isPublic: boolean;
	/** The path as it is written, which may begin with `crate`, `self` or `super`. */
	readonly written: string;
}

/** Returns the imports among the files of the crate whose root file is `lib`. */
export function rustImports(lib: string): FileGraph {
	const root = dirname(lib);
	const modules = filesBelow(root)
		.filter(path => path.endsWith('.rs'))
		.map(file => parsed(file, modulePath(relative(root, file))));
	const byPath = new Map(modules.map(module => [module.path.join('::'), module]));
	return new Map(
		modules.map(module => [
			module.file,
			new Set(
				usedPaths(module)
					.map(written => absolute(written, module.path, byPath))
					.map(path => path && definingFile(path, byPath))
					.filter(file => file !== undefined && file !== module.file) as string[],
			),
		]),
	);
}

/** Returns the `lib.rs` of every crate below a folder. */
export function crateRoots(folder: string): string[] {
	return filesBelow(folder).filter(path => path.endsWith(join('src', 'lib.rs')));
}

/** Returns the module path of a file: `store/reader.rs` → `['store', 'reader']`, `store/mod.rs` → `['store']`, `lib.rs` → `[]`. */
function modulePath(file: string): ModulePath {
	const segments = file.replace(/\.rs$/u, '').split(/[/\\]/u);
	return segments.at(-1) === 'mod' || (segments.length === 1 && segments[0] === 'lib') ? segments.slice(0, -1) : segments;
}

function parsed(file: string, path: ModulePath): Module {
	const [source] = readFileSync(file, 'utf8')
		.replaceAll(/\/\/.*$/gmu, '')
		.replaceAll(/"(?:\\.|[^"\\])*"/gsu, '""')
		.split(/#\[cfg\(test\)\]\s*(?:pub )?mod \w+ \{/u);
	const declarations = [...source!.matchAll(/(?:^|\n)\s*(pub(?:\([^)]*\))?\s+)?use\s+([^;]+);/gu)].flatMap(([, visibility, tree]) =>
		expanded(tree!.replaceAll(/\s+/gu, ' ')).map(written => ({isPublic: visibility !== undefined, written})),
	);
	return {file, path, source: source!, declarations};
}

/** Expands the tree of a `use` declaration: `a::{b, c::{d}}` → `['a::b', 'a::c::d']`. Removes `as name` after a path. */
function expanded(tree: string): string[] {
	const open = tree.indexOf('{');
	if (open === -1) {
		return [tree.trim().replace(/\s+as\s+\w+$/u, '')];
	}
	const prefix = tree.slice(0, open).trim();
	const parts = [''];
	let depth = 0;
	for (const character of tree.slice(open + 1, tree.lastIndexOf('}'))) {
		depth += Number(character === '{') - Number(character === '}');
		if (character === ',' && depth === 0) {
			parts.push('');
		} else {
			parts[parts.length - 1] += character;
		}
	}
	return parts
		.filter(part => part.trim() !== '')
		.flatMap(expanded)
		.map(part => prefix + part);
}

/** Returns the paths that a module uses, as they are written, except for those in its re-exports. */
function usedPaths({source, declarations}: Module): string[] {
	const reexported = declarations.filter(({isPublic}) => isPublic).map(({written}) => written.replaceAll(/\s/gu, ''));
	const imported = declarations.filter(({isPublic}) => !isPublic).map(({written}) => written);
	const inCode = [...source.matchAll(/\b(?:crate|super)(?:::\w+)+/gu)].map(([path]) => path);
	return [...imported, ...inCode.filter(path => !reexported.some(written => written.startsWith(path)))];
}

/** Resolves a path that is written in the module `from` to a path from the crate's root. Returns `undefined` for paths in other crates. */
function absolute(written: string, from: ModulePath, modules: ReadonlyMap<string, Module>): ModulePath | undefined {
	const segments = written.split('::').map(segment => segment.trim());
	const [first] = segments;
	if (first === 'crate') {
		return segments.slice(1);
	}
	if (first === 'self') {
		return [...from, ...segments.slice(1)];
	}
	const levels = segments.findIndex(segment => segment !== 'super');
	if (levels > 0) {
		return [...from.slice(0, -levels), ...segments.slice(levels)];
	}
	return modules.has([...from, first].join('::')) ? [...from, ...segments] : undefined;
}

/**
Returns the file of the module that defines the last name of a path. If a module on the path does not define the name but
imports or re-exports it, this function follows that import. It follows at most seven imports, because they may be circular.
*/
function definingFile(path: ModulePath, modules: ReadonlyMap<string, Module>, depth = 0): string | undefined {
	for (let length = path.length; length >= 0; length--) {
		const module = modules.get(path.slice(0, length).join('::'));
		if (module === undefined) {
			continue;
		}
		if (length === path.length) {
			return module.file;
		}
		// A glob (`*`) becomes `_`, a name that no module defines or imports.
		const name = path[length]!.replaceAll(/\W/gu, '') || '_';
		const isDefined = new RegExp(`(?:fn|struct|enum|trait|type|const|static|union|macro_rules!|mod)\\s+${name}\\b`, 'u').test(
			module.source,
		);
		const imported = isDefined ? undefined : importOf(name, module, modules);
		return imported === undefined || depth > 6 || imported.join() === path.join()
			? module.file
			: definingFile([...imported, ...path.slice(length + 1)], modules, depth + 1);
	}
	return undefined;
}

/** Returns the path that a module imports or re-exports under a name; `undefined` if there is none. */
function importOf(name: string, {declarations, path}: Module, modules: ReadonlyMap<string, Module>): ModulePath | undefined {
	return declarations
		.map(({written}) => absolute(written, path, modules))
		.findLast(imported => imported !== undefined && imported.at(-1) === name);
}
