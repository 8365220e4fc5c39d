// Tests the package in another `vm` context, as test runners such as Jest load it.
import {execFile} from 'node:child_process';
import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {promisify} from 'node:util';
import test from 'ava';
import {packageRoot} from '../../ts/core/native/addon.ts';

const execute = promisify(execFile);

/**
Loads the built package and a program into a new context, as Jest does. The addon, and the errors that it creates, belong to the main
context.
*/
const loader = `
	import {readFileSync} from 'node:fs';
	import vm from 'node:vm';
	const {process, console, setTimeout, setInterval, clearInterval, setImmediate, performance, URL, AbortController, AbortSignal} = globalThis;
	const context = vm.createContext({process, console, setTimeout, setInterval, clearInterval, setImmediate, performance, URL, AbortController, AbortSignal});
	const modules = new Map();
	const moduleOf = (identifier, source) =>
		new vm.SourceTextModule(source, {
			context,
			identifier,
			initializeImportMeta(meta) {
				meta.url = identifier;
			},
		});
	async function link(specifier, {identifier}) {
		const url = specifier.startsWith('.') ? new URL(specifier, identifier).href : specifier;
		if (!modules.has(url)) {
			if (url.startsWith('file:')) {
				modules.set(url, moduleOf(url, readFileSync(new URL(url), 'utf8')));
			} else {
				const imported = await import(url);
				modules.set(url, new vm.SyntheticModule(Object.keys(imported), function () {
					for (const [name, value] of Object.entries(imported)) {
						this.setExport(name, value);
					}
				}, {context}));
			}
		}
		return modules.get(url);
	}
	const program = moduleOf(process.env.PROGRAM_URL, process.env.PROGRAM);
	await program.link(link);
	await program.evaluate();
`;

test('in another vm context, as under Jest, errors are RetrievalErrors with codes, and arrays of the main context are accepted', async t => {
	const folder = await mkdtemp(join(tmpdir(), 'passagekit-vm-'));
	t.teardown(async () => rm(folder, {recursive: true, force: true}));
	const source = `
		import {Bm25Writer, FlatIndex, RetrievalError, exactMatch, readPassages} from './index.js';
		const index = new FlatIndex({dim: 2});
		const data = Float32Array.of(1, 2);
		await index.add(['a'], {data, rows: 1, dim: 2});
		const calls = {
			duplicate: () => index.add(['a'], {data, rows: 1, dim: 2}),
			missing: () => FlatIndex.open(${JSON.stringify(join(folder, 'nothing'))}),
			attach: () => FlatIndex.attach('no handle'),
			writer: () => Bm25Writer.open(${JSON.stringify(join(folder, 'nothing'))}),
			file: async () => {
				for await (const passage of readPassages(${JSON.stringify(join(folder, 'x'.repeat(300)))})) console.log(passage);
			},
			aborted: async () => {
				// On a busy machine, a search may be complete before the timer fires, so up to three are started.
				for (let attempt = 0; attempt < 3; attempt++) {
					const controller = new AbortController();
					setTimeout(() => controller.abort(new Error('aborted')), 1);
					await index.searchMany({data: new Float32Array(4_000_000), rows: 2_000_000, dim: 2}, {signal: controller.signal, threads: 1});
				}
			},
			callback: () => index.searchMany({data, rows: 1, dim: 2}, {onProgress() { throw new TypeError('thrown by the callback'); }}),
		};
		for (const [name, call] of Object.entries(calls)) {
			try {
				await call();
				console.log(name, 'resolved');
			} catch (error) {
				console.log(name, error instanceof RetrievalError, error instanceof Error, error.code ?? error.message);
			}
		}
		// Arrays from the addon belong to the main context, and the package accepts them as input.
		const {data: stored, rows, dim} = await index.vectors(['a']);
		console.log('same context', stored instanceof Float32Array);
		await index.update(['a'], {data: stored, rows, dim});
		console.log((await index.search(stored)).length, exactMatch('The fox', ['fox']));
	`;
	const {stdout} = await execute(
		process.execPath,
		['--experimental-vm-modules', '--no-warnings', '--input-type=module', '--eval', loader],
		{
			env: {...process.env, PROGRAM: source, PROGRAM_URL: new URL('dist/ts/program.js', `file://${packageRoot}/`).href},
		},
	);
	t.deepEqual(stdout.trim().split('\n'), [
		'duplicate true true ERR_DUPLICATE_ID',
		'missing true true ERR_IO',
		'attach true true ERR_ARGUMENT',
		'writer true true ERR_IO',
		'file true true ERR_IO',
		'aborted false true aborted',
		'callback false true thrown by the callback',
		'same context false',
		'1 true',
	]);
});
