// Tests that imports, dependencies and unsafe code follow the rules in ARCHITECTURE.md.
import {existsSync, readFileSync, readdirSync} from 'node:fs';
import {dirname, join, normalize, relative} from 'node:path';
import test from 'ava';
import {packageRoot} from '../ts/core/native/addon.ts';
import {filesBelow, importCycles} from './support/import-cycles/import-cycles.ts';
import {crateRoots, rustImports} from './support/import-cycles/rust-imports.ts';
import {typescriptImports} from './support/import-cycles/typescript-imports.ts';

const page = readFileSync(join(packageRoot, 'ARCHITECTURE.md'), 'utf8');

/**
Reads the table of ARCHITECTURE.md whose first column has this heading. Returns a map from the name of each crate or folder to
the names that it may use.
*/
function allowed(heading: string): Map<string, Set<string>> {
	const [, rest] = page.split(`| ${heading} |`);
	const rows = rest!.split('\n\n')[0]!.trim().split('\n').slice(2);
	return new Map(
		rows.map(row => {
			const [, name, , uses] = row.split('|').map(cell => cell.trim());
			return [name!.replaceAll('`', ''), new Set(uses === '–' ? [] : uses!.split(', '))];
		}),
	);
}

test('every crate uses only the crates that the architecture page lets it use', t => {
	const rules = allowed('crate');
	const crates = readdirSync(join(packageRoot, 'crates'));
	t.deepEqual(crates.toSorted(), [...rules.keys()].toSorted(), 'the page names every crate, and nothing else');
	for (const name of crates) {
		const manifest = readFileSync(join(packageRoot, 'crates', name, 'Cargo.toml'), 'utf8');
		const [, dependencies = ''] = /^\[dependencies\]$([\s\S]*?)(?=^\[|(?![\s\S]))/mu.exec(manifest) ?? [];
		const used = [...dependencies.matchAll(/^([\w-]+)/gmu)]
			.map(([, dependency]) => dependency!)
			.filter(dependency => rules.has(dependency));
		for (const dependency of used) {
			t.true(rules.get(name)!.has(dependency), `crates/${name} uses ${dependency}`);
		}
	}
});

test('each heavy dependency is used by only one crate', t => {
	for (const [dependency, user] of [
		['tantivy', 'crates/sparse'],
		['tokenizers', 'crates/tokenize'],
		['ort', 'crates/inference'],
		['parquet', 'crates/vectors'],
		['napi', 'native'],
	] as const) {
		const users = ['native', ...readdirSync(join(packageRoot, 'crates')).map(name => `crates/${name}`)].filter(folder =>
			new RegExp(`^${dependency}\\b`, 'mu').test(readFileSync(join(packageRoot, folder, 'Cargo.toml'), 'utf8')),
		);
		t.deepEqual(users, [user], dependency);
	}
});

test('every folder of ts/ imports only the folders that the architecture page lets it import', t => {
	const rules = allowed('folder of `ts/`');
	const root = join(packageRoot, 'ts');
	/** The folder of a file. Subfolders of `studies` have rows of their own, such as `studies/report`. */
	const folderOf = (file: string): string => {
		const [folder, inner] = dirname(relative(root, file)).split('/');
		return folder === 'studies' && inner !== undefined ? `${folder}/${inner}` : folder!;
	};
	t.deepEqual(
		[...new Set(filesBelow(root).map(folderOf))].toSorted(),
		[...rules.keys()].toSorted(),
		'the page names every folder, and nothing else',
	);
	for (const file of filesBelow(root)) {
		const from = folderOf(file);
		const source = readFileSync(file, 'utf8');
		for (const [, target] of source.matchAll(/(?:from|import\()\s*'(\.[^']+)'/gu)) {
			const path = normalize(join(dirname(file), target!));
			if (!path.startsWith(root)) {
				t.is(relative(packageRoot, path), 'native/binding.d.ts', `${relative(packageRoot, file)} imports ${target}`);
				t.is(relative(root, file), 'core/native/native.ts', 'only ts/core/native/native.ts imports the addon');
				continue;
			}
			const to = folderOf(path);
			t.true(from === to || rules.get(from)!.has(to), `${relative(packageRoot, file)} imports ${relative(packageRoot, path)}`);
		}
	}
});

test('the table lets no study import another', t => {
	const rules = allowed('folder of `ts/`');
	const studies = ['studies/phrases', 'studies/replication', 'studies/training', 'studies/vocabulary'];
	t.true(studies.every(study => rules.get('studies')!.has(study)));
	for (const [folder, uses] of rules) {
		const used = studies.filter(study => uses.has(study));
		t.true(used.length === 0 || folder === 'studies' || folder === 'cli', `${folder} may import ${used.join(', ')}`);
	}
});

test('the table lets a folder of ts/ import only the folders in rows above its own', t => {
	const rules = allowed('folder of `ts/`');
	const above = new Set<string>();
	for (const [folder, uses] of rules) {
		for (const used of uses) {
			t.true(above.has(used), `${folder} may import ${used}, which is not in a row above`);
		}
		above.add(folder);
	}
});

test('every path on the architecture page exists', t => {
	const paths = [...page.matchAll(/`((?:ts|crates|native|test|benches|docs|scripts|fuzz)\/[\w./-]+)`/gu)].map(([, path]) => path!);
	t.true(paths.length > 30);
	for (const path of paths) {
		t.true(existsSync(join(packageRoot, path)), path);
	}
});

test('the crates do not depend on Node', t => {
	for (const file of filesBelow(join(packageRoot, 'crates')).filter(path => path.includes('/src/') || path.endsWith('.toml'))) {
		t.notRegex(readFileSync(file, 'utf8'), /\bnapi\b/u, relative(packageRoot, file));
	}
});

test('unsafe code occurs only in the crates `kernels` and `storage`', t => {
	const users = filesBelow(join(packageRoot, 'crates')).filter(
		path => path.endsWith('.rs') && /\bunsafe\s*(?:\{|fn|impl)/u.test(readFileSync(path, 'utf8')),
	);
	t.deepEqual([...new Set(users.map(path => relative(packageRoot, path).split('/')[1]!))].toSorted(), ['kernels', 'storage']);
});

/**
Circular imports that are allowed. The key has the files in alphabetical order (`first file, second file, …`); the value is the
reason.
*/
const allowedCycles: ReadonlyMap<string, string> = new Map([]);

test('ts/ and benches/ have no circular imports, not even of types', t => {
	const cycles = ['ts', 'benches'].flatMap(folder => importCycles(typescriptImports(join(packageRoot, folder))));
	t.deepEqual(unexpected(cycles), []);
});

test('no crate has circular imports among its files', t => {
	const crates = ['crates', 'native'].flatMap(folder => crateRoots(join(packageRoot, folder)));
	const cycles = crates.flatMap(lib => importCycles(rustImports(lib)));
	t.deepEqual(unexpected(cycles), []);
});

/** Returns the circular imports that are not allowed. */
function unexpected(cycles: readonly string[][]): string[] {
	return cycles.map(files => files.map(file => relative(packageRoot, file)).join(', ')).filter(cycle => !allowedCycles.has(cycle));
}
