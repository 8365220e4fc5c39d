/** A TCP proxy in front of one node, with which tests cut the node off from the others, or make it slow to reach. */
import {type AddressInfo, type Server, type Socket, connect, createServer} from 'node:net';
import {once} from 'node:events';

/** Forwards connections to a port on loopback until the connections are cut. */
export class Proxy {
	readonly #server: Server;
	readonly #sockets = new Set<Socket>();
	#isCut = false;
	#latencyMs = 0;
	#delayedCount = 0;

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
				this.#forward(socket, other);
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

	/** Delays all data by this number of milliseconds, in both directions. */
	slow(latencyMs: number): void {
		this.#latencyMs = latencyMs;
	}

	/** Number of chunks of data that were delayed. */
	get delayedCount(): number {
		return this.#delayedCount;
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

	/** Writes the data of one socket to the other, in order, each chunk when its delay is over. */
	#forward(from: Socket, to: Socket): void {
		const chunks: Array<{readonly chunk: Buffer | undefined; readonly due: number}> = [];
		let timer: NodeJS.Timeout | undefined;
		const send = (): void => {
			timer = undefined;
			while (chunks[0] !== undefined && chunks[0].due <= Date.now()) {
				const {chunk} = chunks.shift()!;
				if (chunk === undefined) {
					to.end();
				} else {
					to.write(chunk);
				}
			}
			if (chunks[0] !== undefined) {
				timer = setTimeout(send, chunks[0].due - Date.now());
			}
		};
		const add = (chunk: Buffer | undefined): void => {
			this.#delayedCount += this.#latencyMs > 0 ? 1 : 0;
			chunks.push({chunk, due: Date.now() + this.#latencyMs});
			if (timer === undefined) {
				send();
			}
		};
		from.on('data', add);
		from.on('end', () => add(undefined));
	}

	#end(): void {
		for (const socket of this.#sockets) {
			socket.destroy();
		}
	}
}
