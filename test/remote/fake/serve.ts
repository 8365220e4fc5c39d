/** Serves a cluster in memory over HTTP, for tests of the official client and of several nodes. */
import {once} from 'node:events';
import {type Server, createServer} from 'node:http';
import type {AddressInfo} from 'node:net';
import type {ExecutionContext} from 'ava';
import type {FakeCluster} from './fake-cluster.ts';

/** An answer that the node gives instead of the cluster. */
export interface OwnAnswer {
	readonly status: number;
	readonly body: unknown;
}

/**
Starts a node that passes requests to `cluster`, until the test ends. `own` is called with the path and the lines of each request: it returns
an answer, `null` to leave the request without an answer, or `undefined` to pass it on.
*/
export async function serve(
	t: ExecutionContext,
	cluster: FakeCluster,
	own: (path: string, lines: readonly string[]) => OwnAnswer | null | undefined,
): Promise<{readonly server: Server; readonly url: string}> {
	const server = createServer((incoming, response) => {
		const chunks: Buffer[] = [];
		incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
		incoming.on('end', () => {
			const [path = ''] = incoming.url!.split('?');
			const method = incoming.method!;
			const answer = (status: number, body: unknown): void => {
				response.writeHead(status, {'content-type': 'application/json'});
				response.end(method === 'HEAD' ? undefined : JSON.stringify(body));
			};
			const body = Buffer.concat(chunks).toString();
			const given = own(
				path,
				body.split('\n').filter(line => line !== ''),
			);
			if (given !== undefined) {
				if (given !== null) {
					answer(given.status, given.body);
				}
				return;
			}
			const request = {method, path, ...(body === '' ? {} : {body})};
			Promise.resolve(cluster.transport.request(request)).then(
				({body: result}) => answer(method === 'HEAD' && result !== true ? 404 : 200, result),
				(error: unknown) => answer(500, {error: {type: 'test_exception', reason: String(error)}}),
			);
		});
	});
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	t.teardown(() => {
		server.closeAllConnections();
		server.close();
	});
	return {server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`};
}
