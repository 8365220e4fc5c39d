// Tests the option `offline`, with which only the cache is used.
import {mkdir, readdir, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import test from 'ava';
import {downloadModel} from '../../ts/models/hub.ts';
import {GRAPH, TOKENIZER, rejection, setUp} from './fake-hub.ts';

test('with offline and an empty cache, the call fails with ERR_MODEL_MISSING, and the message names the folder of the model', async t => {
	const {hub, cacheFolder, folder, options} = await setUp(t);

	const error = await rejection(t, downloadModel('owner/name', {...options, offline: true}));

	t.is(error.code, 'ERR_MODEL_MISSING');
	t.true(error.message.includes(folder), error.message);
	t.is(hub.requests.length, 0);
	t.deepEqual(await readdir(cacheFolder), []);
});

test('with offline and a complete model in the cache, the call sends no requests', async t => {
	const {hub, folder, options} = await setUp(t);
	await downloadModel('owner/name', options);
	const requestsBefore = hub.requests.length;

	t.is(await downloadModel('owner/name', {...options, offline: true}), folder);

	t.is(hub.requests.length, requestsBefore);
});

test('with offline, files that were copied into the cache by hand are accepted', async t => {
	const {folder, options} = await setUp(t);
	await mkdir(folder, {recursive: true});
	await writeFile(join(folder, 'tokenizer.json'), TOKENIZER);
	await t.throwsAsync(downloadModel('owner/name', {...options, offline: true}), {code: 'ERR_MODEL_MISSING'});
	await writeFile(join(folder, 'model.onnx'), GRAPH);

	t.is(await downloadModel('owner/name', {...options, offline: true}), folder);
});
