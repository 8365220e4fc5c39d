// Tests downloads that fail: errors of the server, wrong checksums, private models, and models without an ONNX graph.
import {existsSync} from 'node:fs';
import {readFile, readdir, writeFile} from 'node:fs/promises';
import {dirname, join} from 'node:path';
import test from 'ava';
import {downloadModel} from '../../ts/models/hub.ts';
import {GRAPH, MODEL_FILES, TOKENIZER, gitBlob, rejection, setUp, sha256} from './fake-hub.ts';

test('a request is repeated if the server is busy (status 429 or 503)', async t => {
	const {hub, folder, options} = await setUp(t);
	hub.graphResponses.push(async response => {
		response.writeHead(503, {'content-length': 0}).end();
	});
	hub.headResponses.set('tokenizer.json', response => {
		// Only the first request fails.
		hub.headResponses.clear();
		response.writeHead(429, {'content-length': 0}).end();
	});

	await downloadModel('owner/name', options);

	t.deepEqual(await readFile(join(folder, 'onnx/model.onnx')), GRAPH);
});

test('a download from an unreachable server fails with ERR_DOWNLOAD, and the error has a cause', async t => {
	const {hub, options} = await setUp(t);

	// No program listens on this port. One that the system chooses could be given to another test before the last attempt.
	const error = await rejection(t, downloadModel('owner/name', {...options, endpoint: 'http://127.0.0.1:2'}));

	t.is(error.code, 'ERR_DOWNLOAD');
	t.regex(error.message, /ECONNREFUSED/u);
	t.truthy(error.cause);
	t.is(hub.requests.length, 0);
});

for (const [kind, file] of [
	['large', 'onnx/model.onnx'],
	['small', 'tokenizer.json'],
] as const) {
	test(`a ${kind} file with a wrong checksum is refused and not stored`, async t => {
		const {hub, folder, options} = await setUp(t);
		const wrongChecksum = kind === 'large' ? sha256(Buffer.from('other')) : gitBlob(Buffer.from('other'));
		hub.headResponses.set(file, response => {
			response.writeHead(200, {'x-linked-etag': `"${wrongChecksum}"`, 'x-linked-size': MODEL_FILES[file].length}).end();
		});

		const error = await rejection(t, downloadModel('owner/name', options));

		t.is(error.code, 'ERR_DOWNLOAD');
		const checksum = kind === 'large' ? sha256(GRAPH) : gitBlob(TOKENIZER);
		t.true(error.message.includes(`expected checksum ${wrongChecksum}, got ${checksum}`), error.message);
		t.false(existsSync(join(folder, file)));
		t.false(existsSync(join(folder, 'complete.json')));
		t.deepEqual(
			(await readdir(join(folder, dirname(file)))).filter(name => name.endsWith('.part')),
			[],
		);
	});
}

test("redirects on the same host are followed until the file's checksum is found", async t => {
	const {hub, options} = await setUp(t);
	hub.headResponses.set('tokenizer.json', response => {
		response.writeHead(307, {etag: '"of-the-redirect"', location: '/owner/name/resolve/main/moved.json'}).end();
	});
	hub.headResponses.set('moved.json', response => {
		response.writeHead(200, {etag: `W/"${'0'.repeat(40)}"`, 'content-length': TOKENIZER.length}).end();
	});

	const error = await rejection(t, downloadModel('owner/name', options));

	t.true(error.message.includes(`expected checksum ${'0'.repeat(40)}`), error.message);
});

test('a model without an ONNX export is refused before anything is downloaded', async t => {
	const {hub, options} = await setUp(t, {'tokenizer.json': TOKENIZER});

	const error = await rejection(t, downloadModel('owner/name', options));

	t.is(error.code, 'ERR_DOWNLOAD');
	t.is(
		error.message,
		'model owner/name: expected onnx/model.onnx or model.onnx at revision main on the hub, got none. Models need an ONNX export.',
	);
	t.is(hub.gets().length, 0);
});

test('the error for a missing revision says that there is no such revision', async t => {
	const {hub, options} = await setUp(t);
	hub.headResponses.set('tokenizer.json', response => {
		response.writeHead(404, {'x-error-code': 'RevisionNotFound'}).end();
	});

	const error = await rejection(t, downloadModel('owner/name', {...options, revision: 'none'}));

	t.is(error.code, 'ERR_DOWNLOAD');
	t.regex(error.message, /no such revision/u);
});

test('a private model (401) fails immediately, with a message that a token is needed', async t => {
	const {hub, options} = await setUp(t);
	hub.headResponses.set('tokenizer.json', response => {
		response.writeHead(401).end();
	});

	const error = await rejection(t, downloadModel('owner/name', options));

	t.is(error.code, 'ERR_DOWNLOAD');
	t.regex(error.message, /status 401\. .*needs a token.*HF_TOKEN/u);
	t.is(hub.requests.length, 1);
});

test('a download to a cache folder that cannot be created fails with ERR_IO', async t => {
	const {cacheFolder, options} = await setUp(t);
	const file = join(cacheFolder, 'file');
	await writeFile(file, '');

	t.is((await rejection(t, downloadModel('owner/name', {...options, cacheFolder: file}))).code, 'ERR_IO');
});
