// Tests concurrent calls that download the same model, in one process and in several: one call downloads it, and the others wait.
import {type ChildProcess, spawn} from 'node:child_process';
import {once} from 'node:events';
import {mkdir, readFile, readdir, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import test from 'ava';
import {downloadModel} from '../../ts/models/hub.ts';
import {endedProcess} from '../support/processes.ts';
import {GRAPH, downloadedFiles, lockText, setUp, until} from './fake-hub.ts';

test('two concurrent downloads in one process request each file only once', async t => {
	const {hub, folder, options} = await setUp(t);

	t.deepEqual(await Promise.all([downloadModel('owner/name', options), downloadModel('owner/name', options)]), [folder, folder]);

	t.deepEqual(downloadedFiles(hub), ['config.json', 'onnx/model.onnx', 'tokenizer.json']);
});

test('two concurrent processes together request each file only once', async t => {
	const {hub, folder, options} = await setUp(t);
	const children: ChildProcess[] = [];
	/** The processes that have printed their first line. */
	const started = new Set<ChildProcess>();
	// The first process gets its graph only after the second one has started.
	hub.graphResponses.push(async (response, body, request) => {
		await until(() => children.every(child => started.has(child)));
		request.sentBytes += body.length;
		response.end(body);
	});
	const script = `
		import {downloadModel} from ${JSON.stringify(new URL('../../ts/models/hub.ts', import.meta.url).href)};
		console.log('started');
		console.log(await downloadModel('owner/name', ${JSON.stringify(options)}));
	`;
	/** Runs the script in a new process and returns the lines that it prints and its exit code. */
	const runScript = async (): Promise<string[]> => {
		const child = spawn(process.execPath, ['--import=tsx', '--input-type=module', '--eval', script], {
			stdio: ['ignore', 'pipe', 'inherit'],
		});
		children.push(child);
		let output = '';
		child.stdout.on('data', chunk => {
			output += String(chunk);
			started.add(child);
		});
		const [code] = (await once(child, 'close')) as [number];
		return [...output.trim().split('\n'), String(code)];
	};

	t.deepEqual(await Promise.all([runScript(), runScript()]), [
		['started', folder, '0'],
		['started', folder, '0'],
	]);

	t.deepEqual(downloadedFiles(hub), ['config.json', 'onnx/model.onnx', 'tokenizer.json']);
	t.deepEqual(await readFile(join(folder, 'onnx/model.onnx')), GRAPH);
});

test('the lock of a process that has ended is taken over by one of the waiting calls', async t => {
	const {hub, folder, options} = await setUp(t);
	await mkdir(folder, {recursive: true});
	await writeFile(join(folder, '.lock'), lockText(await endedProcess()));

	await Promise.all([downloadModel('owner/name', options), downloadModel('owner/name', options)]);

	t.deepEqual(downloadedFiles(hub), ['config.json', 'onnx/model.onnx', 'tokenizer.json']);
	t.deepEqual(
		(await readdir(folder)).filter(name => name.startsWith('.')),
		[],
	);
});
