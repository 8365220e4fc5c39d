// Tests aborting downloads with an `AbortSignal`.
import {existsSync} from 'node:fs';
import {readdir, stat, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import test from 'ava';
import {downloadModel} from '../../ts/models/hub.ts';
import {lockText, partialFile, setUp, stallAfter, untilPartialFileHas} from './fake-hub.ts';

test("an aborted download rejects with the signal's reason, and the next call resumes it from the partial file", async t => {
	const setup = await setUp(t);
	setup.hub.graphResponses.push(stallAfter(90_000));
	const controller = new AbortController();
	const reason = new Error('enough');
	const download = downloadModel('owner/name', {...setup.options, signal: controller.signal});
	await untilPartialFileHas(setup, 90_000);

	controller.abort(reason);

	t.is(await t.throwsAsync(download), reason);
	t.is((await stat(partialFile(setup))).size, 90_000);
	t.false(existsSync(join(setup.folder, '.lock')));
	await downloadModel('owner/name', setup.options);
	t.deepEqual(
		setup.hub.gets('onnx/model.onnx').map(({range}) => range),
		[undefined, 'bytes=90000-'],
	);
	t.is(setup.hub.sentBytes('onnx/model.onnx'), 200_000);
});

test("a download can be aborted while it waits for the next attempt or for the lock, and rejects with the signal's reason", async t => {
	const {hub, folder, options} = await setUp(t);
	const reason = new Error('enough');
	const duringRetry = new AbortController();
	hub.headResponses.set('tokenizer.json', response => {
		response.writeHead(503, {'retry-after': '20'}).end();
		setTimeout(() => duringRetry.abort(reason), 50);
	});
	t.is(await t.throwsAsync(downloadModel('owner/name', {...options, signal: duringRetry.signal})), reason);

	await writeFile(join(folder, '.lock'), lockText(process.pid));
	const duringLock = new AbortController();
	setTimeout(() => duringLock.abort(reason), 50);
	t.is(await t.throwsAsync(downloadModel('owner/name', {...options, signal: duringLock.signal})), reason);
	t.true(existsSync(join(folder, '.lock')));
});

test('with a signal that is already aborted, no request is sent', async t => {
	const {hub, cacheFolder, options} = await setUp(t);
	const reason = new Error('enough');

	t.is(await t.throwsAsync(downloadModel('owner/name', {...options, signal: AbortSignal.abort(reason)})), reason);

	t.is(hub.requests.length, 0);
	t.deepEqual(await readdir(cacheFolder), []);
});
