/**
A real OpenSearch cluster of three nodes on loopback. The nodes reach each other through proxies, so that a test can cut one of them off. A
node ends when its standard input is closed, which happens at the latest when the test process ends. A node that was stopped (SIGSTOP) does
not notice that, so all nodes are also killed when the test process exits.
*/
import {type ChildProcess, spawn} from 'node:child_process';
import {once} from 'node:events';
import {openSync, readFileSync} from 'node:fs';
import {mkdtemp, rm} from 'node:fs/promises';
import {type AddressInfo, createServer} from 'node:net';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {setTimeout as delay} from 'node:timers/promises';
import {classPath, java} from './build.ts';
import {Proxy} from './proxy.ts';

/** How long a cluster may take to start or to recover. On a busy machine with two cores, a start takes about a minute. */
const DEADLINE_MS = 150_000;
const NODES = 3;

/** The settings that all nodes have: failed nodes are noticed within about two seconds, so that tests of failures are short. */
const commonSettings: Readonly<Record<string, string>> = {
	'cluster.name': 'passagekit-test',
	'network.host': '127.0.0.1',
	'cluster.fault_detection.follower_check.interval': '500ms',
	'cluster.fault_detection.follower_check.timeout': '1s',
	'cluster.fault_detection.follower_check.retry_count': '2',
	'cluster.fault_detection.leader_check.interval': '500ms',
	'cluster.fault_detection.leader_check.timeout': '1s',
	'cluster.fault_detection.leader_check.retry_count': '2',
	'cluster.publish.timeout': '5s',
	'cluster.follower_lag.timeout': '5s',
	'cluster.routing.allocation.disk.threshold_enabled': 'false',
	'discovery.probe.handshake_timeout': '3s',
};

/** The options of the Java virtual machines for tests: little memory, and a quick start. */
const testJvmOptions: readonly string[] = ['-Xms512m', '-Xmx512m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1'];

interface Node {
	readonly name: string;
	readonly http: number;
	readonly transport: number;
	readonly proxy: Proxy;
	child: ChildProcess | undefined;
}

/** The processes of all nodes that run. */
const running = new Set<ChildProcess>();
process.on('exit', () => {
	for (const child of running) {
		child.kill('SIGKILL');
	}
});

/** An open cluster. */
export class Cluster {
	readonly #folder: string;
	readonly #classPath: string;
	readonly #settings: Readonly<Record<string, string>>;
	readonly #jvmOptions: readonly string[];
	readonly #nodes: readonly Node[];

	private constructor(
		folder: string,
		classes: string,
		nodes: readonly Node[],
		settings: Readonly<Record<string, string>>,
		jvmOptions: readonly string[],
	) {
		this.#folder = folder;
		this.#classPath = classes;
		this.#nodes = nodes;
		this.#settings = settings;
		this.#jvmOptions = jvmOptions;
	}

	/**
	Starts the nodes and waits until they have found each other. `settings` are added to those of all nodes; `jvmOptions` has the options of their
	Java virtual machines.
	*/
	static async start(settings: Readonly<Record<string, string>> = {}, jvmOptions: readonly string[] = testJvmOptions): Promise<Cluster> {
		const classes = await classPath();
		const folder = await mkdtemp(join(tmpdir(), 'passagekit-cluster-'));
		const ports = await freePorts(2 * NODES);
		const nodes: Node[] = [];
		for (let i = 0; i < NODES; i++) {
			const [http, transport] = ports.slice(2 * i, 2 * i + 2) as [number, number];
			nodes.push({name: `n${i + 1}`, http, transport, proxy: await Proxy.start(transport), child: undefined});
		}
		const cluster = new Cluster(folder, classes, nodes, {...commonSettings, ...settings}, jvmOptions);
		try {
			for (let i = 0; i < NODES; i++) {
				cluster.start(i);
			}
			await cluster.waitForNodes(NODES);
			// By default, the shards of a lost node are allocated again after a minute, and global checkpoints and retention leases are synchronized
			// every 30 seconds. `optimize` waits for that, because merges keep deleted documents until then.
			const template = {
				settings: {
					'index.unassigned.node_left.delayed_timeout': '0',
					'index.soft_deletes.retention_lease.sync_interval': '1s',
					'index.global_checkpoint_sync.interval': '1s',
				},
			};
			const {error} = await cluster.request<{readonly error?: unknown}>('/_index_template/test', {index_patterns: ['*'], template}, 'PUT');
			if (error !== undefined) {
				throw new Error(`expected the template to be accepted, got ${JSON.stringify(error)}`);
			}
		} catch (error) {
			const logs = nodes.map(({name}) => `${name}: ${endOf(join(folder, `${name}.log`))}`).join('\n');
			await cluster.stop();
			throw new Error(`the test cluster did not start: ${logs}`, {cause: error});
		}
		return cluster;
	}

	/** The addresses of the nodes. */
	get urls(): string[] {
		return this.#nodes.map(({http}) => `http://127.0.0.1:${http}`);
	}

	/** The folder with the data of all nodes. */
	get folder(): string {
		return this.#folder;
	}

	/** The names of the nodes, in the order of `urls`. */
	get names(): string[] {
		return this.#nodes.map(({name}) => name);
	}

	/** Starts a node that is not running. */
	start(i: number): void {
		const node = this.#nodes[i]!;
		const log = openSync(join(this.#folder, `${node.name}.log`), 'a');
		const settings = {
			...this.#settings,
			'path.home': join(this.#folder, node.name),
			'node.name': node.name,
			'http.port': String(node.http),
			'transport.port': String(node.transport),
			'transport.publish_port': String(node.proxy.port),
			'discovery.seed_hosts': this.#nodes.map(({proxy}) => `127.0.0.1:${proxy.port}`).join(','),
			'cluster.initial_cluster_manager_nodes': this.#nodes.map(({name}) => name).join(','),
		};
		node.child = spawn(
			java,
			[...this.#jvmOptions, '-cp', this.#classPath, 'TestNode', ...Object.entries(settings).map(([name, value]) => `${name}=${value}`)],
			{stdio: ['pipe', log, log]},
		);
		const {child} = node;
		running.add(child);
		child.on('exit', () => running.delete(child));
		// Writing to a node that was killed fails; its end is noticed elsewhere.
		node.child.stdin!.on('error', () => {});
	}

	/** Sends a signal to a node: SIGKILL to kill it, SIGSTOP to make it hang, SIGCONT to let it continue. */
	async signal(i: number, signal: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): Promise<void> {
		const {child} = this.#nodes[i]!;
		const exited = signal === 'SIGKILL' ? once(child!, 'exit') : undefined;
		child!.kill(signal);
		await exited;
	}

	/** The proxy through which the other nodes reach a node. */
	proxy(i: number): Proxy {
		return this.#nodes[i]!.proxy;
	}

	/** Requests a path from the first node that answers, and returns the parsed JSON. */
	async request<T>(path: string, body?: unknown, method = body === undefined ? 'GET' : 'POST'): Promise<T> {
		let failure: unknown;
		for (const url of this.urls) {
			try {
				const response = await fetch(`${url}${path}`, {
					method,
					signal: AbortSignal.timeout(10_000),
					...(body === undefined ? {} : {body: JSON.stringify(body), headers: {'content-type': 'application/json'}}),
				});
				return (await response.json()) as T;
			} catch (error) {
				failure = error;
			}
		}
		throw failure;
	}

	/**
	Waits until all running nodes agree that the cluster has this number of nodes, and that all copies of all shards are in use if `isGreen` is
	set. A node that was stopped or disconnected has an old state until it joins again.
	*/
	async waitForNodes(count: number, isGreen = false): Promise<void> {
		const until = Date.now() + DEADLINE_MS;
		// A test may have killed other nodes before.
		const alive = this.#nodes.flatMap(({child, name, http}) =>
			child !== undefined && !hasEnded(child) ? [{child, name, url: `http://127.0.0.1:${http}`}] : [],
		);
		for (;;) {
			const states = await Promise.all(alive.map(async ({url}) => this.#stateOf(url)));
			const isReady = states.every(
				state => state?.nodes === count && state.version === states[0]!.version && (!isGreen || state.status === 'green'),
			);
			if (isReady) {
				return;
			}
			const ended = alive.find(({child}) => hasEnded(child));
			if (ended !== undefined || Date.now() > until) {
				throw new Error(ended === undefined ? `no cluster of ${count} nodes in ${DEADLINE_MS} ms` : `${ended.name} ended`);
			}
			await delay(250);
		}
	}

	/** Returns the state of the cluster as one node knows it; `undefined` if it does not answer. */
	async #stateOf(url: string): Promise<{readonly nodes: number; readonly status: string; readonly version: number} | undefined> {
		const get = async (path: string): Promise<Record<string, unknown>> => {
			const response = await fetch(`${url}${path}`, {signal: AbortSignal.timeout(5000)});
			return (await response.json()) as Record<string, unknown>;
		};
		try {
			const health = await get('/_cluster/health?local=true');
			const {version} = await get('/_cluster/state/version?local=true');
			return {nodes: health['number_of_nodes'] as number, status: health['status'] as string, version: version as number};
		} catch {
			return undefined;
		}
	}

	/** Ends all nodes and removes their files. */
	async stop(): Promise<void> {
		for (const {child, proxy} of this.#nodes) {
			if (child !== undefined && !hasEnded(child)) {
				const exited = once(child, 'exit');
				// SIGKILL also ends a stopped process.
				child.kill('SIGKILL');
				await exited;
			}
			proxy.close();
		}
		await rm(this.#folder, {recursive: true, force: true});
	}
}

/** Whether a process exited, or was ended by a signal. */
function hasEnded({exitCode, signalCode}: ChildProcess): boolean {
	return exitCode !== null || signalCode !== null;
}

/** Returns the end of a log, or why it cannot be read, so that the nodes are stopped in any case. */
function endOf(log: string): string {
	try {
		return readFileSync(log, 'utf8').slice(-2000);
	} catch (error) {
		return (error as Error).message;
	}
}

/** Returns ports that no process uses now. */
async function freePorts(count: number): Promise<number[]> {
	const servers = await Promise.all(
		Array.from({length: count}, async () => {
			const server = createServer().listen(0, '127.0.0.1');
			await once(server, 'listening');
			return server;
		}),
	);
	const ports = servers.map(server => (server.address() as AddressInfo).port);
	for (const server of servers) {
		server.close();
		await once(server, 'close');
	}
	return ports;
}
