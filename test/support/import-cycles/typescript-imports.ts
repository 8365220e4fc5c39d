// Reads the imports among TypeScript files, as a graph for `importCycles`.
import {existsSync, readFileSync} from 'node:fs';
import {dirname, resolve} from 'node:path';
import {type FileGraph, filesBelow} from './import-cycles.ts';

/** Returns the static, dynamic and type-only imports among the TypeScript files of a folder. */
export function typescriptImports(folder: string): FileGraph {
	return new Map(
		filesBelow(folder)
			.filter(path => path.endsWith('.ts'))
			.map(file => [file, importsOf(file)]),
	);
}

function importsOf(file: string): ReadonlySet<string> {
	const specifiers = readFileSync(file, 'utf8').matchAll(/(?:from|import\()\s*'(\.[^']+)'/gu);
	return new Set(
		[...specifiers].map(([, specifier]) => resolve(dirname(file), specifier!)).filter(path => path !== file && existsSync(path)),
	);
}
