/**
A Node program for the tests in this folder, and the packing of the packages that it uses. passagekit is installed for the program as a user
would install it: from packages, without Rust, and without install scripts.
*/
import {execFile} from 'node:child_process';
import {mkdtempSync, realpathSync} from 'node:fs';
import {cp, mkdir, readdir, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {basename, delimiter, dirname, join} from 'node:path';
import {promisify} from 'node:util';
import {packageRoot} from '../../ts/core/native/addon.ts';
import {Registry} from './registry.ts';

const execute = promisify(execFile);

/** The environment variables of the program, as on the machine of a user who has no Rust and no ONNX Runtime. */
const environment: NodeJS.ProcessEnv = {
	...process.env,
	PATH: (process.env['PATH'] ?? '')
		.split(delimiter)
		.filter(folder => !folder.includes('cargo') && !folder.includes('rust'))
		.join(delimiter),
	PASSAGEKIT_ONNXRUNTIME: '',
	// The settings with which ava runs the tests must not reach the program.
	NODE_OPTIONS: '',
	NODE_ENV: '',
};

/**
Packs all packages into a new folder in dist/, and returns the paths of the tarballs. The method `remove` of an `App` that has installed the
tarballs deletes the folder.
*/
export async function packed(): Promise<string[]> {
	const folder = mkdtempSync(join(packageRoot, 'dist/packages-'));
	// The addon of this checkout is packed, even if an older one for publishing is in dist/addons.
	const options = {output: folder, addonFolders: [join(packageRoot, 'native')]};
	const source = `import {pack} from './scripts/pack.mjs'; await pack(${JSON.stringify(options)});`;
	await execute(process.execPath, ['--input-type=module', '--eval', source], {cwd: packageRoot, maxBuffer: 1 << 24});
	return (await readdir(folder)).filter(name => name.endsWith('.tgz')).map(name => join(folder, name));
}

/**
The command that runs npm. `npm test` sets `npm_execpath` to the path of npm's program. On Windows, `npm` itself is a script, which cannot be
started without a shell.
*/
export const npm: readonly [string, ...string[]] =
	basename(process.env['npm_execpath'] ?? '') === 'npm-cli.js' ? [process.execPath, process.env['npm_execpath']!] : ['npm'];

/** A program in a temporary folder, with its own `package.json` and `node_modules`. */
export class App {
	/** The path without links, because webpack writes it into bundles. */
	readonly folder = realpathSync(mkdtempSync(join(tmpdir(), 'passagekit-install-')));
	/** The paths of the installed tarballs. */
	#packages: readonly string[] = [];

	/**
	Installs the packages of passagekit as a user does. npm gets the package `passagekit` from its tarball, and all others, which have the scope
	`@passagekit`, from a registry that serves the other tarballs. So npm itself chooses the package with the addon for this platform. `manifest`
	is a folder whose `package.json` the program gets, so that the dependencies in it are installed, too. `omit` is npm's option `--omit`.
	*/
	async install(tarballs: readonly string[], {manifest, omit}: {manifest?: string; omit?: 'optional'} = {}): Promise<void> {
		if (manifest === undefined) {
			await writeFile(join(this.folder, 'package.json'), '{"name": "app", "version": "1.0.0", "private": true}');
		} else {
			await cp(join(manifest, 'package.json'), join(this.folder, 'package.json'));
		}
		this.#packages = tarballs;
		const registry = await Registry.start(tarballs);
		await writeFile(join(this.folder, '.npmrc'), `@passagekit:registry=${registry.url}`);
		const own = tarballs.filter(path => /passagekit-\d[^/\\]*$/u.test(path));
		const models = omit === undefined ? registry.names.filter(name => !name.includes('/native-')) : [];
		const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', ...(omit ? [`--omit=${omit}`] : [])];
		const [command, ...args] = npm;
		try {
			await execute(command, [...args, 'install', ...options, ...own, ...models], {
				cwd: this.folder,
				env: environment,
				maxBuffer: 1 << 24,
			});
		} finally {
			registry.close();
		}
	}

	/** Writes a file of the program. */
	async write(path: string, content: string): Promise<void> {
		await mkdir(dirname(join(this.folder, path)), {recursive: true});
		await writeFile(join(this.folder, path), content);
	}

	/**
	Runs a command, and returns what it prints to stdout. `variables` are additional environment variables. `folder` is the working directory;
	by default the folder of the program.
	*/
	async run(command: string, args: readonly string[], variables: Record<string, string> = {}, folder = this.folder): Promise<string> {
		const {stdout} = await execute(command, args, {cwd: folder, env: {...environment, ...variables}, maxBuffer: 1 << 24});
		return stdout.trim();
	}

	/** Runs Node in the folder of the program, and returns what it prints to stdout. */
	async node(...args: readonly string[]): Promise<string> {
		return this.run(process.execPath, args);
	}

	/** Returns the path of a file in an installed package. */
	file(path: string): string {
		return join(this.folder, 'node_modules', path);
	}

	/** Deletes the program's folder, and the folders of the installed tarballs. */
	async remove(): Promise<void> {
		for (const folder of [this.folder, ...new Set(this.#packages.map(path => dirname(path)))]) {
			await rm(folder, {recursive: true, force: true});
		}
	}
}

/**
The source code of a program, except its imports. It indexes two documents, searches them and prints `lamp`. The code before it must import
`Collection` and declare `path`, the folder of the collection.
*/
export const program = `
	const docs = await Collection.open(path, {create: true, encoder: false});
	await docs.upsert([{id: 'lamp', text: 'A tall lamp of brass.'}, {id: 'pen', text: 'A pen with blue ink.'}]);
	await docs.commit();
	const {hits} = await docs.search('lamps', {retriever: 'bm25'});
	await docs.close();
	console.log(hits.map(({document}) => document).join());
`;

/**
Like `program`, but it encodes the documents with the model `minilm-encoder` and searches with BM25 and vectors, so it prints `lamp,pen`.
*/
export const programWithModel = `
	const docs = await Collection.open(path, {create: true, encoder: 'minilm-encoder'});
	await docs.upsert([{id: 'lamp', text: 'A tall lamp of brass.'}, {id: 'pen', text: 'A pen with blue ink.'}]);
	await docs.commit();
	const {hits} = await docs.search('lamps');
	await docs.close();
	console.log(hits.map(({document}) => document).join());
`;
