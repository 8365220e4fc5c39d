// Tests what a download of a model puts into the cache, and which requests it sends.
import {existsSync} from 'node:fs';
import {readFile, readdir, rm} from 'node:fs/promises';
import {dirname, join} from 'node:path';
import test from 'ava';
import {downloadModel} from '../../ts/models/hub.ts';
import {resolveModel} from '../../ts/models/resolve.ts';
import {COMMIT, CONFIG, GRAPH, MODEL_FILES, TOKENIZER, downloadedFiles, setUp} from './fake-hub.ts';

test('a model is downloaded once, and later calls send no requests', async t => {
	const {hub, folder, options} = await setUp(t);

	t.is(await downloadModel('owner/name', options), folder);

	t.deepEqual(await readFile(join(folder, 'onnx/model.onnx')), GRAPH);
	t.deepEqual(await readFile(join(folder, 'tokenizer.json')), TOKENIZER);
	t.deepEqual(await readFile(join(folder, 'config.json')), CONFIG);
	t.deepEqual(downloadedFiles(hub), ['config.json', 'onnx/model.onnx', 'tokenizer.json']);
	const requestsBefore = hub.requests.length;
	t.is(await resolveModel('owner/name', options), folder);
	t.is(hub.requests.length, requestsBefore);
});

test('a complete download leaves neither a lock nor partial files', async t => {
	const {folder, options} = await setUp(t);

	await downloadModel('owner/name', options);

	t.deepEqual((await readdir(folder)).sort(), ['complete.json', 'config.json', 'onnx', 'tokenizer.json']);
	t.deepEqual(await readdir(join(folder, 'onnx')), ['model.onnx']);
});

test('only a file that is missing from the cache is downloaded again', async t => {
	const {hub, folder, options} = await setUp(t);
	await downloadModel('owner/name', options);
	await rm(join(folder, 'config.json'));
	const getsBefore = hub.gets().length;

	await downloadModel('owner/name', options);

	t.deepEqual(
		hub
			.gets()
			.slice(getsBefore)
			.map(({file}) => file),
		['config.json'],
	);
	t.deepEqual(await readFile(join(folder, 'config.json')), CONFIG);
});

test('all files are downloaded from the commit that the first response names', async t => {
	const {hub, folder, options} = await setUp(t, {...MODEL_FILES, '1_Pooling/config.json': CONFIG});
	const model = await downloadModel('owner/name', {...options, revision: 'refs/pr/1'});

	// A revision with slashes gets one folder, not nested ones.
	t.is(model, join(dirname(folder), 'refs%2Fpr%2F1'));
	t.is((JSON.parse(await readFile(join(model, 'complete.json'), 'utf8')) as {commit: string}).commit, COMMIT);
	t.deepEqual(await readFile(join(model, '1_Pooling/config.json')), CONFIG);
	const first = '/owner/name/resolve/refs%2Fpr%2F1/tokenizer.json';
	const others = hub.requests
		.map(({url}) => url)
		.filter(url => !url.startsWith('/store/'))
		.slice(1);
	t.is(hub.requests[0]!.url, first);
	t.true(
		others.every(url => url.startsWith(`/owner/name/resolve/${COMMIT}/`)),
		others.join(' '),
	);
});

test('onnx/model.onnx is preferred over model.onnx', async t => {
	const both = await setUp(t, {...MODEL_FILES, 'model.onnx': CONFIG});
	await downloadModel('owner/name', both.options);
	t.true(existsSync(join(both.folder, 'onnx/model.onnx')));
	t.false(existsSync(join(both.folder, 'model.onnx')));

	const one = await setUp(t, {'tokenizer.json': TOKENIZER, 'model.onnx': GRAPH});
	await downloadModel('owner/name', one.options);
	t.deepEqual(await readFile(join(one.folder, 'model.onnx')), GRAPH);
});

for (const weights of ['onnx/model.onnx_data', 'onnx/model.onnx.data']) {
	test(`weights in ${weights} are downloaded with their graph`, async t => {
		const {folder, options} = await setUp(t, {...MODEL_FILES, [weights]: GRAPH, 'model.onnx_data': CONFIG});

		await downloadModel('owner/name', options);

		t.deepEqual(await readFile(join(folder, weights)), GRAPH);
		t.false(existsSync(join(folder, 'model.onnx_data')));
	});
}

test('files are requested uncompressed, because a compressed response has another length', async t => {
	const {hub, folder, options} = await setUp(t);

	await downloadModel('owner/name', options);

	t.is(hub.sentBytes('tokenizer.json'), TOKENIZER.length);
	t.deepEqual(await readFile(join(folder, 'tokenizer.json')), TOKENIZER);
});

test('the token is sent to the hub, but not to another server that it redirects to', async t => {
	const {hub, options} = await setUp(t);

	await downloadModel('owner/name', {...options, token: 'secret\n'});

	t.true(hub.requests.filter(({method}) => method === 'HEAD').every(({authorization}) => authorization === 'Bearer secret'));
	t.deepEqual(
		hub.gets('tokenizer.json').map(({authorization}) => authorization),
		['Bearer secret'],
	);
	t.deepEqual(
		hub.gets('onnx/model.onnx').map(({authorization}) => authorization),
		[undefined],
	);
});

test('for training, model.safetensors is preferred over ONNX files, and has a folder of its own', async t => {
	const both = await setUp(t, {...MODEL_FILES, 'model.safetensors': GRAPH});
	const inference = await downloadModel('owner/name', both.options);
	const training = await resolveModel('owner/name', both.options, 'training');
	t.not(training, inference);
	t.deepEqual((await readdir(training)).sort(), ['complete.json', 'config.json', 'model.safetensors', 'tokenizer.json']);
	t.deepEqual(await readFile(join(training, 'model.safetensors')), GRAPH);
	t.false(existsSync(join(inference, 'model.safetensors')));
	const requestsBefore = both.hub.requests.length;
	t.is(await resolveModel('owner/name', {...both.options, offline: true}, 'training'), training);
	t.is(both.hub.requests.length, requestsBefore);

	const onnx = await setUp(t);
	const folder = await downloadModel('owner/name', onnx.options, 'training');
	t.is(folder, await downloadModel('owner/name', onnx.options));
	t.deepEqual((await readdir(folder)).sort(), ['complete.json', 'config.json', 'onnx', 'tokenizer.json']);
	const requests = onnx.hub.requests.length;
	t.is(await downloadModel('owner/name', onnx.options, 'training'), folder);
	t.is(onnx.hub.requests.length, requests, 'no request is made again');

	// A model that is in the cache for inference can be used offline.
	const cached = await setUp(t);
	const inferenceOnly = await downloadModel('owner/name', cached.options);
	t.is(await downloadModel('owner/name', {...cached.options, offline: true}, 'training'), inferenceOnly);

	const unconfigured = await setUp(t, {'tokenizer.json': TOKENIZER, 'model.safetensors': GRAPH});
	await t.throwsAsync(downloadModel('owner/name', unconfigured.options, 'training'), {
		code: 'ERR_DOWNLOAD',
		message:
			'model owner/name: expected config.json at revision main on the hub, got none. Training needs the configuration of the weights.',
	});
});
