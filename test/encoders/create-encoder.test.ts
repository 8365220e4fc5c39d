// Tests `createEncoder` with functions that send texts to an HTTP server: batches, limits, cancellation, caches and invalid vectors.
import {setTimeout as sleep} from 'node:timers/promises';
import test, {type ExecutionContext} from 'ava';
import * as fc from 'fast-check';
import {
	type CreateEncoderOptions,
	DenseSearcher,
	type EmbedFunction,
	FlatIndex,
	PhraseIndex,
	PhraseSegmenter,
	RetrievalError,
	type VectorCache,
	createEncoder,
} from '../../ts/index.ts';
import {DIM, EmbeddingServer, body, disconnect, expected, hang, status, vectorOf} from './embedding-server.ts';

const base = {dim: DIM, identity: 'test', minDelayMs: 1, maxDelayMs: 5} as const;
const numbered = (count: number): string[] => Array.from({length: count}, (_, i) => `text ${i}`);

/** Waits until the condition holds. */
async function until(condition: () => boolean): Promise<void> {
	while (!condition()) {
		await sleep(2);
	}
}

/** Encodes the texts a, b, a and c, which must fail, and returns the error. */
async function failure(t: ExecutionContext, embed: EmbedFunction, options: Partial<CreateEncoderOptions> = {}): Promise<RetrievalError> {
	const encoder = createEncoder(embed, {...base, ...options});
	return (await t.throwsAsync(encoder.encode(['a', 'b', 'a', 'c']), {instanceOf: RetrievalError})) as RetrievalError;
}

test('batches respect their limits, equal texts are sent once, and vectors are in the order of the inputs', async t => {
	const server = await EmbeddingServer.start(t);
	const encoder = createEncoder(server.embed, {...base, batchSize: 3, maxBatchCharacters: 6, concurrency: 1});
	const texts = ['a', 'b', 'a', 'c', 'd', 'eeee', 'ff', 'a longer text', 'b', '', 'g'];
	t.deepEqual(await encoder.encode(texts), {data: expected(texts), rows: 11, dim: DIM});
	t.deepEqual(
		server.requests.map(request => request.texts),
		[['a', 'b', 'c'], ['d', 'eeee'], ['ff'], ['a longer text'], ['', 'g']],
	);
	t.deepEqual(await encoder.encode([]), {data: new Float32Array(0), rows: 0, dim: DIM});
	t.is(server.requests.length, 5);
});

test('with random batch sizes, concurrency and failures, each text gets its own vector', async t => {
	const server = await EmbeddingServer.start(t);
	const responses = {
		fail: status(500),
		limit: status(429, {'retry-after': '0'}),
		disconnect,
		slow: (response: Parameters<typeof hang>[0], texts: string[]): void => {
			setTimeout(() => response.end(JSON.stringify(texts.map(vectorOf))), 10);
		},
	};
	await fc.assert(
		fc.asyncProperty(
			fc.array(fc.string({maxLength: 3, unit: 'binary'}), {maxLength: 40}),
			fc.record({
				batchSize: fc.integer({min: 1, max: 10}),
				maxBatchCharacters: fc.option(fc.integer({min: 1, max: 10}), {nil: undefined}),
				concurrency: fc.integer({min: 1, max: 5}),
				cache: fc.boolean(),
			}),
			fc.array(fc.constantFrom(...(Object.keys(responses) as Array<keyof typeof responses>)), {maxLength: 6}),
			async (texts, options, failures) => {
				server.responses.splice(0, Number.POSITIVE_INFINITY, ...failures.map(name => responses[name]));
				server.requests.length = 0;
				server.maxConcurrent = 0;
				const encoder = createEncoder(server.embed, {...base, ...options, retries: 6});
				t.deepEqual((await encoder.encode(texts)).data, expected(texts));
				t.true(server.maxConcurrent <= options.concurrency);
				t.true(server.requests.every(request => request.texts.length <= options.batchSize));
				server.responses.length = 0;
				const sent = server.requests.length;
				t.deepEqual((await encoder.encode(texts.toReversed())).data, expected(texts.toReversed()));
				t.is(server.requests.length === sent, options.cache || texts.length === 0);
			},
		),
		{numRuns: 60},
	);
});

test('a passage is sent as one text: by default its title, a space and its text', async t => {
	const server = await EmbeddingServer.start(t);
	const inputs = ['a fox', {text: 'Eggs.', title: 'Hens'}, {text: 'No title.'}, {text: 'Empty title.', title: ''}];
	await createEncoder(server.embed, base).encode(inputs);
	t.deepEqual(server.texts, ['a fox', 'Hens Eggs.', 'No title.', 'Empty title.']);
	server.requests.length = 0;
	const format: CreateEncoderOptions['format'] = input => (typeof input === 'string' ? `query: ${input}` : `passage: ${input.text}`);
	await createEncoder(server.embed, {...base, format}).encode(inputs.slice(0, 2));
	t.deepEqual(server.texts, ['query: a fox', 'passage: Eggs.']);
	const wrong = createEncoder(server.embed, {...base, format: () => 5 as never});
	await t.throwsAsync(wrong.encode(['a']), {message: 'format: the text of inputs[0]: expected a string, got number'});
});

test('all calls of an encoder share its limit on concurrent requests', async t => {
	const server = await EmbeddingServer.start(t);
	const waiting: Array<() => void> = [];
	// Responds 5 ms after three requests are in progress, or after the last of the 25 requests has arrived. If the limit did not hold, a
	// fourth request would arrive within these 5 ms.
	server.respond = (response, texts) => {
		waiting.push(() => response.end(JSON.stringify(texts.map(vectorOf))));
		if (waiting.length === 3 || server.requests.length === 25) {
			setTimeout(() => waiting.splice(0).forEach(respond => respond()), 5);
		}
	};
	const encoder = createEncoder(server.embed, {...base, batchSize: 2, concurrency: 3});
	const calls = Array.from({length: 5}, (_, call) => numbered(10).map(text => `${text} of ${call}`));
	const results = await Promise.all(calls.map(async texts => encoder.encode(texts)));
	t.deepEqual(
		results.map(({data}) => data),
		calls.map(texts => expected(texts)),
	);
	t.is(server.maxConcurrent, 3);
	t.is(server.requests.length, 25);
});

test.serial('many requests and many calls with one signal cause no warning about leaked listeners', async t => {
	const warnings: Error[] = [];
	const listener = (warning: Error): unknown => warnings.push(warning);
	process.on('warning', listener);
	t.teardown(() => process.off('warning', listener));
	const {signal} = new AbortController();
	const embed: EmbedFunction = async (texts, options) => {
		await sleep(5, undefined, options);
		return texts.map(vectorOf);
	};
	const encoder = createEncoder(embed, {...base, batchSize: 1, concurrency: 20});
	await encoder.encode(numbered(60), {signal});
	await Promise.all(numbered(40).map(async text => encoder.encode([text], {signal})));
	await sleep(5);
	t.deepEqual(warnings, []);
});

test('rate limits space out the starts of requests, including retries', async t => {
	const server = await EmbeddingServer.start(t);
	server.responses.push(status(500));
	// The times are measured when requests start, because a busy machine may delay their arrival. They are compared with a time before the call,
	// because it may also delay the measurement, and two measured times may then be less far apart than the requests were.
	const starts: number[] = [];
	const timed: EmbedFunction = async (texts, options) => {
		starts.push(performance.now());
		return server.embed(texts, options);
	};
	/** Encodes texts, and asserts that this takes `count` requests that start at least `gapMs` milliseconds apart. */
	const assertSpaced = async (count: number, gapMs: number, options: Partial<CreateEncoderOptions>, texts: string[]): Promise<void> => {
		starts.length = 0;
		const began = performance.now();
		await createEncoder(timed, {...base, ...options}).encode(texts);
		t.is(starts.length, count);
		t.true(
			starts.every((at, i) => at - began >= i * gapMs - 1),
			starts.map(at => at - began).join(' '),
		);
	};
	// 1,500 requests per minute start 40 ms apart. The four texts need four requests and one retry.
	await assertSpaced(5, 40, {batchSize: 1, requestsPerMinute: 1500}, numbered(4));
	// At 6,000 texts per minute, requests of five texts start 50 ms apart.
	await assertSpaced(3, 50, {batchSize: 5, textsPerMinute: 6000}, numbered(11));

	server.requests.length = 0;
	await createEncoder(server.embed, {...base, textsPerMinute: 7}).encode(numbered(7));
	t.is(server.requests.length, 1, 'a batch has at most as many texts as a minute allows');
	server.requests.length = 0;
	const controller = new AbortController();
	const reason = new Error('enough');
	const aborted = t.throwsAsync(createEncoder(server.embed, {...base, textsPerMinute: 7}).encode(numbered(8), {signal: controller.signal}));
	await until(() => server.requests.length === 1);
	await sleep(50);
	controller.abort(reason);
	t.is(await aborted, reason);
	t.is(server.texts.length, 7);
});

test('aborting a request that waits for a rate limit does not let later requests start early', async t => {
	const starts: number[] = [];
	const embed: EmbedFunction = async texts => {
		starts.push(performance.now());
		return texts.map(vectorOf);
	};
	const encoder = createEncoder(embed, {...base, requestsPerMinute: 600});
	const controller = new AbortController();
	const began = performance.now();
	const calls = [encoder.encode(['a']), encoder.encode(['b']), encoder.encode(['c'], {signal: controller.signal}), encoder.encode(['d'])];
	setTimeout(() => controller.abort(new Error('enough')), 20);
	t.deepEqual(
		(await Promise.allSettled(calls)).map(call => call.status),
		['fulfilled', 'fulfilled', 'rejected', 'fulfilled'],
	);
	t.is(starts.length, 3);
	// The times are compared with one before the calls, because a busy machine may delay the measurement of a start.
	t.true(starts[1]! - began >= 99 && starts[2]! - began >= 199, starts.map(at => at - began).join(' '));
});

test("an abort reaches the requests in flight, rejects with the signal's reason, and keeps the vectors that had arrived", async t => {
	const server = await EmbeddingServer.start(t);
	const encoder = createEncoder(server.embed, {...base, batchSize: 2, concurrency: 2, cache: true});
	server.responses.push((response, texts) => response.end(JSON.stringify(texts.map(vectorOf))), hang, hang);
	const controller = new AbortController();
	const reason = new Error('enough');
	const call = encoder.encode(numbered(10), {signal: controller.signal});
	await until(() => server.requests.length === 3);

	controller.abort(reason);

	t.is(await t.throwsAsync(call), reason);
	await until(() => server.requests.filter(request => request.isAborted).length === 2);
	const answered = server.requests.find(request => !request.isAborted)!.texts;
	server.requests.length = 0;
	t.deepEqual((await encoder.encode(numbered(10))).data, expected(numbered(10)));
	t.deepEqual(
		server.texts.toSorted(),
		numbered(10).filter(text => !answered.includes(text)),
	);
	t.is(await t.throwsAsync(encoder.encode(['x'], {signal: AbortSignal.abort(reason)})), reason);
});

test('a function that ignores its signal does not delay an abort, and its late rejection is handled', async t => {
	let fail = (_error: Error): void => {};
	const encoder = createEncoder(async () => new Promise((_, reject) => (fail = reject)), base);
	const reason = new Error('enough');
	const controller = new AbortController();
	const call = encoder.encode(['a'], {signal: controller.signal});
	setTimeout(() => controller.abort(reason), 5);
	t.is(await t.throwsAsync(call), reason);
	fail(new Error('late'));
	await sleep(5);
});

test('a call can be aborted while it waits for a retry, a rate limit or another request', async t => {
	const server = await EmbeddingServer.start(t);
	/** Aborts a call 30 ms after the server has received `count` requests in total. By then, the call is waiting. */
	const abortWaiting = async (count: number, call: (signal: AbortSignal) => Promise<unknown>): Promise<void> => {
		const reason = new Error('enough');
		const controller = new AbortController();
		const rejection = t.throwsAsync(call(controller.signal));
		await until(() => server.requests.length >= count);
		await sleep(30);
		controller.abort(reason);
		t.is(await rejection, reason);
	};
	server.responses.push(status(503, {'retry-after': '100'}));
	const busy = createEncoder(server.embed, base);
	await abortWaiting(1, async signal => busy.encode(['a'], {signal}));
	const slow = createEncoder(server.embed, {...base, requestsPerMinute: 1});
	await slow.encode(['a']);
	await abortWaiting(2, async signal => slow.encode(['b'], {signal}));
	// The abort of one call lets the request of the other one start. It must not be answered before that call is aborted too.
	const {respond} = server;
	server.respond = hang;
	const occupied = createEncoder(server.embed, {...base, concurrency: 1});
	await Promise.all(['a', 'b'].map(async text => abortWaiting(3, async signal => occupied.encode([text], {signal}))));
	server.respond = respond;
	t.deepEqual((await occupied.encode(['c'])).data, expected(['c']), 'the slots of aborted requests are free again');
});

test('progress counts inputs, including repeated and cached ones, and an error thrown by onProgress ends the call', async t => {
	const server = await EmbeddingServer.start(t);
	const encoder = createEncoder(server.embed, {...base, batchSize: 2, concurrency: 1, cache: true});
	server.respond = (response, texts) => void setTimeout(() => response.end(JSON.stringify(texts.map(vectorOf))), 60);
	const reports: number[] = [];
	const inputs = ['a', 'a', 'b', 'c', 'd', 'e', 'f', 'a'];
	await encoder.encode(['f']);
	await encoder.encode(inputs, {
		onProgress({done, total}) {
			t.is(total, 8);
			reports.push(done);
		},
	});
	// The text f is cached. The batches are a and b (which complete four inputs, because a occurs three times), c and d, and e.
	t.is(reports.at(-1), 8);
	t.true(reports.length > 1 && reports.every((done, i) => [1, 5, 7, 8].includes(done) && done >= (reports[i - 1] ?? 0)), reports.join(' '));

	server.respond = hang;
	const reason = new Error('no more');
	const failing = encoder.encode(['new'], {
		onProgress() {
			throw reason;
		},
	});
	t.is(await t.throwsAsync(failing), reason);
});

test('wrong numbers of vectors, dimensions and values are refused, and the error names the inputs and what embed returned', async t => {
	const server = await EmbeddingServer.start(t);
	const respond = async (text: string, options: Partial<CreateEncoderOptions> = {}): Promise<string> => {
		server.respond = body(text);
		const {code, message} = await failure(t, server.embed, {dim: 2, ...options});
		return `${code} ${message}`;
	};
	const three = 'the 3 texts from inputs[0] to inputs[3]';
	t.is(await respond('[[1,0],[0,1]]'), `ERR_ENCODER encode: embed: expected 3 vectors for ${three}, got 2`);
	t.is(await respond('{"data":[]}'), `ERR_ENCODER encode: embed: expected an array of 3 vectors for ${three}, got an object`);
	t.is(await respond('null'), `ERR_ENCODER encode: embed: expected an array of 3 vectors for ${three}, got null`);
	t.is(await respond('[[1,0],[0,1],[1,2,3]]'), 'ERR_DIMENSION encode: embed: expected a vector of dimension 2 for inputs[3], got 3 values');
	const notFinite = (got: string): string => `ERR_ENCODER encode: embed: expected finite 32-bit floats for inputs[1], got ${got}`;
	t.is(await respond('[[1,0],[0,null],[1,2]]'), notFinite('null at index 1 of its vector'));
	t.is(await respond('[[1,0],["5",1],[1,2]]'), notFinite('"5" at index 0 of its vector'));
	t.is(await respond('[[1,0],[1e39,1],[1,2]]'), notFinite('1e+39 at index 0 of its vector'));
	t.is(
		await respond('[[1,0],"text",[1,2]]'),
		'ERR_ENCODER encode: embed: expected an array of numbers or a Float32Array for inputs[1], got string',
	);
	t.regex(
		await respond('[[1,0],[0,1],[1,1]]', {normalized: true}),
		/^ERR_ENCODER .* length 1 for inputs\[3\], got one of length 1\.414\./u,
	);
	t.is(server.requests.length, 9, 'wrong vectors are not requested again');

	const {message} = await failure(t, async texts => texts.map(text => Float32Array.of(text === 'b' ? Number.NaN : 1, 0)), {dim: 2});
	t.is(message, 'encode: embed: expected finite 32-bit floats for inputs[1], got NaN at index 0 of its vector');
});

test('encoders with the option normalized accept vectors whose length is nearly 1', async t => {
	const encoder = createEncoder(async texts => texts.map(() => [0.6, 0.8004]), {...base, dim: 2, normalized: true});
	t.true(encoder.normalized);
	t.deepEqual((await encoder.encode(['a'])).data, Float32Array.of(0.6, 0.8004));
	t.false(createEncoder(async () => [], base).normalized);
});

test('inputs, options and functions of wrong types are refused before a request is sent', async t => {
	const server = await EmbeddingServer.start(t);
	const encoder = createEncoder(server.embed, base);
	await t.throwsAsync(encoder.encode(['a', 5 as never]), {message: 'inputs[1]: expected a string or {text, title?}, got number'});
	await t.throwsAsync(encoder.encode([{text: 5 as never}]), {message: 'inputs[0]: text: expected a string, got number'});
	await t.throwsAsync(encoder.encode('a' as never), {message: /^inputs: expected an array/u});
	await t.throwsAsync(encoder.encode(['a'], {batchSize: 2} as never), {message: /^encode: expected options among/u});
	await t.throwsAsync(encoder.encode(['a'], {batchTokens: 0}), {message: /^batchTokens: expected/u});
	t.is(server.requests.length, 0);
	const refused = (message: RegExp, options: object): unknown =>
		t.throws(() => createEncoder(server.embed, {...base, ...options} as never), {
			instanceOf: RetrievalError,
			code: 'ERR_ARGUMENT',
			message,
		});
	refused(/^dim: expected/u, {dim: 0});
	refused(/^identity: expected .*empty/u, {identity: ''});
	refused(/^normalized: expected/u, {normalized: 1});
	refused(/^format: expected/u, {format: 'title'});
	refused(/^cache: expected/u, {cache: new Map()});
	refused(/^retryIf: expected/u, {retryIf: true});
	refused(/did you mean dim\?$/u, {dimensions: 5});
	for (const name of ['batchSize', 'maxBatchCharacters', 'concurrency', 'requestsPerMinute', 'textsPerMinute']) {
		refused(new RegExp(`^${name}: expected`, 'u'), {[name]: 0});
		refused(new RegExp(`^${name}: expected`, 'u'), {[name]: 1.5});
	}
	for (const name of ['retries', 'minDelayMs', 'maxDelayMs']) {
		refused(new RegExp(`^${name}: expected`, 'u'), {[name]: -1});
	}
	t.throws(() => createEncoder('url' as never, base), {message: /^createEncoder: embed: expected a function/u});
});

test('a user-defined cache receives the keys of the texts, and what it returns is checked', async t => {
	const server = await EmbeddingServer.start(t);
	const stored = new Map<string, Float32Array>();
	const cache: VectorCache = {
		get: async keys => keys.map(key => stored.get(key)),
		async set(entries) {
			for (const [key, vector] of entries) {
				stored.set(key, vector);
			}
		},
	};
	const encoder = createEncoder(server.embed, {...base, cache});
	const texts = ['\uD800', '\uD801', '\uFFFD', 'a', 'a'];
	await encoder.encode(texts);
	t.is(stored.size, 4, 'texts that UTF-8 would make equal have different keys');
	t.true([...stored.keys()].every(key => /^[\da-f]{64}$/u.test(key)));
	t.deepEqual((await encoder.encode(texts)).data, expected(texts));
	t.is(server.requests.length, 1);
	await createEncoder(server.embed, {...base, identity: 'other', cache}).encode(['a']);
	t.is(server.requests.length, 2, 'another identity gives other keys');

	const fails = async (get: unknown, message: RegExp | string): Promise<void> => {
		const broken = createEncoder(server.embed, {...base, cache: {...cache, get} as VectorCache});
		await t.throwsAsync(broken.encode(['a', 'b']), {message});
	};
	await fails(async () => [undefined], 'encode: cache.get: expected 2 vectors for the 2 texts from inputs[0] to inputs[1], got 1');
	await fails(
		async () => [undefined, new Float32Array(3)],
		/^encode: cache\.get: expected a vector of dimension 5 for inputs\[1\], got 3/u,
	);
	await fails(async () => Promise.reject(new Error('offline')), 'offline');
	const full = createEncoder(server.embed, {...base, cache: {...cache, set: async () => Promise.reject(new Error('full'))}});
	await t.throwsAsync(full.encode(['new']), {message: 'full'});
});

test('a created encoder works with DenseSearcher and PhraseIndex, and an encoder with another identity is refused', async t => {
	const server = await EmbeddingServer.start(t);
	const encoder = createEncoder(server.embed, base);
	const index = new FlatIndex({dim: DIM, similarity: 'cosine', metadata: {encoder: encoder.identity}});
	t.teardown(() => index.close());
	const texts = numbered(300);
	await index.add(texts, await encoder.encode(texts));
	const searcher = new DenseSearcher({encoder, index});
	t.deepEqual(
		(await searcher.search('text 123', {k: 1})).map(({id}) => id),
		['text 123'],
	);
	const run = await searcher.searchMany(
		texts.map(text => ({id: text, text})),
		{k: 1},
	);
	t.true(texts.every(text => run.get(text)?.[0]?.id === text));
	const other = createEncoder(server.embed, {...base, identity: 'other'});
	t.throws(() => new DenseSearcher({encoder: other, index}), {code: 'ERR_ENCODER_MISMATCH'});

	const phrases = new PhraseIndex({dim: DIM});
	t.teardown(() => phrases.close());
	const segmenter = await PhraseSegmenter.open({sentences: 1});
	const passages = [{id: 'a', title: 'Foxes', text: 'A fox eats. It sleeps.'}];
	t.deepEqual(await phrases.addPassages(passages, {encoder, segmenter}), {passages: 1, phrases: 2});
});
