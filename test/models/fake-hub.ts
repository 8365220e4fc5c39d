// A local server that behaves like the Hugging Face hub, and helpers for tests that download models from it.
import {createHash} from 'node:crypto';
import {once} from 'node:events';
import {mkdtemp, rm, stat} from 'node:fs/promises';
import {type IncomingMessage, type Server, type ServerResponse, createServer} from 'node:http';
import type {AddressInfo} from 'node:net';
import {hostname, tmpdir} from 'node:os';
import {join} from 'node:path';
import {setTimeout as sleep} from 'node:timers/promises';
import {gzipSync} from 'node:zlib';
import type {ExecutionContext} from 'ava';
import {RetrievalError} from '../../ts/core/errors.ts';
import type {DownloadOptions} from '../../ts/models/hub.ts';

/** The Git commit to which all revisions of the model refer. */
export const COMMIT = 'c0ffee'.padEnd(40, '0');
/** The ONNX graph of the model: 200,000 bytes. */
export const GRAPH = Buffer.from(Array.from({length: 200_000}, (_, i) => (i * i) % 251));
export const TOKENIZER = Buffer.from('{"tokenizer": true}');
export const CONFIG = Buffer.from('{"config": true}');
/** The files of the model `owner/name`, by path. */
export const MODEL_FILES = {'tokenizer.json': TOKENIZER, 'config.json': CONFIG, 'onnx/model.onnx': GRAPH};

/** The hub stores files of more than this number of bytes on another server, and redirects requests for them. */
const MAX_INLINE_BYTES = 1000;

/** The checksum that the hub reports for large files. */
export const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
/** The checksum that the hub reports for small files: the id that Git gives them. */
export const gitBlob = (bytes: Buffer): string => createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');

/** A request that the server has received. */
interface LoggedRequest {
	readonly method: string;
	/** The path of the file in the model. */
	readonly file: string;
	readonly url: string;
	/** The `Range` header. */
	readonly range: string | undefined;
	readonly authorization: string | undefined;
	/** Number of bytes of the body that were sent. */
	sentBytes: number;
}

/** Responds to a `GET` request for the graph, for example with a part of `body`, and adds the number of bytes to `request.sentBytes`. */
type GraphResponse = (response: ServerResponse, body: Buffer, request: LoggedRequest) => Promise<void>;

/** The server. It sends small files itself, and redirects requests for large ones to a file store: a second server, on another port. */
export class FakeHub {
	/** The requests to both servers, in the order in which they arrived, except `GET` requests that were redirected. */
	readonly requests: LoggedRequest[] = [];
	/** How to respond to the next `GET` requests for the graph: each uses up one element. When none is left, the response is correct. */
	readonly graphResponses: GraphResponse[] = [];
	/** Maps files to functions that respond to their `HEAD` requests in place of the correct response. */
	readonly headResponses = new Map<string, (response: ServerResponse) => void>();
	/** Whether the server honors `Range` headers. */
	supportsRanges = true;
	readonly #files: Readonly<Record<string, Buffer>>;
	readonly #hub: Server;
	readonly #fileStore: Server;

	private constructor(files: Readonly<Record<string, Buffer>>) {
		this.#files = files;
		this.#hub = createServer((request, response) => {
			this.#respond(request, response).catch(() => response.destroy());
		});
		this.#fileStore = createServer((request, response) => {
			this.#send(request, response, decodeURIComponent(request.url!.slice('/store/'.length))).catch(() => response.destroy());
		});
	}

	/** Starts a server for one test. It offers one model, `owner/name`, with these files. */
	static async start(t: ExecutionContext, files: Readonly<Record<string, Buffer>> = MODEL_FILES): Promise<FakeHub> {
		const hub = new FakeHub(files);
		for (const server of [hub.#hub, hub.#fileStore]) {
			server.listen(0, '127.0.0.1');
			await once(server, 'listening');
			t.teardown(() => {
				server.closeAllConnections();
				server.close();
			});
		}
		return hub;
	}

	/** The URL of the server. */
	get endpoint(): string {
		return addressOf(this.#hub);
	}

	/** The `GET` requests whose response was not a redirect; only those for `file`, if it is given. */
	gets(file?: string): LoggedRequest[] {
		return this.requests.filter(request => request.method === 'GET' && (file === undefined || request.file === file));
	}

	/** Number of bytes of a file that were sent in all requests. */
	sentBytes(file: string): number {
		return this.gets(file).reduce((sum, request) => sum + request.sentBytes, 0);
	}

	/** Responds to a request to the hub. */
	async #respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const match = /^\/owner\/name\/resolve\/([^/]+)\/(.+)$/u.exec(request.url!);
		const file = match?.[2] ?? '';
		const revision = decodeURIComponent(match?.[1] ?? '');
		const body = ['main', 'refs/pr/1', COMMIT].includes(revision) ? this.#files[file] : undefined;
		const headResponse = request.method === 'HEAD' ? this.headResponses.get(file) : undefined;
		if (headResponse) {
			this.#log(request, file);
			headResponse(response);
			return;
		}
		if (!body) {
			this.#log(request, file);
			response.writeHead(404, {'x-error-code': 'EntryNotFound'}).end();
			return;
		}
		response.setHeader('x-repo-commit', COMMIT);
		if (body.length <= MAX_INLINE_BYTES) {
			response.setHeader('etag', `"${gitBlob(body)}"`);
			await this.#send(request, response, file);
			return;
		}
		if (request.method === 'HEAD') {
			this.#log(request, file);
		}
		response
			.writeHead(302, {
				'x-linked-etag': `"${sha256(body)}"`,
				'x-linked-size': body.length,
				'content-length': 0,
				location: `${addressOf(this.#fileStore)}/store/${encodeURIComponent(file)}`,
			})
			.end();
	}

	/** Responds with a file or, if the request has a `Range` header, with a part of it. */
	async #send(request: IncomingMessage, response: ServerResponse, file: string): Promise<void> {
		const logged = this.#log(request, file);
		let whole = this.#files[file]!;
		if (whole.length <= MAX_INLINE_BYTES && request.headers['accept-encoding']?.includes('gzip')) {
			// The real hub also compresses small files, and then sends a weak ETag.
			response.setHeader('etag', `W/"${gitBlob(whole)}"`).setHeader('content-encoding', 'gzip');
			whole = gzipSync(whole);
		}
		const start = this.supportsRanges ? Number(/^bytes=(\d+)-$/u.exec(logged.range ?? '')?.[1] ?? 0) : 0;
		const body = whole.subarray(start);
		response.setHeader('content-length', body.length);
		if (start > 0) {
			response.statusCode = 206;
			response.setHeader('content-range', `bytes ${start}-${whole.length - 1}/${whole.length}`);
		}
		if (logged.method === 'HEAD') {
			response.end();
			return;
		}
		const graphResponse = file.endsWith('model.onnx') ? this.graphResponses.shift() : undefined;
		if (graphResponse) {
			await graphResponse(response, body, logged);
			return;
		}
		logged.sentBytes += body.length;
		response.end(body);
	}

	#log({method, headers, url}: IncomingMessage, file: string): LoggedRequest {
		const request = {method: method!, file, url: url!, range: headers.range, authorization: headers.authorization, sentBytes: 0};
		this.requests.push(request);
		return request;
	}
}

/** The URL of a server that listens on a port of this machine. */
function addressOf(server: Server): string {
	return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Sends `count` bytes, waits for `ready`, and closes the connection. */
export function disconnectAfter(count: number, ready: () => Promise<void> = async () => {}): GraphResponse {
	return async (response, body, request) => {
		response.write(body.subarray(0, count));
		request.sentBytes += count;
		await ready();
		response.socket!.destroy();
	};
}

/** Sends `count` bytes and then nothing more during the test. */
export function stallAfter(count: number): GraphResponse {
	return async (response, body, request) => {
		response.write(body.subarray(0, count));
		request.sentBytes += count;
	};
}

/** Creates a folder that is removed after the test. */
export async function temporaryFolder(t: ExecutionContext): Promise<string> {
	const folder = await mkdtemp(join(tmpdir(), 'passagekit-hub-'));
	t.teardown(async () => rm(folder, {recursive: true, force: true}));
	return folder;
}

/** What a test needs to download the model. */
export interface Setup {
	readonly hub: FakeHub;
	readonly cacheFolder: string;
	/** The folder of the model's revision `main` in the cache. */
	readonly folder: string;
	/** Options for downloading from the server to the cache folder, without a token. */
	readonly options: DownloadOptions;
}

/** Starts a server and creates an empty cache folder for one test. */
export async function setUp(t: ExecutionContext, files?: Readonly<Record<string, Buffer>>): Promise<Setup> {
	const hub = await FakeHub.start(t, files);
	const cacheFolder = await temporaryFolder(t);
	const folder = join(cacheFolder, 'models', 'owner--name', 'main');
	return {hub, cacheFolder, folder, options: {endpoint: hub.endpoint, cacheFolder, offline: false, token: ''}};
}

/** The paths of the files that the servers have sent, one for each `GET` request, sorted. */
export function downloadedFiles(hub: FakeHub): string[] {
	return hub
		.gets()
		.map(({file}) => file)
		.sort();
}

/** Resolves when the condition holds. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
	while (!(await condition())) {
		await sleep(5);
	}
}

/** The path of the partial download of the graph. Its name contains the checksum. */
export function partialFile({folder}: Setup): string {
	return join(folder, `onnx/model.onnx.${sha256(GRAPH).slice(0, 16)}.part`);
}

/** Resolves when `count` bytes of the graph are on disk. */
export async function untilPartialFileHas(setup: Setup, count: number): Promise<void> {
	await until(async () => (await stat(partialFile(setup)).catch(() => undefined))?.size === count);
}

/** The content of a lock file that the process with this id holds. */
export function lockText(pid: number): string {
	return `${JSON.stringify({pid, host: hostname(), id: 'previous'})}\n`;
}

/** Returns the `RetrievalError` with which a promise must reject. */
export async function rejection(t: ExecutionContext, promise: Promise<unknown>): Promise<RetrievalError> {
	return (await t.throwsAsync(promise, {instanceOf: RetrievalError})) as RetrievalError;
}
