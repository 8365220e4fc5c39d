// Tests which errors of an embedding function are retried, how often and after which pauses.
import {setTimeout as sleep} from 'node:timers/promises';
import test from 'ava';
import {type EmbedFunction, RetrievalError, createEncoder} from '../../ts/index.ts';
import {isTemporary, retryAfterMs} from '../../ts/encoders/requests/retries.ts';
import {DIM, EmbeddingServer, body, disconnect, expected, status, vectorOf} from './embedding-server.ts';

const base = {dim: DIM, identity: 'test', minDelayMs: 1, maxDelayMs: 5} as const;

test('temporary failures are retried, up to the limit', async t => {
	const server = await EmbeddingServer.start(t);
	server.responses.push(status(500), disconnect, status(429), body('<html>'), status(408));
	const encoder = createEncoder(server.embed, base);
	t.deepEqual((await encoder.encode(['a', 'b'])).data, expected(['a', 'b']));
	t.is(server.requests.length, 6);

	server.respond = status(503);
	const error = (await t.throwsAsync(encoder.encode(['a', 'b']), {instanceOf: RetrievalError})) as RetrievalError;
	t.is(error.code, 'ERR_ENCODER');
	t.is(error.message, 'encode: embed failed for the 2 texts from inputs[0] to inputs[1] after 6 attempts: error 503.');
	t.is((error.cause as {status?: number}).status, 503);
	t.is(server.requests.length, 12);
});

test('errors that are not temporary are not retried, and retryIf overrides which errors are', async t => {
	const server = await EmbeddingServer.start(t);
	server.respond = status(401);
	const message = 'encode: embed failed for inputs[0] after 1 attempt: error 401.';
	await t.throwsAsync(createEncoder(server.embed, base).encode(['a']), {code: 'ERR_ENCODER', message});
	t.is(server.requests.length, 1);
	server.responses.push(status(404), status(404));
	server.respond = (response, texts) => response.end(JSON.stringify(texts.map(vectorOf)));
	const seen: unknown[] = [];
	const retryIf = (error: unknown): boolean => {
		seen.push((error as {status: number}).status);
		return true;
	};
	await createEncoder(server.embed, {...base, retryIf}).encode(['a']);
	t.deepEqual(seen, [404, 404]);
	server.responses.push(status(500));
	await t.throwsAsync(createEncoder(server.embed, {...base, retryIf: () => false}).encode(['a']), {message: /after 1 attempt: error 500/u});
	server.responses.push(status(500));
	await t.throwsAsync(createEncoder(server.embed, {...base, retries: 0}).encode(['a']), {message: /after 1 attempt: error 500/u});
	const reason = new Error('bug in retryIf');
	const throwing = (): never => {
		throw reason;
	};
	server.responses.push(status(500));
	t.is(await t.throwsAsync(createEncoder(server.embed, {...base, retryIf: throwing}).encode(['a'])), reason);
});

test('after a failure, the other requests are aborted and no further ones are sent', async t => {
	const server = await EmbeddingServer.start(t);
	const texts = Array.from({length: 100}, (_, i) => `text ${i}`);
	let fail = (): void => {};
	server.respond = (response, [first]) => {
		if (first === 'text 1') {
			fail = () => status(400)(response, []);
		}
		// The failure is sent when as many requests are in progress as can be.
		if (server.requests.length === 3) {
			fail();
		}
	};
	const encoder = createEncoder(server.embed, {...base, batchSize: 1, concurrency: 3});
	await t.throwsAsync(encoder.encode(texts), {message: /^encode: embed failed for inputs\[1\] after 1 attempt: error 400\.$/u});
	t.is(server.requests.length, 3);
	server.respond = (response, received) => response.end(JSON.stringify(received.map(vectorOf)));
	t.deepEqual((await encoder.encode(texts)).data, expected(texts), 'the encoder can be used again');
});

test('the Retry-After header delays the retry and all other requests of the encoder', async t => {
	const server = await EmbeddingServer.start(t);
	server.responses.push(status(429, {'retry-after': '1'}));
	const times: number[] = [];
	const first = {isRefused: false};
	const embed: EmbedFunction = async (texts, options) => {
		times.push(performance.now());
		try {
			return await server.embed(texts, options);
		} catch (error) {
			first.isRefused = true;
			throw error;
		}
	};
	const encoder = createEncoder(embed, base);
	const call = encoder.encode(['a']);
	// The other call comes after the encoder has received the header.
	while (!first.isRefused) {
		await sleep(1);
	}
	await Promise.all([call, encoder.encode(['b'])]);
	t.is(times.length, 3);
	t.true(times[1]! - times[0]! >= 999, times.join(' '));
	t.true(times[2]! - times[0]! >= 999, times.join(' '));
});

test('if the server asks for a pause of a day, the call fails immediately', async t => {
	const server = await EmbeddingServer.start(t);
	server.responses.push(status(429, {'retry-after': '86400'}));
	const encoder = createEncoder(server.embed, base);
	await t.throwsAsync(encoder.encode(['a']), {message: /after 1 attempt: error 429\. The server asks to wait 86400 seconds\.$/u});
	t.deepEqual((await encoder.encode(['a'])).data, expected(['a']), 'the pause does not apply to later calls');
});

test('pauses between attempts grow exponentially from minDelayMs to maxDelayMs, and jitter shortens each by at most half', async t => {
	const times: number[] = [];
	const embed: EmbedFunction = async () => {
		times.push(performance.now());
		throw new Error('busy');
	};
	await t.throwsAsync(createEncoder(embed, {...base, minDelayMs: 40, maxDelayMs: 100, retries: 4}).encode(['a']));
	const gaps = times.slice(1).map((at, i) => at - times[i]!);
	t.is(gaps.length, 4);
	for (const [i, min] of [20, 40, 50, 50].entries()) {
		// Timers may fire up to a millisecond early.
		t.true(gaps[i]! >= min - 1, `pause ${i}: ${gaps[i]}`);
	}
});

test('the pause that an error asks for is found in properties and headers, as seconds, milliseconds or a date', t => {
	t.is(retryAfterMs({retryAfterMs: 250}), 250);
	t.is(retryAfterMs({retryAfter: 2}), 2000);
	t.is(retryAfterMs({retryAfter: '1.5'}), 1500);
	t.is(retryAfterMs({headers: new Headers({'retry-after': '3'})}), 3000);
	t.is(retryAfterMs({headers: {'Retry-After': '3'}}), 3000);
	t.is(retryAfterMs({headers: new Headers({'retry-after': '3', 'retry-after-ms': '70'})}), 70);
	t.is(retryAfterMs({response: {headers: new Map([['retry-after', '4']])}}), 4000);
	t.is(retryAfterMs(new Response('', {headers: {'retry-after': '5'}})), 5000);
	const ms = retryAfterMs({headers: {'retry-after': new Date(Date.now() + 60_000).toUTCString()}})!;
	t.true(ms > 50_000 && ms <= 60_000, String(ms));
	t.is(retryAfterMs({headers: {'retry-after': new Date(Date.now() - 60_000).toUTCString()}}), 0);
	const {proxy, revoke} = Proxy.revocable({}, {});
	revoke();
	const hostile = {
		get headers(): never {
			throw new Error('no');
		},
	};
	for (const error of [
		undefined,
		null,
		'text',
		5,
		{},
		{retryAfter: -1},
		{retryAfter: 'soon'},
		{headers: {'retry-after': ''}},
		proxy,
		hostile,
	]) {
		t.is(retryAfterMs(error), undefined);
	}
});

test('errors are temporary if their HTTP status is 408, 429 or 5xx, or if they have no status and are not programming errors', async t => {
	for (const error of [{status: 429}, {status: 500}, {statusCode: 503}, {response: {status: 408}}, new Error('reset'), 'text', undefined]) {
		t.true(isTemporary(error));
	}
	for (const error of [{status: 400}, {statusCode: 404}, {response: {status: 403}}, new TypeError('x is undefined'), new RangeError('x')]) {
		t.false(isTemporary(error));
	}
	const failed = async (url: string): Promise<unknown> => fetch(url).catch((error: unknown) => error);
	t.true(isTemporary(await failed('http://127.0.0.1:1')), 'a refused connection');
	t.false(isTemporary(await failed('no url')), 'an invalid URL');
	const calls: string[] = [];
	const embed: EmbedFunction = async texts => {
		calls.push(...texts);
		return (undefined as unknown as {data: number[][]}).data;
	};
	await t.throwsAsync(createEncoder(embed, base).encode(['a']), {message: /after 1 attempt: Cannot read properties/u});
	t.is(calls.length, 1);
});
