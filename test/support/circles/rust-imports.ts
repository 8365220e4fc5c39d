/**
Reads the uses among the files of a Rust crate, as a graph for `circlesOf`. It compares only names and does not resolve types: a
file uses another one if a `use` declaration or a path that begins with `crate` or `super` leads there. A name that a module
re-exports with `pub use` belongs to the file that defines it. Code under `#[cfg(test)]` does not count, and neither do the `pub use` declarations themselves.
*/
import {readFileSync} from 'node:fs';
import {dirname, join, relative} from 'node:path';
import {type FileGraph, filesBelow} from './circles.ts';

/** The segments of a path, from the root of the crate: `crate::store::Reader` is `['store', 'Reader']`. */
type Path = readonly string[];

interface Module {
	readonly file: string;
	readonly path: Path;
	/** The source without comments, string literals and tests. */
	readonly source: string;
	readonly declarations: readonly UseDeclaration[];
}

interface UseDeclaration {
	/** Whether it re-exports the name, as `pub use` and `pub(crate) use` do. */
	readonly isPublic: boolean;
	/** The path as written. `use a::{b, c}` gives two declarations. */
	readonly written: string;
}

/** The imports among the files of the crate with this `lib.rs`. */
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

/** The `lib.rs` of every crate below a folder. */
export function rustCrates(folder: string): string[] {
	return filesBelow(folder).filter(path => path.endsWith(join('src', 'lib.rs')));
}

/** `store/reader.rs` → `['store', 'reader']`; `lib.rs` and `mod.rs` give the path of their folder. */
function modulePath(file: string): Path {
	const names = file.replace(/\.rs$/u, '').split(/[/\\]/u);
	return names.at(-1) === 'mod' || (names.length === 1 && names[0] === 'lib') ? names.slice(0, -1) : names;
}

function parsed(file: string, path: Path): Module {
	const [source] = readFileSync(file, 'utf8')
		.replaceAll(/\/\/.*$/gmu, '')
		.replaceAll(/"(?:\\.|[^"\\])*"/gsu, '""')
		.split(/#\[cfg\(test\)\]\s*(?:pub )?mod \w+ \{/u);
	const declarations = [...source!.matchAll(/(?:^|\n)\s*(pub(?:\([^)]*\))?\s+)?use\s+([^;]+);/gu)].flatMap(([, visibility, tree]) =>
		expanded(tree!.replaceAll(/\s+/gu, ' ')).map(written => ({isPublic: visibility !== undefined, written})),
	);
	return {file, path, source: source!, declarations};
}

/** `a::{b, c::{d}}` → `['a::b', 'a::c::d']`; `as` names are dropped. */
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

/** The paths that a module uses, as written. */
function usedPaths({source, declarations}: Module): string[] {
	const passedOn = declarations.filter(({isPublic}) => isPublic).map(({written}) => written.replaceAll(/\s/gu, ''));
	const imported = declarations.filter(({isPublic}) => !isPublic).map(({written}) => written);
	const inCode = [...source.matchAll(/\b(?:crate|super)(?:::\w+)+/gu)].map(([path]) => path);
	return [...imported, ...inCode.filter(path => !passedOn.some(written => written.startsWith(path)))];
}

/** The path from the root of the crate; `undefined` if it leads to another crate. */
function absolute(written: string, from: Path, modules: ReadonlyMap<string, Module>): Path | undefined {
	const names = written.split('::').map(name => name.trim());
	const [first] = names;
	if (first === 'crate') {
		return names.slice(1);
	}
	if (first === 'self') {
		return [...from, ...names.slice(1)];
	}
	const levels = names.findIndex(name => name !== 'super');
	if (levels > 0) {
		return [...from.slice(0, -levels), ...names.slice(levels)];
	}
	return modules.has([...from, first].join('::')) ? [...from, ...names] : undefined;
}

/** The file of the module that defines the end of a path, following re-exports. */
function definingFile(path: Path, modules: ReadonlyMap<string, Module>, depth = 0): string | undefined {
	for (let length = path.length; length >= 0; length--) {
		const module = modules.get(path.slice(0, length).join('::'));
		if (module === undefined) {
			continue;
		}
		if (length === path.length) {
			return module.file;
		}
		const name = path[length]!.replaceAll(/\W/gu, '') || '_';
		const isDefined = new RegExp(`(?:fn|struct|enum|trait|type|const|static|union|macro_rules!|mod)\\s+${name}\\b`, 'u').test(
			module.source,
		);
		const passedOn = isDefined ? undefined : importOf(name, module, modules);
		return passedOn === undefined || depth > 6 || passedOn.join() === path.join()
			? module.file
			: definingFile([...passedOn, ...path.slice(length + 1)], modules, depth + 1);
	}
	return undefined;
}

/** The path that a module imports under a name. */
function importOf(name: string, {declarations, path}: Module, modules: ReadonlyMap<string, Module>): Path | undefined {
	return declarations
		.map(({written}) => absolute(written, path, modules))
		.findLast(imported => imported !== undefined && imported.at(-1) === name);
}
