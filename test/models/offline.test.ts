// Tests the option `offline`: only the cache is used.
import {mkdir, readdir, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import test from 'ava';
import {downloadModel} from '../../ts/models/hub.ts';
import {GRAPH, TOKENIZER, rejection, setUp} from './fake-hub.ts';

test('offline with an empty cache fails with ERR_MODEL_MISSING and names the folder', async t => {
	const {hub, cacheFolder, folder, options} = await setUp(t);

	const error = await rejection(t, downloadModel('owner/name', {...options, offline: true}));

	t.is(error.code, 'ERR_MODEL_MISSING');
	t.true(error.message.includes(folder), error.message);
	t.is(hub.requests.length, 0);
	t.deepEqual(await readdir(cacheFolder), []);
});

test('offline with a complete model in the cache works', async t => {
	const {hub, folder, options} = await setUp(t);
	await downloadModel('owner/name', options);
	const requestsBefore = hub.requests.length;

	t.is(await downloadModel('owner/name', {...options, offline: true}), folder);

	t.is(hub.requests.length, requestsBefore);
});

test('offline accepts files that were copied into the cache by hand', async t => {
	const {folder, options} = await setUp(t);
	await mkdir(folder, {recursive: true});
	await writeFile(join(folder, 'tokenizer.json'), TOKENIZER);
	await t.throwsAsync(downloadModel('owner/name', {...options, offline: true}), {code: 'ERR_MODEL_MISSING'});
	await writeFile(join(folder, 'model.onnx'), GRAPH);

	t.is(await downloadModel('owner/name', {...options, offline: true}), folder);
});
