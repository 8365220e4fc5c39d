/** A TCP proxy in front of one node, with which tests cut the node off from the others. */
import {type AddressInfo, type Server, type Socket, connect, createServer} from 'node:net';
import {once} from 'node:events';

/** Forwards connections to a port on loopback until the connections are cut. */
export class Proxy {
	readonly #server: Server;
	readonly #sockets = new Set<Socket>();
	#isCut = false;

	private constructor(target: number) {
		this.#server = createServer(incoming => {
			if (this.#isCut) {
				incoming.destroy();
				return;
			}
			const outgoing = connect(target, '127.0.0.1');
			for (const [socket, other] of [
				[incoming, outgoing],
				[outgoing, incoming],
			] as const) {
				this.#sockets.add(socket);
				socket.on('error', () => {});
				socket.on('close', () => {
					this.#sockets.delete(socket);
					other.destroy();
				});
				socket.pipe(other);
			}
		});
	}

	/** Starts a proxy for a port. */
	static async start(target: number): Promise<Proxy> {
		const proxy = new Proxy(target);
		proxy.#server.listen(0, '127.0.0.1');
		await once(proxy.#server, 'listening');
		return proxy;
	}

	get port(): number {
		return (this.#server.address() as AddressInfo).port;
	}

	/** Ends all connections, and refuses new ones until `restore`. */
	cut(): void {
		this.#isCut = true;
		this.#end();
	}

	restore(): void {
		this.#isCut = false;
	}

	close(): void {
		this.#server.close();
		this.#end();
	}

	#end(): void {
		for (const socket of this.#sockets) {
			socket.destroy();
		}
	}
}
