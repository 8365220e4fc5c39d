// A local HTTP server that embeds texts, and the embedding function that sends texts to it. Tests can replace its responses.
import {createHash} from 'node:crypto';
import {once} from 'node:events';
import {type ServerResponse, createServer} from 'node:http';
import type {AddressInfo} from 'node:net';
import type {ExecutionContext} from 'ava';
import type {EmbedFunction} from '../../ts/index.ts';

/** Dimension of the vectors. */
export const DIM = 5;

/** The vector of a text: numbers from −1 to 1 that depend on all of its characters and are exact as 32-bit floats. */
export function vectorOf(text: string): number[] {
	const hash = createHash('sha256').update(JSON.stringify(text)).digest();
	return Array.from({length: DIM}, (_, i) => hash.readInt16LE(2 * i) / 32_768);
}

/** The vectors of texts in one array. */
export const expected = (texts: readonly string[]): Float32Array => Float32Array.from(texts.flatMap(vectorOf));

interface LoggedRequest {
	readonly texts: string[];
	/** When the whole request had arrived, by `performance.now()`. */
	readonly at: number;
	/** Whether the connection was closed before the response was complete. */
	isAborted: boolean;
}

/** Responds to a request for the vectors of these texts. */
type Respond = (response: ServerResponse, texts: string[]) => void;

/** An HTTP server that embeds texts. It logs its requests and stops after the test that started it. */
export class EmbeddingServer {
	readonly requests: LoggedRequest[] = [];
	/** How to respond to the next requests: each request removes and uses the first element. When none is left, `respond` is used. */
	readonly responses: Respond[] = [];
	/** How to respond to requests while `responses` is empty: by default, with the vectors of the texts. */
	respond: Respond = (response, texts) => response.end(JSON.stringify(texts.map(vectorOf)));
	/** Maximum number of requests that were in progress at the same time. */
	maxConcurrent = 0;
	#concurrent = 0;
	#url = '';

	static async start(t: Pick<ExecutionContext, 'teardown'>): Promise<EmbeddingServer> {
		const embedding = new EmbeddingServer();
		const server = createServer(async (request, response) => {
			embedding.maxConcurrent = Math.max(embedding.maxConcurrent, ++embedding.#concurrent);
			let body = '';
			for await (const chunk of request) {
				body += String(chunk);
			}
			const texts = JSON.parse(body) as string[];
			const logged = {texts, at: performance.now(), isAborted: false};
			embedding.requests.push(logged);
			response.on('close', () => {
				embedding.#concurrent--;
				logged.isAborted = !response.writableFinished;
			});
			(embedding.responses.shift() ?? embedding.respond)(response, texts);
		});
		// By default, the server closes a connection that is idle for 5 seconds. If the process is suspended for longer, the next request
		// would fail.
		server.keepAliveTimeout = 0;
		server.listen(0, '127.0.0.1');
		await once(server, 'listening');
		embedding.#url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
		t.teardown(() => {
			server.closeAllConnections();
			server.close();
		});
		return embedding;
	}

	/** Sends texts to the server, as the documentation of `createEncoder` shows. */
	readonly embed: EmbedFunction = async (texts, {signal}) => {
		const response = await fetch(this.#url, {method: 'POST', body: JSON.stringify(texts), signal});
		if (!response.ok) {
			throw Object.assign(new Error(await response.text()), {status: response.status, headers: response.headers});
		}
		return (await response.json()) as number[][];
	};

	/** All texts that were sent, in the order of arrival. */
	get texts(): string[] {
		return this.requests.flatMap(({texts}) => texts);
	}
}

/** Returns a function that responds with a status and headers. */
export function status(code: number, headers: Readonly<Record<string, string>> = {}): Respond {
	return response => response.writeHead(code, headers).end(`error ${code}`);
}

/** Returns a function that responds with this body. */
export function body(text: string): Respond {
	return response => response.end(text);
}

/** Closes the connection in the middle of the body. */
export const disconnect: Respond = response => {
	response.writeHead(200, {'content-length': 1000}).write('[');
	setTimeout(() => response.destroy(), 5);
};

/** Never responds. */
export const hang: Respond = () => {};
