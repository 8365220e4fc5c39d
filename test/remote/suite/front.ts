/** A server in front of a node, for what the nodes of the test cluster do not have: encryption, passwords, and other kinds of answers. */
import {execFile} from 'node:child_process';
import {once} from 'node:events';
import {mkdtemp, readFile, rm} from 'node:fs/promises';
import {type IncomingMessage, type ServerResponse, createServer, request} from 'node:http';
import {createServer as createTlsServer} from 'node:https';
import type {AddressInfo} from 'node:net';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {promisify} from 'node:util';
import type {ExecutionContext} from 'ava';
import {jdkTool} from '../cluster/build.ts';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** A certificate that no authority signed, with the PKCS #12 archive that a server needs. */
export interface Certificate {
	readonly pem: string;
	readonly archive: Buffer;
}

/** Makes a certificate of 127.0.0.1 with the keytool of the JDK. */
export async function certificate(): Promise<Certificate> {
	const folder = await mkdtemp(join(tmpdir(), 'passagekit-certificate-'));
	try {
		const run = promisify(execFile);
		const store = ['-alias', 'node', '-keystore', join(folder, 'node.p12'), '-storepass', 'password'];
		const subject = ['-dname', 'CN=127.0.0.1', '-ext', 'SAN=IP:127.0.0.1', '-keyalg', 'RSA', '-validity', '2'];
		await run(jdkTool('keytool'), ['-genkeypair', '-storetype', 'PKCS12', ...store, ...subject]);
		await run(jdkTool('keytool'), ['-exportcert', '-rfc', '-file', join(folder, 'node.pem'), ...store]);
		return {pem: await readFile(join(folder, 'node.pem'), 'utf8'), archive: await readFile(join(folder, 'node.p12'))};
	} finally {
		await rm(folder, {recursive: true, force: true});
	}
}

/** Starts a server until the end of the test, and returns its address. */
export async function serve(t: ExecutionContext, handler: Handler, encryption?: Certificate): Promise<string> {
	const server =
		encryption === undefined ? createServer(handler) : createTlsServer({pfx: encryption.archive, passphrase: 'password'}, handler);
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	t.teardown(() => {
		server.closeAllConnections();
		server.close();
	});
	return `${encryption === undefined ? 'http' : 'https'}://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Returns a handler that passes requests with an accepted authorization to a node, and refuses the others as a cluster would. */
export function forwarding(url: string, accepts: (headers: IncomingMessage['headers']) => boolean): Handler {
	return (incoming, response) => {
		if (!accepts(incoming.headers)) {
			response.writeHead(401, {'content-type': 'text/plain'}).end('Unauthorized');
			return;
		}
		const {method, headers} = incoming;
		const outgoing = request(new URL(incoming.url!, url), {method, headers}, answer => {
			response.writeHead(answer.statusCode!, answer.headers);
			answer.pipe(response);
		});
		outgoing.on('error', () => response.destroy());
		incoming.pipe(outgoing);
	};
}

/** Returns a handler that always sends this JSON. */
export function answering(body: unknown, status = 200): Handler {
	return (_, response) => {
		response.writeHead(status, {'content-type': 'application/json'}).end(JSON.stringify(body));
	};
}
