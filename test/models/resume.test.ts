// Tests that interrupted downloads continue where they stopped, and that files of other versions are replaced.
import {existsSync} from 'node:fs';
import {mkdir, readFile, stat, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {setTimeout as sleep} from 'node:timers/promises';
import test from 'ava';
import {downloadModel} from '../../ts/models/hub.ts';
import {GRAPH, TOKENIZER, disconnectAfter, partialFile, rejection, setUp, untilPartialFileHas} from './fake-hub.ts';

test('an interrupted download resumes where it stopped', async t => {
	const setup = await setUp(t);
	setup.hub.graphResponses.push(disconnectAfter(80_000, async () => untilPartialFileHas(setup, 80_000)));

	await downloadModel('owner/name', setup.options);

	t.deepEqual(
		setup.hub.gets('onnx/model.onnx').map(({range}) => range),
		[undefined, 'bytes=80000-'],
	);
	t.is(setup.hub.sentBytes('onnx/model.onnx'), 200_000); // 80,000 bytes, then the other 120,000
	t.deepEqual(await readFile(join(setup.folder, 'onnx/model.onnx')), GRAPH);
});

test('retries continue as long as each attempt receives some bytes', async t => {
	const setup = await setUp(t);
	// Six interruptions. Without the progress of each attempt, the download would fail after the fourth one.
	for (let received = 30_000; received <= 180_000; received += 30_000) {
		setup.hub.graphResponses.push(disconnectAfter(30_000, async () => untilPartialFileHas(setup, received)));
	}

	await downloadModel('owner/name', setup.options);

	t.is(setup.hub.gets('onnx/model.onnx').length, 7);
	t.is(setup.hub.sentBytes('onnx/model.onnx'), 200_000);
});

test('a failed download keeps its partial file for the next call', async t => {
	const setup = await setUp(t);
	setup.hub.graphResponses.push(
		disconnectAfter(50_000, async () => untilPartialFileHas(setup, 50_000)),
		disconnectAfter(0),
		disconnectAfter(0),
		disconnectAfter(0),
	);

	const error = await rejection(t, downloadModel('owner/name', setup.options));

	t.is(error.code, 'ERR_DOWNLOAD');
	t.regex(error.message, /, 4 times\. Try again later; the bytes received so far are kept\.$/u);
	t.is((await stat(partialFile(setup))).size, 50_000);
	await downloadModel('owner/name', setup.options);
	t.is(setup.hub.gets('onnx/model.onnx').at(-1)!.range, 'bytes=50000-');
	t.is(setup.hub.sentBytes('onnx/model.onnx'), 200_000);
});

test('with a server that does not support ranges, a download restarts from the beginning', async t => {
	const setup = await setUp(t);
	setup.hub.supportsRanges = false;
	setup.hub.graphResponses.push(disconnectAfter(80_000, async () => untilPartialFileHas(setup, 80_000)));

	await downloadModel('owner/name', setup.options);

	t.is(setup.hub.sentBytes('onnx/model.onnx'), 280_000); // 80,000 bytes that were discarded, then the whole file
	t.deepEqual(await readFile(join(setup.folder, 'onnx/model.onnx')), GRAPH);
});

test('a slow response is not treated as interrupted', async t => {
	const {hub, folder, options} = await setUp(t);
	hub.graphResponses.push(async (response, body, request) => {
		for (let from = 0; from < body.length; from += 40_000) {
			response.write(body.subarray(from, from + 40_000));
			request.sentBytes += 40_000;
			await sleep(40);
		}
		response.end();
	});

	await downloadModel('owner/name', options);

	t.is(hub.gets('onnx/model.onnx').length, 1);
	t.deepEqual(await readFile(join(folder, 'onnx/model.onnx')), GRAPH);
});

test('a partial download of another version is not continued', async t => {
	const setup = await setUp(t);
	await mkdir(join(setup.folder, 'onnx'), {recursive: true});
	const old = join(setup.folder, 'onnx/model.onnx.0123456789abcdef.part');
	await writeFile(old, 'the beginning of another version');

	await downloadModel('owner/name', setup.options);

	t.deepEqual(
		setup.hub.gets('onnx/model.onnx').map(({range}) => range),
		[undefined],
	);
	t.false(existsSync(old));
});

test('a file of another version, left by an unfinished download, is replaced', async t => {
	const {folder, options} = await setUp(t);
	await mkdir(folder, {recursive: true});
	await writeFile(join(folder, 'tokenizer.json'), '{"tokenizer": null}'); // has the same length as the right file

	await downloadModel('owner/name', options);

	t.deepEqual(await readFile(join(folder, 'tokenizer.json')), TOKENIZER);
});

test('a truncated file in the cache is not treated as complete', async t => {
	const {folder, options} = await setUp(t);
	await downloadModel('owner/name', options);
	await writeFile(join(folder, 'onnx/model.onnx'), GRAPH.subarray(0, 1000));

	await t.throwsAsync(downloadModel('owner/name', {...options, offline: true}), {code: 'ERR_MODEL_MISSING'});
	await downloadModel('owner/name', options);

	t.deepEqual(await readFile(join(folder, 'onnx/model.onnx')), GRAPH);
});
