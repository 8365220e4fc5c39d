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
	/** Bytes of the body that were sent. */
	sent: number;
}

/** What the server does with the next requests for a file's bytes; `undefined` is the ordinary thing. */
type Trick = (response: ServerResponse, body: Buffer, asked: Asked) => Promise<void>;

/** Behaves like the hub: small files it sends itself, large ones (over 1000 bytes) a store on another port does. */
class Hub {
	readonly asked: Asked[] = [];
	/** Used up one by one by requests for the graph's bytes. */
	readonly tricks: Trick[] = [];
	/** By file, for `HEAD`s. */
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

	/** Requests for bytes. */
	gets(file?: string): Asked[] {
		return this.asked.filter(asked => asked.method === 'GET' && (file === undefined || asked.file === file));
	}

	/** Bytes sent of a file, over all requests. */
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
			// As the hub does, whose tag is then a weak one.
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

/** Sends `count` bytes, then nothing more while the test lasts. */
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
	/** The model's folder in the cache. */
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

/** The part file of the graph: named after its checksum. */
function partOf({folder}: Setting): string {
	return join(folder, `onnx/model.onnx.${sha256(GRAPH).slice(0, 16)}.part`);
}

/** Resolves when so many bytes of the graph are on disk. */
async function untilPartHas(s: Setting, count: number): Promise<void> {
	await until(async () => (await stat(partOf(s)).catch(() => undefined))?.size === count);
}

async function fails(t: ExecutionContext, promise: Promise<unknown>): Promise<RetrievalError> {
	return (await t.throwsAsync(promise, {instanceOf: RetrievalError})) as RetrievalError;
}

test('a model is fetched once, and the server is never asked again', async t => {
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

test('a whole model leaves neither a lock nor parts behind', async t => {
	const {folder, options} = await setting(t);

	await downloadModel('owner/name', options);

	t.deepEqual((await readdir(folder)).sort(), ['complete.json', 'config.json', 'onnx', 'tokenizer.json']);
	t.deepEqual(await readdir(join(folder, 'onnx')), ['model.onnx']);
});

test('a file lost from the cache is fetched again, and nothing else is', async t => {
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

test('a file cut short in the cache is not taken for whole', async t => {
	const {folder, options} = await setting(t);
	await downloadModel('owner/name', options);
	await writeFile(join(folder, 'onnx/model.onnx'), GRAPH.subarray(0, 1000));

	await t.throwsAsync(downloadModel('owner/name', {...options, offline: true}), {code: 'ERR_MODEL_MISSING'});
	await downloadModel('owner/name', options);

	t.deepEqual(await readFile(join(folder, 'onnx/model.onnx')), GRAPH);
});

test('a broken fetch resumes where it broke', async t => {
	const s = await setting(t);
	s.hub.tricks.push(cutAfter(80_000, async () => untilPartHas(s, 80_000)));

	await downloadModel('owner/name', s.options);

	t.deepEqual(
		s.hub.gets('onnx/model.onnx').map(({range}) => range),
		[undefined, 'bytes=80000-'],
	);
	t.is(s.hub.sent('onnx/model.onnx'), 200_000); // 80 000, then the other 120 000
	t.deepEqual(await readFile(join(s.folder, 'onnx/model.onnx')), GRAPH);
});

test('a server that breaks off often is asked on, as long as something comes', async t => {
	const s = await setting(t);
	// Six breaks, more than the four attempts in vain that end a fetch.
	for (let have = 30_000; have <= 180_000; have += 30_000) {
		s.hub.tricks.push(cutAfter(30_000, async () => untilPartHas(s, have)));
	}

	await downloadModel('owner/name', s.options);

	t.is(s.hub.gets('onnx/model.onnx').length, 7);
	t.is(s.hub.sent('onnx/model.onnx'), 200_000);
});

test('a fetch that breaks off for good keeps its part for the next call', async t => {
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

test('a server without ranges is read from the beginning again', async t => {
	const s = await setting(t);
	s.hub.ranges = false;
	s.hub.tricks.push(cutAfter(80_000, async () => untilPartHas(s, 80_000)));

	await downloadModel('owner/name', s.options);

	t.is(s.hub.sent('onnx/model.onnx'), 280_000); // 80 000 in vain, then all
	t.deepEqual(await readFile(join(s.folder, 'onnx/model.onnx')), GRAPH);
});

test('a slow body is no broken one', async t => {
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

test('bytes are asked for as they are, since a compressed answer has another length', async t => {
	const {hub, folder, options} = await setting(t);

	await downloadModel('owner/name', options);

	t.is(hub.sent('tokenizer.json'), TOKENIZER.length);
	t.deepEqual(await readFile(join(folder, 'tokenizer.json')), TOKENIZER);
});

test('a busy server is asked again', async t => {
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

test('a server that is not there is ERR_DOWNLOAD with the cause', async t => {
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

test('what came of another version is not continued', async t => {
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

test('all files are fetched from the commit that the first one came from', async t => {
	const {hub, folder, options} = await setting(t, {...MODEL, '1_Pooling/config.json': CONFIG});
	const model = await downloadModel('owner/name', {...options, revision: 'refs/pr/1'});

	// A revision with slashes is one folder, that no other revision has.
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

test('offline takes files that were put there by hand', async t => {
	const {folder, options} = await setting(t);
	await mkdir(folder, {recursive: true});
	await writeFile(join(folder, 'tokenizer.json'), TOKENIZER);
	await t.throwsAsync(downloadModel('owner/name', {...options, offline: true}), {code: 'ERR_MODEL_MISSING'});
	await writeFile(join(folder, 'model.onnx'), GRAPH);

	t.is(await downloadModel('owner/name', {...options, offline: true}), folder);
});

test('of onnx/model.onnx and model.onnx the first is taken', async t => {
	const both = await setting(t, {...MODEL, 'model.onnx': CONFIG});
	await downloadModel('owner/name', both.options);
	t.true(existsSync(join(both.folder, 'onnx/model.onnx')));
	t.false(existsSync(join(both.folder, 'model.onnx')));

	const one = await setting(t, {'tokenizer.json': TOKENIZER, 'model.onnx': GRAPH});
	await downloadModel('owner/name', one.options);
	t.deepEqual(await readFile(join(one.folder, 'model.onnx')), GRAPH);
});

for (const weights of ['onnx/model.onnx_data', 'onnx/model.onnx.data']) {
	test(`weights in ${weights} come with their graph`, async t => {
		const {folder, options} = await setting(t, {...MODEL, [weights]: GRAPH, 'model.onnx_data': CONFIG});

		await downloadModel('owner/name', options);

		t.deepEqual(await readFile(join(folder, weights)), GRAPH);
		t.false(existsSync(join(folder, 'model.onnx_data')));
	});
}

test('a model without an ONNX export is refused before anything is fetched', async t => {
	const {hub, options} = await setting(t, {'tokenizer.json': TOKENIZER});

	const error = await fails(t, downloadModel('owner/name', options));

	t.is(error.code, 'ERR_DOWNLOAD');
	t.is(
		error.message,
		'model owner/name: expected onnx/model.onnx or model.onnx at revision main on the hub, got none. Models need an ONNX export.',
	);
	t.is(hub.gets().length, 0);
});

test('a revision that is not there is named as the reason', async t => {
	const {hub, options} = await setting(t);
	hub.heads.set('tokenizer.json', response => {
		response.writeHead(404, {'x-error-code': 'RevisionNotFound'}).end();
	});

	const error = await fails(t, downloadModel('owner/name', {...options, revision: 'none'}));

	t.is(error.code, 'ERR_DOWNLOAD');
	t.regex(error.message, /no such revision/u);
});

test("a private model's 401 says that a token is needed, at once", async t => {
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

test("an aborted wait rejects with the signal's reason: for another attempt, and for the lock", async t => {
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

test('a signal aborted before asks nobody', async t => {
	const {hub, cacheFolder, options} = await setting(t);
	const reason = new Error('enough');

	t.is(await t.throwsAsync(downloadModel('owner/name', {...options, signal: AbortSignal.abort(reason)})), reason);

	t.is(hub.asked.length, 0);
	t.deepEqual(await readdir(cacheFolder), []);
});

test('two downloads at once in this process fetch each file once', async t => {
	const {hub, folder, options} = await setting(t);

	t.deepEqual(await Promise.all([downloadModel('owner/name', options), downloadModel('owner/name', options)]), [folder, folder]);

	t.deepEqual(filesFetched(hub), ['config.json', 'onnx/model.onnx', 'tokenizer.json']);
});

test('two processes at once fetch each file once', async t => {
	const {hub, folder, options} = await setting(t);
	// The first waits in mid-file until the second has begun to wait for it.
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

test('a stale lock is taken over, by one of those that wait', async t => {
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

test('what is neither a folder nor a name is ERR_MODEL_MISSING', async t => {
	for (const model of ['../x/none', '/none/at/all', 'none', '\0']) {
		t.is((await fails(t, resolveModel(model))).code, 'ERR_MODEL_MISSING');
	}
});

test('a folder is taken as it is', async t => {
	const folder = await temporary(t);

	t.is(await resolveModel(folder), folder);
});

test('an endpoint or a token that cannot be sent is refused, and the token is not shown', async t => {
	const {options} = await setting(t);

	t.is((await fails(t, downloadModel('owner/name', {...options, endpoint: 'file:///etc'}))).code, 'ERR_ARGUMENT');
	t.is((await fails(t, downloadModel('owner/name', {...options, endpoint: 'hub'}))).code, 'ERR_ARGUMENT');
	const error = await fails(t, downloadModel('owner/name', {...options, token: 'secret\r\nx: y'}));
	t.is(error.code, 'ERR_ARGUMENT');
	t.false(error.message.includes('secret'));
});

test('progress is one count over all files, that never goes back and ends at their sum', async t => {
	const s = await setting(t);
	s.hub.ranges = false; // so that the graph begins anew
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

test('what the cache has counts as done: of a part, and of a whole model', async t => {
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

test('an error of onProgress ends the download and is no reason for another attempt', async t => {
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

test('the token goes to the hub, and not to another host that it redirects to', async t => {
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

test('what cannot be written is ERR_IO', async t => {
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
