import {createHash} from 'node:crypto';
import {once} from 'node:events';
import {readFileSync} from 'node:fs';
import {type IncomingMessage, type Server, type ServerResponse, createServer} from 'node:http';
import type {AddressInfo} from 'node:net';
import {spawnSync} from 'node:child_process';

/** The `package.json` of a package, as far as the registry reads it. */
interface Manifest {
	readonly name: string;
	readonly version: string;
}

/** A local npm registry that serves tarballs. It knows no other packages. */
export class Registry {
	readonly #server: Server;
	readonly #packages: ReadonlyMap<string, {manifest: Manifest; tarball: Buffer}>;

	private constructor(tarballs: readonly string[]) {
		const packages = tarballs.map(path => {
			const {stdout} = spawnSync('tar', ['-xzOf', path, 'package/package.json'], {encoding: 'utf8', maxBuffer: 1 << 24});
			const manifest = JSON.parse(stdout) as Manifest;
			return [manifest.name, {manifest, tarball: readFileSync(path)}] as const;
		});
		this.#packages = new Map(packages);
		this.#server = createServer((request, response) => this.#answer(request, response));
	}

	/** Starts a registry on a free port of this machine. */
	static async start(tarballs: readonly string[]): Promise<Registry> {
		const registry = new Registry(tarballs);
		registry.#server.listen(0, '127.0.0.1');
		await once(registry.#server, 'listening');
		return registry;
	}

	get url(): string {
		return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
	}

	/** The names of the packages with the scope `@passagekit`. */
	get names(): readonly string[] {
		return [...this.#packages.keys()].filter(name => name.startsWith('@'));
	}

	close(): void {
		this.#server.close();
		this.#server.closeAllConnections();
	}

	/** Answers with a tarball, with the description of a package, or with status 404. */
	#answer({url = ''}: IncomingMessage, response: ServerResponse): void {
		const name = decodeURIComponent(url.slice(1)).replace(/\.tgz$/u, '');
		const found = this.#packages.get(name);
		if (found === undefined) {
			response.writeHead(404).end('{}');
		} else if (url.endsWith('.tgz')) {
			response.end(found.tarball);
		} else {
			const {manifest, tarball} = found;
			const integrity = `sha512-${createHash('sha512').update(tarball).digest('base64')}`;
			const dist = {tarball: `${this.url}${encodeURIComponent(name)}.tgz`, integrity};
			const versions = {[manifest.version]: {...manifest, dist}};
			response.setHeader('content-type', 'application/json');
			response.end(JSON.stringify({name, 'dist-tags': {latest: manifest.version}, versions}));
		}
	}
}
