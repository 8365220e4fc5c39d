// Tests downloading models from the hub, with a local server that behaves like it.
import {type ChildProcess, spawn} from 'node:child_process';
import {createHash} from 'node:crypto';
import {once} from 'node:events';
import {existsSync} from 'node:fs';
import {mkdir, mkdtemp, readFile, readdir, rm, stat, writeFile} from 'node:fs/promises';
import {type IncomingMessage, type Server, type ServerResponse, createServer} from 'node:http';
import type {AddressInfo} from 'node:net';
import {hostname, tmpdir} from 'node:os';
import {dirname, join} from 'node:path';
import {setTimeout as sleep} from 'node:timers/promises';
import {gzipSync} from 'node:zlib';
import test, {type ExecutionContext} from 'ava';
import {RetrievalError} from '../../ts/core/errors.ts';
import {type DownloadOptions, downloadModel} from '../../ts/models/hub.ts';
import {resolveModel} from '../../ts/models/resolve.ts';
import type {Progress} from '../../ts/core/types.ts';

const COMMIT = 'c0ffee'.padEnd(40, '0');
const GRAPH = Buffer.from(Array.from({length: 200_000}, (_, i) => (i * i) % 251));
const TOKENIZER = Buffer.from('{"tokenizer": true}');
const CONFIG = Buffer.from('{"config": true}');
const MODEL = {'tokenizer.json': TOKENIZER, 'config.json': CONFIG, 'onnx/model.onnx': GRAPH};

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
const gitBlob = (bytes: Buffer): string => createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');

interface Asked {
	readonly method: string;
	readonly file: string;
	readonly url: string;
	readonly range: string | undefined;
	readonly authorization: string | undefined;
	/** Number of bytes of the body that were sent. */
	sent: number;
}

/** A special behavior of the server for the next request for the bytes of a file. */
type Trick = (response: ServerResponse, body: Buffer, asked: Asked) => Promise<void>;

/** A server that behaves like the hub. It sends small files itself and redirects to a store on another port for files over 1000 bytes. */
class Hub {
	readonly asked: Asked[] = [];
	/** Behaviors for the next requests for the bytes of the graph; each request uses one. */
	readonly tricks: Trick[] = [];
	/** Special answers to `HEAD` requests, by file. */
	readonly heads = new Map<string, (response: ServerResponse) => void>();
	ranges = true;
	readonly #files: Readonly<Record<string, Buffer>>;
	readonly #hub: Server;
	readonly #store: Server;

	private constructor(files: Readonly<Record<string, Buffer>>) {
		this.#files = files;
		this.#hub = createServer((request, response) => {
			this.#answer(request, response).catch(() => response.destroy());
		});
		this.#store = createServer((request, response) => {
			this.#send(request, response, decodeURIComponent(request.url!.slice('/store/'.length))).catch(() => response.destroy());
		});
	}

	static async open(t: ExecutionContext, files: Readonly<Record<string, Buffer>> = MODEL): Promise<Hub> {
		const hub = new Hub(files);
		for (const server of [hub.#hub, hub.#store]) {
			server.listen(0, '127.0.0.1');
			await once(server, 'listening');
			t.teardown(() => {
				server.closeAllConnections();
				server.close();
			});
		}
		return hub;
	}

	get endpoint(): string {
		return address(this.#hub);
	}

	/** The `GET` requests, optionally only those for one file. */
	gets(file?: string): Asked[] {
		return this.asked.filter(asked => asked.method === 'GET' && (file === undefined || asked.file === file));
	}

	/** Number of bytes of a file that were sent in all requests. */
	sent(file: string): number {
		return this.gets(file).reduce((sum, asked) => sum + asked.sent, 0);
	}

	async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const match = /^\/owner\/name\/resolve\/([^/]+)\/(.+)$/u.exec(request.url!);
		const file = match?.[2] ?? '';
		const revision = decodeURIComponent(match?.[1] ?? '');
		const body = ['main', 'refs/pr/1', COMMIT].includes(revision) ? this.#files[file] : undefined;
		const head = request.method === 'HEAD' ? this.heads.get(file) : undefined;
		if (head) {
			this.#note(request, file);
			head(response);
			return;
		}
		if (!body) {
			this.#note(request, file);
			response.writeHead(404, {'x-error-code': 'EntryNotFound'}).end();
			return;
		}
		response.setHeader('x-repo-commit', COMMIT);
		if (body.length <= 1000) {
			response.setHeader('etag', `"${gitBlob(body)}"`);
			await this.#send(request, response, file);
			return;
		}
		if (request.method === 'HEAD') {
			this.#note(request, file);
		}
		response
			.writeHead(302, {
				'x-linked-etag': `"${sha256(body)}"`,
				'x-linked-size': body.length,
				'content-length': 0,
				location: `${address(this.#store)}/store/${encodeURIComponent(file)}`,
			})
			.end();
	}

	async #send(request: IncomingMessage, response: ServerResponse, file: string): Promise<void> {
		const asked = this.#note(request, file);
		let whole = this.#files[file]!;
		if (whole.length <= 1000 && request.headers['accept-encoding']?.includes('gzip')) {
			// The hub also compresses, and then sends a weak ETag.
			response.setHeader('etag', `W/"${gitBlob(whole)}"`).setHeader('content-encoding', 'gzip');
			whole = gzipSync(whole);
		}
		const from = this.ranges ? Number(/^bytes=(\d+)-$/u.exec(asked.range ?? '')?.[1] ?? 0) : 0;
		const body = whole.subarray(from);
		response.setHeader('content-length', body.length);
		if (from > 0) {
			response.statusCode = 206;
			response.setHeader('content-range', `bytes ${from}-${whole.length - 1}/${whole.length}`);
		}
		if (asked.method === 'HEAD') {
			response.end();
			return;
		}
		const trick = file.endsWith('model.onnx') ? this.tricks.shift() : undefined;
		if (trick) {
			await trick(response, body, asked);
			return;
		}
		asked.sent += body.length;
		response.end(body);
	}

	#note({method, headers, url}: IncomingMessage, file: string): Asked {
		const asked = {method: method!, file, url: url!, range: headers.range, authorization: headers.authorization, sent: 0};
		this.asked.push(asked);
		return asked;
	}
}

function address(server: Server): string {
	return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Sends `count` bytes, waits for `then`, and cuts the connection. */
function cutAfter(count: number, then: () => Promise<void> = async () => {}): Trick {
	return async (response, body, asked) => {
		response.write(body.subarray(0, count));
		asked.sent += count;
		await then();
		response.socket!.destroy();
	};
}

/** Sends `count` bytes and then nothing more during the test. */
function stopAfter(count: number): Trick {
	return async (response, body, asked) => {
		response.write(body.subarray(0, count));
		asked.sent += count;
	};
}

async function temporary(t: ExecutionContext): Promise<string> {
	const folder = await mkdtemp(join(tmpdir(), 'passagekit-hub-'));
	t.teardown(async () => rm(folder, {recursive: true, force: true}));
	return folder;
}

interface Setting {
	readonly hub: Hub;
	readonly cacheFolder: string;
	/** The folder of the model in the cache. */
	readonly folder: string;
	readonly options: DownloadOptions;
}

async function setting(t: ExecutionContext, files?: Readonly<Record<string, Buffer>>): Promise<Setting> {
	const hub = await Hub.open(t, files);
	const cacheFolder = await temporary(t);
	const folder = join(cacheFolder, 'models', 'owner--name', 'main');
	return {hub, cacheFolder, folder, options: {endpoint: hub.endpoint, cacheFolder, offline: false, token: ''}};
}

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
	while (!(await condition())) {
		await sleep(5);
	}
}

/** The path of the partial download of the graph, whose name contains the checksum. */
function partOf({folder}: Setting): string {
	return join(folder, `onnx/model.onnx.${sha256(GRAPH).slice(0, 16)}.part`);
}

/** Resolves when `count` bytes of the graph are on disk. */
async function untilPartHas(s: Setting, count: number): Promise<void> {
	await until(async () => (await stat(partOf(s)).catch(() => undefined))?.size === count);
}

async function fails(t: ExecutionContext, promise: Promise<unknown>): Promise<RetrievalError> {
	return (await t.throwsAsync(promise, {instanceOf: RetrievalError})) as RetrievalError;
}

test('a model is downloaded once, and later calls send no requests', async t => {
	const {hub, folder, options} = await setting(t);

	t.is(await downloadModel('owner/name', options), folder);

	t.deepEqual(await readFile(join(folder, 'onnx/model.onnx')), GRAPH);
	t.deepEqual(await readFile(join(folder, 'tokenizer.json')), TOKENIZER);
	t.deepEqual(await readFile(join(folder, 'config.json')), CONFIG);
	t.deepEqual(
		hub
			.gets()
			.map(({file}) => file)
			.filter(file => !file.startsWith('/'))
			.sort(),
		['config.json', 'onnx/model.onnx', 'tokenizer.json'],
	);
	const before = hub.asked.length;
	t.is(await resolveModel('owner/name', options), folder);
	t.is(hub.asked.length, before);
});

test('a complete download leaves neither a lock nor partial files', async t => {
	const {folder, options} = await setting(t);

	await downloadModel('owner/name', options);

	t.deepEqual((await readdir(folder)).sort(), ['complete.json', 'config.json', 'onnx', 'tokenizer.json']);
	t.deepEqual(await readdir(join(folder, 'onnx')), ['model.onnx']);
});

test('only a file that is missing from the cache is downloaded again', async t => {
	const {hub, folder, options} = await setting(t);
	await downloadModel('owner/name', options);
	await rm(join(folder, 'config.json'));
	const before = hub.gets().length;

	await downloadModel('owner/name', options);

	t.deepEqual(
		hub
			.gets()
			.slice(before)
			.map(({file}) => file),
		['config.json'],
	);
	t.deepEqual(await readFile(join(folder, 'config.json')), CONFIG);
});

test('a truncated file in the cache is not treated as complete', async t => {
	const {folder, options} = await setting(t);
	await downloadModel('owner/name', options);
	await writeFile(join(folder, 'onnx/model.onnx'), GRAPH.subarray(0, 1000));

	await t.throwsAsync(downloadModel('owner/name', {...options, offline: true}), {code: 'ERR_MODEL_MISSING'});
	await downloadModel('owner/name', options);

	t.deepEqual(await readFile(join(folder, 'onnx/model.onnx')), GRAPH);
});

test('a broken download resumes where it stopped', async t => {
	const s = await setting(t);
	s.hub.tricks.push(cutAfter(80_000, async () => untilPartHas(s, 80_000)));

	await downloadModel('owner/name', s.options);

	t.deepEqual(
		s.hub.gets('onnx/model.onnx').map(({range}) => range),
		[undefined, 'bytes=80000-'],
	);
	t.is(s.hub.sent('onnx/model.onnx'), 200_000); // 80,000 bytes, then the other 120,000
	t.deepEqual(await readFile(join(s.folder, 'onnx/model.onnx')), GRAPH);
});

test('retries continue as long as each attempt receives some bytes', async t => {
	const s = await setting(t);
	// Six interruptions, more than the four unsuccessful attempts that end a download.
	for (let have = 30_000; have <= 180_000; have += 30_000) {
		s.hub.tricks.push(cutAfter(30_000, async () => untilPartHas(s, have)));
	}

	await downloadModel('owner/name', s.options);

	t.is(s.hub.gets('onnx/model.onnx').length, 7);
	t.is(s.hub.sent('onnx/model.onnx'), 200_000);
});

test('a failed download keeps its partial file for the next call', async t => {
	const s = await setting(t);
	s.hub.tricks.push(
		cutAfter(50_000, async () => untilPartHas(s, 50_000)),
		cutAfter(0),
		cutAfter(0),
		cutAfter(0),
	);

	const error = await fails(t, downloadModel('owner/name', s.options));

	t.is(error.code, 'ERR_DOWNLOAD');
	t.regex(error.message, /, 4 times\. Call again later; what came is kept\.$/u);
	t.is((await stat(partOf(s))).size, 50_000);
	await downloadModel('owner/name', s.options);
	t.is(s.hub.gets('onnx/model.onnx').at(-1)!.range, 'bytes=50000-');
	t.is(s.hub.sent('onnx/model.onnx'), 200_000);
});

test('with a server that does not support ranges, a download restarts from the beginning', async t => {
	const s = await setting(t);
	s.hub.ranges = false;
	s.hub.tricks.push(cutAfter(80_000, async () => untilPartHas(s, 80_000)));

	await downloadModel('owner/name', s.options);

	t.is(s.hub.sent('onnx/model.onnx'), 280_000); // 80,000 bytes that were discarded, then the whole file
	t.deepEqual(await readFile(join(s.folder, 'onnx/model.onnx')), GRAPH);
});

test('a slow response is not treated as broken', async t => {
	const {hub, folder, options} = await setting(t);
	hub.tricks.push(async (response, body, asked) => {
		for (let from = 0; from < body.length; from += 40_000) {
			response.write(body.subarray(from, from + 40_000));
			asked.sent += 40_000;
			await sleep(40);
		}
		response.end();
	});

	await downloadModel('owner/name', options);

	t.is(hub.gets('onnx/model.onnx').length, 1);
	t.deepEqual(await readFile(join(folder, 'onnx/model.onnx')), GRAPH);
});

test('files are requested uncompressed, because a compressed response has another length', async t => {
	const {hub, folder, options} = await setting(t);

	await downloadModel('owner/name', options);

	t.is(hub.sent('tokenizer.json'), TOKENIZER.length);
	t.deepEqual(await readFile(join(folder, 'tokenizer.json')), TOKENIZER);
});

test('a request to a busy server is repeated', async t => {
	const {hub, folder, options} = await setting(t);
	hub.tricks.push(async response => {
		response.writeHead(503, {'content-length': 0}).end();
	});
	hub.heads.set('tokenizer.json', response => {
		hub.heads.clear();
		response.writeHead(429, {'content-length': 0}).end();
	});

	await downloadModel('owner/name', options);

	t.deepEqual(await readFile(join(folder, 'onnx/model.onnx')), GRAPH);
});

test('an unreachable server is ERR_DOWNLOAD with the cause', async t => {
	const {hub, options} = await setting(t);
	const closed = createServer();
	closed.listen(0, '127.0.0.1');
	await once(closed, 'listening');
	const endpoint = address(closed);
	closed.close();

	const error = await fails(t, downloadModel('owner/name', {...options, endpoint}));

	t.is(error.code, 'ERR_DOWNLOAD');
	t.regex(error.message, /ECONNREFUSED/u);
	t.truthy(error.cause);
	t.is(hub.asked.length, 0);
});

for (const [kind, file] of [
	['large', 'onnx/model.onnx'],
	['small', 'tokenizer.json'],
] as const) {
	test(`a wrong checksum of a ${kind} file is refused and leaves no file in place`, async t => {
		const {hub, folder, options} = await setting(t);
		const promised = kind === 'large' ? sha256(Buffer.from('other')) : gitBlob(Buffer.from('other'));
		hub.heads.set(file, response => {
			response.writeHead(200, {'x-linked-etag': `"${promised}"`, 'x-linked-size': MODEL[file].length}).end();
		});

		const error = await fails(t, downloadModel('owner/name', options));

		t.is(error.code, 'ERR_DOWNLOAD');
		const got = kind === 'large' ? sha256(GRAPH) : gitBlob(TOKENIZER);
		t.true(error.message.includes(`expected checksum ${promised}, got ${got}`), error.message);
		t.false(existsSync(join(folder, file)));
		t.false(existsSync(join(folder, 'complete.json')));
		t.deepEqual(
			(await readdir(join(folder, dirname(file)))).filter(name => name.endsWith('.part')),
			[],
		);
	});
}

test('a partial download of another version is not continued', async t => {
	const s = await setting(t);
	await mkdir(join(s.folder, 'onnx'), {recursive: true});
	const old = join(s.folder, 'onnx/model.onnx.0123456789abcdef.part');
	await writeFile(old, 'the beginning of another version');

	await downloadModel('owner/name', s.options);

	t.deepEqual(
		s.hub.gets('onnx/model.onnx').map(({range}) => range),
		[undefined],
	);
	t.false(existsSync(old));
});

test('a file of another version, left by an unfinished download, is replaced', async t => {
	const {folder, options} = await setting(t);
	await mkdir(folder, {recursive: true});
	await writeFile(join(folder, 'tokenizer.json'), '{"tokenizer": null}'); // as long as the right one

	await downloadModel('owner/name', options);

	t.deepEqual(await readFile(join(folder, 'tokenizer.json')), TOKENIZER);
});

test('all files are downloaded from the commit of the first one', async t => {
	const {hub, folder, options} = await setting(t, {...MODEL, '1_Pooling/config.json': CONFIG});
	const model = await downloadModel('owner/name', {...options, revision: 'refs/pr/1'});

	// A revision with slashes gets a single folder of its own.
	t.is(model, join(dirname(folder), 'refs%2Fpr%2F1'));
	t.is((JSON.parse(await readFile(join(model, 'complete.json'), 'utf8')) as {commit: string}).commit, COMMIT);
	t.deepEqual(await readFile(join(model, '1_Pooling/config.json')), CONFIG);
	const first = '/owner/name/resolve/refs%2Fpr%2F1/tokenizer.json';
	const others = hub.asked
		.map(({url}) => url)
		.filter(url => !url.startsWith('/store/'))
		.slice(1);
	t.is(hub.asked[0]!.url, first);
	t.true(
		others.every(url => url.startsWith(`/owner/name/resolve/${COMMIT}/`)),
		others.join(' '),
	);
});

test("redirects on the same host are followed to the file's checksum", async t => {
	const {hub, options} = await setting(t);
	hub.heads.set('tokenizer.json', response => {
		response.writeHead(307, {etag: '"of-the-redirect"', location: '/owner/name/resolve/main/moved.json'}).end();
	});
	hub.heads.set('moved.json', response => {
		response.writeHead(200, {etag: `W/"${'0'.repeat(40)}"`, 'content-length': TOKENIZER.length}).end();
	});

	const error = await fails(t, downloadModel('owner/name', options));

	t.true(error.message.includes(`expected checksum ${'0'.repeat(40)}`), error.message);
});

test('offline with an empty cache is ERR_MODEL_MISSING, which names the folder', async t => {
	const {hub, cacheFolder, folder, options} = await setting(t);

	const error = await fails(t, downloadModel('owner/name', {...options, offline: true}));

	t.is(error.code, 'ERR_MODEL_MISSING');
	t.true(error.message.includes(folder), error.message);
	t.is(hub.asked.length, 0);
	t.deepEqual(await readdir(cacheFolder), []);
});

test('offline with a full cache works', async t => {
	const {hub, folder, options} = await setting(t);
	await downloadModel('owner/name', options);
	const before = hub.asked.length;

	t.is(await downloadModel('owner/name', {...options, offline: true}), folder);

	t.is(hub.asked.length, before);
});

test('offline accepts files that were copied into the cache by hand', async t => {
	const {folder, options} = await setting(t);
	await mkdir(folder, {recursive: true});
	await writeFile(join(folder, 'tokenizer.json'), TOKENIZER);
	await t.throwsAsync(downloadModel('owner/name', {...options, offline: true}), {code: 'ERR_MODEL_MISSING'});
	await writeFile(join(folder, 'model.onnx'), GRAPH);

	t.is(await downloadModel('owner/name', {...options, offline: true}), folder);
});

test('onnx/model.onnx is preferred to model.onnx', async t => {
	const both = await setting(t, {...MODEL, 'model.onnx': CONFIG});
	await downloadModel('owner/name', both.options);
	t.true(existsSync(join(both.folder, 'onnx/model.onnx')));
	t.false(existsSync(join(both.folder, 'model.onnx')));

	const one = await setting(t, {'tokenizer.json': TOKENIZER, 'model.onnx': GRAPH});
	await downloadModel('owner/name', one.options);
	t.deepEqual(await readFile(join(one.folder, 'model.onnx')), GRAPH);
});

for (const weights of ['onnx/model.onnx_data', 'onnx/model.onnx.data']) {
	test(`weights in ${weights} are downloaded with their graph`, async t => {
		const {folder, options} = await setting(t, {...MODEL, [weights]: GRAPH, 'model.onnx_data': CONFIG});

		await downloadModel('owner/name', options);

		t.deepEqual(await readFile(join(folder, weights)), GRAPH);
		t.false(existsSync(join(folder, 'model.onnx_data')));
	});
}

test('a model without an ONNX export is refused before anything is downloaded', async t => {
	const {hub, options} = await setting(t, {'tokenizer.json': TOKENIZER});

	const error = await fails(t, downloadModel('owner/name', options));

	t.is(error.code, 'ERR_DOWNLOAD');
	t.is(
		error.message,
		'model owner/name: expected onnx/model.onnx or model.onnx at revision main on the hub, got none. Models need an ONNX export.',
	);
	t.is(hub.gets().length, 0);
});

test('the error for a missing revision names the revision', async t => {
	const {hub, options} = await setting(t);
	hub.heads.set('tokenizer.json', response => {
		response.writeHead(404, {'x-error-code': 'RevisionNotFound'}).end();
	});

	const error = await fails(t, downloadModel('owner/name', {...options, revision: 'none'}));

	t.is(error.code, 'ERR_DOWNLOAD');
	t.regex(error.message, /no such revision/u);
});

test('a private model (401) fails immediately, with a message that a token is needed', async t => {
	const {hub, options} = await setting(t);
	hub.heads.set('tokenizer.json', response => {
		response.writeHead(401).end();
	});

	const error = await fails(t, downloadModel('owner/name', options));

	t.is(error.code, 'ERR_DOWNLOAD');
	t.regex(error.message, /status 401\. .*needs a token.*HF_TOKEN/u);
	t.is(hub.asked.length, 1);
});

test("an aborted download rejects with the signal's reason, keeps the part, and the next call resumes", async t => {
	const s = await setting(t);
	s.hub.tricks.push(stopAfter(90_000));
	const controller = new AbortController();
	const reason = new Error('enough');
	const download = downloadModel('owner/name', {...s.options, signal: controller.signal});
	await untilPartHas(s, 90_000);

	controller.abort(reason);

	t.is(await t.throwsAsync(download), reason);
	t.is((await stat(partOf(s))).size, 90_000);
	t.false(existsSync(join(s.folder, '.lock')));
	await downloadModel('owner/name', s.options);
	t.deepEqual(
		s.hub.gets('onnx/model.onnx').map(({range}) => range),
		[undefined, 'bytes=90000-'],
	);
	t.is(s.hub.sent('onnx/model.onnx'), 200_000);
});

test("aborting a wait for the next attempt or for the lock rejects with the signal's reason", async t => {
	const {hub, folder, options} = await setting(t);
	const reason = new Error('enough');
	const busy = new AbortController();
	hub.heads.set('tokenizer.json', response => {
		response.writeHead(503, {'retry-after': '20'}).end();
		setTimeout(() => busy.abort(reason), 50);
	});
	t.is(await t.throwsAsync(downloadModel('owner/name', {...options, signal: busy.signal})), reason);

	await writeFile(join(folder, '.lock'), lockText(process.pid));
	const locked = new AbortController();
	setTimeout(() => locked.abort(reason), 50);
	t.is(await t.throwsAsync(downloadModel('owner/name', {...options, signal: locked.signal})), reason);
	t.true(existsSync(join(folder, '.lock')));
});

test('with a signal that is already aborted, no request is sent', async t => {
	const {hub, cacheFolder, options} = await setting(t);
	const reason = new Error('enough');

	t.is(await t.throwsAsync(downloadModel('owner/name', {...options, signal: AbortSignal.abort(reason)})), reason);

	t.is(hub.asked.length, 0);
	t.deepEqual(await readdir(cacheFolder), []);
});

test('two concurrent downloads in one process request each file once', async t => {
	const {hub, folder, options} = await setting(t);

	t.deepEqual(await Promise.all([downloadModel('owner/name', options), downloadModel('owner/name', options)]), [folder, folder]);

	t.deepEqual(filesFetched(hub), ['config.json', 'onnx/model.onnx', 'tokenizer.json']);
});

test('two concurrent processes request each file once', async t => {
	const {hub, folder, options} = await setting(t);
	// The first process pauses in the middle of a file until the second one waits for it.
	const children: ChildProcess[] = [];
	hub.tricks.push(async (response, body, asked) => {
		await until(() => children.every(child => begun.has(child)));
		asked.sent += body.length;
		response.end(body);
	});
	const begun = new Set<ChildProcess>();
	const script = `
		import {downloadModel} from ${JSON.stringify(new URL('../../ts/models/hub.ts', import.meta.url).href)};
		console.log('begun');
		console.log(await downloadModel('owner/name', ${JSON.stringify(options)}));
	`;
	const finish = async (): Promise<string[]> => {
		const child = spawn(process.execPath, ['--import=tsx', '--input-type=module', '--eval', script], {
			stdio: ['ignore', 'pipe', 'inherit'],
		});
		children.push(child);
		let output = '';
		child.stdout.on('data', chunk => {
			output += String(chunk);
			begun.add(child);
		});
		const [code] = (await once(child, 'close')) as [number];
		return [...output.trim().split('\n'), String(code)];
	};

	t.deepEqual(await Promise.all([finish(), finish()]), [
		['begun', folder, '0'],
		['begun', folder, '0'],
	]);

	t.deepEqual(filesFetched(hub), ['config.json', 'onnx/model.onnx', 'tokenizer.json']);
	t.deepEqual(await readFile(join(folder, 'onnx/model.onnx')), GRAPH);
});

test('a stale lock is taken over by one waiting process', async t => {
	const {hub, folder, options} = await setting(t);
	const child = spawn(process.execPath, ['--eval', '']);
	await once(child, 'close');
	await mkdir(folder, {recursive: true});
	await writeFile(join(folder, '.lock'), lockText(child.pid!));

	await Promise.all([downloadModel('owner/name', options), downloadModel('owner/name', options)]);

	t.deepEqual(filesFetched(hub), ['config.json', 'onnx/model.onnx', 'tokenizer.json']);
	t.deepEqual(
		(await readdir(folder)).filter(name => name.startsWith('.')),
		[],
	);
});

const odd = [
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
for (const name of odd) {
	test(`the name "${name}" is refused before anything is written`, async t => {
		const {hub, cacheFolder, options} = await setting(t);

		t.is((await fails(t, downloadModel(name, options))).code, 'ERR_ARGUMENT');

		t.deepEqual(await readdir(cacheFolder), []);
		t.is(hub.asked.length, 0);
	});
}

for (const revision of ['..', '../main', 'a/../../b', '/main', 'main/', 'a//b', '.', '']) {
	test(`the revision "${revision}" is refused before anything is written`, async t => {
		const {hub, cacheFolder, options} = await setting(t);

		t.is((await fails(t, downloadModel('owner/name', {...options, revision}))).code, 'ERR_ARGUMENT');

		t.deepEqual(await readdir(cacheFolder), []);
		t.is(hub.asked.length, 0);
	});
}

test('a string that is neither a folder nor a model name is ERR_MODEL_MISSING', async t => {
	for (const model of ['../x/none', '/none/at/all', 'none', '\0']) {
		t.is((await fails(t, resolveModel(model))).code, 'ERR_MODEL_MISSING');
	}
});

test('a folder is used directly', async t => {
	const folder = await temporary(t);

	t.is(await resolveModel(folder), folder);
});

test('an invalid endpoint or token is refused, and the message does not contain the token', async t => {
	const {options} = await setting(t);

	t.is((await fails(t, downloadModel('owner/name', {...options, endpoint: 'file:///etc'}))).code, 'ERR_ARGUMENT');
	t.is((await fails(t, downloadModel('owner/name', {...options, endpoint: 'hub'}))).code, 'ERR_ARGUMENT');
	const error = await fails(t, downloadModel('owner/name', {...options, token: 'secret\r\nx: y'}));
	t.is(error.code, 'ERR_ARGUMENT');
	t.false(error.message.includes('secret'));
});

test('progress counts the bytes of all files, never decreases, and ends at the total', async t => {
	const s = await setting(t);
	s.hub.ranges = false; // so that the download of the graph restarts
	s.hub.tricks.push(
		cutAfter(80_000, async () => untilPartHas(s, 80_000)),
		async (response, body) => {
			for (let from = 0; from < body.length; from += 20_000) {
				response.write(body.subarray(from, from + 20_000));
				await sleep(30);
			}
			response.end();
		},
	);
	const seen: Progress[] = [];

	await downloadModel('owner/name', {...s.options, onProgress: progress => seen.push(progress)});

	const total = 19 + 16 + 200_000; // tokenizer, config, graph
	t.true(seen.length > 2);
	t.true(seen.every(progress => progress.total === total));
	t.deepEqual(
		seen.map(({done}) => done),
		seen.map(({done}) => done).sort((a, b) => a - b),
	);
	t.deepEqual(seen.at(-1), {done: total, total});
	t.is(seen.filter(({done}) => done === total).length, 1);
});

test('cached bytes count as done, for a partial and for a complete model', async t => {
	const s = await setting(t);
	await mkdir(join(s.folder, 'onnx'), {recursive: true});
	await writeFile(partOf(s), GRAPH.subarray(0, 150_000));
	const seen: Progress[] = [];
	const onProgress = (progress: Progress): void => {
		seen.push(progress);
	};
	await downloadModel('owner/name', {...s.options, onProgress});
	t.is(s.hub.sent('onnx/model.onnx'), 50_000);
	t.deepEqual(seen.at(-1), {done: 200_035, total: 200_035});

	seen.length = 0;
	await downloadModel('owner/name', {...s.options, onProgress});
	t.deepEqual(seen, [{done: 200_035, total: 200_035}]);
});

test('an error of onProgress ends the download without another attempt', async t => {
	const {hub, folder, options} = await setting(t);
	const own = new Error('mine');

	t.is(
		await t.throwsAsync(
			downloadModel('owner/name', {
				...options,
				onProgress() {
					throw own;
				},
			}),
		),
		own,
	);

	t.true(hub.gets().length <= 1);
	t.false(existsSync(join(folder, '.lock')));
});

test('the token is sent to the hub, but not to another host that it redirects to', async t => {
	const {hub, options} = await setting(t);

	await downloadModel('owner/name', {...options, token: 'secret\n'});

	t.true(hub.asked.filter(({method}) => method === 'HEAD').every(({authorization}) => authorization === 'Bearer secret'));
	t.deepEqual(
		hub.gets('tokenizer.json').map(({authorization}) => authorization),
		['Bearer secret'],
	);
	t.deepEqual(
		hub.gets('onnx/model.onnx').map(({authorization}) => authorization),
		[undefined],
	);
});

test('a file that cannot be written is ERR_IO', async t => {
	const {cacheFolder, options} = await setting(t);
	const file = join(cacheFolder, 'file');
	await writeFile(file, '');

	t.is((await fails(t, downloadModel('owner/name', {...options, cacheFolder: file}))).code, 'ERR_IO');
});

function filesFetched(hub: Hub): string[] {
	return hub
		.gets()
		.map(({file}) => file)
		.sort();
}

function lockText(pid: number): string {
	return `${JSON.stringify({pid, host: hostname(), id: 'left'})}\n`;
}
