import {existsSync, readFileSync} from 'node:fs';
import {dirname, resolve} from 'node:path';
import {type FileGraph, filesBelow} from './circles.ts';

/** What the TypeScript files of a folder import of each other: statically, dynamically, or as types alone. */
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
