// Tests which model names, revisions, endpoints and tokens are refused, and how names and folders are resolved.
import {readdir} from 'node:fs/promises';
import test from 'ava';
import {downloadModel} from '../../ts/models/hub.ts';
import {resolveModel} from '../../ts/models/resolve.ts';
import {rejection, setUp, temporaryFolder} from './fake-hub.ts';

/** Names that lead out of the cache folder, do not have the form `owner/name`, or have forbidden characters. */
const invalidNames = [
	'../x',
	'x/..',
	'./x',
	'x/.',
	'/etc/passwd',
	'C:\\models',
	'..\\x/y',
	'owner',
	'owner/name/more',
	'owner//name',
	'owner/',
	'a b/c',
	'a/b?c',
	'a--b/c',
	'',
];

for (const name of invalidNames) {
	test(`the name "${name}" is refused before anything is written`, async t => {
		const {hub, cacheFolder, options} = await setUp(t);

		t.is((await rejection(t, downloadModel(name, options))).code, 'ERR_ARGUMENT');

		t.deepEqual(await readdir(cacheFolder), []);
		t.is(hub.requests.length, 0);
	});
}

for (const revision of ['..', '../main', 'a/../../b', '/main', 'main/', 'a//b', '.', '']) {
	test(`the revision "${revision}" is refused before anything is written`, async t => {
		const {hub, cacheFolder, options} = await setUp(t);

		t.is((await rejection(t, downloadModel('owner/name', {...options, revision}))).code, 'ERR_ARGUMENT');

		t.deepEqual(await readdir(cacheFolder), []);
		t.is(hub.requests.length, 0);
	});
}

test('resolving a string that is neither a folder nor a model name fails with ERR_MODEL_MISSING', async t => {
	for (const model of ['../x/none', '/none/at/all', 'none', '\0']) {
		t.is((await rejection(t, resolveModel(model))).code, 'ERR_MODEL_MISSING');
	}
});

test('the path of a folder resolves to the folder itself', async t => {
	const folder = await temporaryFolder(t);

	t.is(await resolveModel(folder), folder);
});

test('an invalid endpoint or token is refused, and the message does not contain the token', async t => {
	const {options} = await setUp(t);

	t.is((await rejection(t, downloadModel('owner/name', {...options, endpoint: 'file:///etc'}))).code, 'ERR_ARGUMENT');
	t.is((await rejection(t, downloadModel('owner/name', {...options, endpoint: 'hub'}))).code, 'ERR_ARGUMENT');
	const error = await rejection(t, downloadModel('owner/name', {...options, token: 'secret\r\nx: y'}));
	t.is(error.code, 'ERR_ARGUMENT');
	t.false(error.message.includes('secret'));
});
