// Compares a collection in an OpenSearch cluster with an embedded one: passages added per second, bytes on disk, queries per second and
// latencies with several clients. The cluster is that of the tests: three nodes with 1 GiB of heap each, on this machine, without replicas. So
// the cluster, the client and the embedded collection share the cores; the figures show costs, not what a cluster can do.
import {mkdtempSync, readFileSync, readdirSync, rmSync, statSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {extname, join} from 'node:path';
import {setTimeout as sleep} from 'node:timers/promises';
import {median} from '../../ts/bench/statistics.ts';
import {Collection} from '../../ts/collection/index.ts';
import type {CollectionSearchOptions} from '../../ts/collection/index.ts';
import {OpenSearchCollection} from '../../ts/remote/index.ts';
import {Cluster} from '../../test/remote/cluster/cluster.ts';
import {engineVersion} from '../../test/remote/cluster/build.ts';
import {type BenchQuery, DIM, nearest, prepareData} from '../collections/data.ts';
import {recallOf} from '../collections/measure.ts';
import type {Benchmark} from '../support/benchmark.ts';

const PASSAGES = Number(process.env['PASSAGEKIT_REMOTE_PASSAGES'] ?? 100_000);
const QUERIES = 200;
const K = 10;
const CLIENTS = [1, 8, 64] as const;
/** How often each number of clients searches each collection, in turns, and for how many seconds. */
const ROUNDS = 3;
const SECONDS = 5;
/** The sizes are measured after each of these numbers of passages, to see whether the bytes per passage stay the same. */
const SLICES = [PASSAGES / 4, PASSAGES / 2, PASSAGES];

/** The files of an index, by what they hold. */
const kinds: Readonly<Record<string, string>> = {
	'.vec': 'vectors, 32-bit floats',
	'.veq': 'quantized codes',
	'.vex': 'graph',
	'.fdt': 'stored fields',
	'.dvd': 'columns',
	'.doc': 'inverted index',
	'.tim': 'inverted index',
	'.tip': 'inverted index',
	'.pos': 'inverted index',
};

type Report = (name: string, value: number) => void;

export const remote: Benchmark = async say => {
	const data = prepareData(PASSAGES, QUERIES, say);
	const queries: readonly BenchQuery[] = JSON.parse(readFileSync(join(data, 'queries.json'), 'utf8'));
	const truth = nearest(data, PASSAGES, Number.POSITIVE_INFINITY, K, queries);
	const folder = mkdtempSync(join(tmpdir(), 'passagekit-remote-bench-'));
	const cluster = await Cluster.start({}, ['-Xms1g', '-Xmx1g']);
	try {
		const settings = {encoder: false, vectors: {dim: DIM}, split: false} as const;
		const create = async (name: string, storage: 'f32' | 'int8Rescored') =>
			OpenSearchCollection.create(name, {url: cluster.urls, ...settings, vectors: {dim: DIM, storage}, shards: 3, replicas: 0});
		await using embedded = await Collection.open(join(folder, 'embedded'), {create: true, ...settings});
		await using distributed = await create('bench', 'f32');
		await using quantized = await create('bench-int8', 'int8Rescored');
		const remotes = {cluster: distributed, 'cluster with int8Rescored': quantized};
		const figures: Record<string, number> = {};
		const report: Report = (name, value) => {
			figures[name] = Number(value.toPrecision(4));
			say(`${name}: ${figures[name]}`);
		};
		let from = 0;
		for (const to of SLICES) {
			for (const [name, collection] of Object.entries({embedded, ...remotes})) {
				await untilIdle(cluster, embedded);
				const began = performance.now();
				await collection.add(documents(data, from, to));
				await (collection instanceof Collection ? collection.commit() : collection.refresh());
				report(`passages added per second up to ${to}, ${name}`, (1000 * (to - from)) / (performance.now() - began));
			}
			for (const [name, collection] of Object.entries(remotes)) {
				report(`bytes per passage at ${to}, ${name}`, await flushedSize(cluster, collection));
			}
			from = to;
		}
		for (const [name, collection] of Object.entries(remotes)) {
			await untilIdle(cluster, embedded);
			const began = performance.now();
			await collection.optimize();
			report(`seconds to merge, ${name}`, (performance.now() - began) / 1000);
			report(`bytes per passage after merging, ${name}`, await flushedSize(cluster, collection));
			for (const [kind, bytes] of await bytesByKind(cluster, collection)) {
				report(`bytes per passage after merging, ${name}, ${kind}`, bytes / PASSAGES);
			}
		}
		await untilIdle(cluster, embedded);
		await embedded.commit();
		for (const retriever of ['bm25', 'dense', 'hybrid'] as const) {
			const searched = {embedded, cluster: distributed, ...(retriever === 'dense' ? {'cluster with int8Rescored': quantized} : {})};
			for (const clients of CLIENTS) {
				await compare(searched, queries, {retriever, k: K}, clients, report);
			}
		}
		for (const [name, collection] of Object.entries({embedded, ...remotes})) {
			const found: string[][] = [];
			for (const {text, vector} of queries) {
				const {hits} = await collection.search(text, {retriever: 'dense', k: K, vector});
				found.push(hits.map(({document}) => document));
			}
			report(`dense, recall@${K}, ${name}`, recallOf(found, truth));
		}
		return {engine: `OpenSearch ${engineVersion}`, passages: PASSAGES, dim: DIM, figures};
	} finally {
		await cluster.stop();
		rmSync(folder, {recursive: true, force: true});
	}
};

/** Waits until no collection inserts vectors into its graph or merges segments in the background, so that what follows is measured alone. */
async function untilIdle(cluster: Cluster, embedded: Collection): Promise<void> {
	for (;;) {
		const {_all} = await cluster.request<{_all: {total: {merges?: {current: number}}}}>('/_stats/merge');
		if ((await embedded.stats()).pendingVectors === 0 && (_all.total.merges?.current ?? 0) === 0) {
			return;
		}
		await sleep(200);
	}
}

/** Writes what the cluster has in memory to disk, and returns the bytes per passage. */
async function flushedSize(cluster: Cluster, collection: OpenSearchCollection): Promise<number> {
	const {index} = await collection.stats();
	await cluster.request(`/${index}/_flush`, {});
	const {bytes, passages} = await collection.stats();
	return bytes / passages;
}

/** Returns the bytes of the files of an index, by what they hold. */
async function bytesByKind(cluster: Cluster, collection: OpenSearchCollection): Promise<Map<string, number>> {
	const {index} = await collection.stats();
	const [{uuid}] = await cluster.request<[{uuid: string}]>(`/_cat/indices/${index}?format=json&h=uuid`);
	const sizes = new Map<string, number>();
	for (const path of readdirSync(cluster.folder, {recursive: true, encoding: 'utf8'})) {
		if (path.includes(`/${uuid}/`) && path.includes('/index/')) {
			const kind = kinds[extname(path)] ?? 'other';
			sizes.set(kind, (sizes.get(kind) ?? 0) + statSync(join(cluster.folder, path)).size);
		}
	}
	return sizes;
}

/** Measures the searches of several collections in turns, and reports the median of the rounds. */
async function compare(
	collections: Readonly<Record<string, Collection | OpenSearchCollection>>,
	queries: readonly BenchQuery[],
	options: CollectionSearchOptions<never>,
	clients: number,
	report: Report,
): Promise<void> {
	const names = Object.keys(collections);
	const rounds = new Map<string, Load[]>(names.map(name => [name, []]));
	for (const collection of Object.values(collections)) {
		// The first seconds warm up the Java virtual machines.
		await load(collection, queries, options, clients, SECONDS / 2);
	}
	for (let round = 0; round < ROUNDS; round++) {
		for (const name of round % 2 === 0 ? names : names.toReversed()) {
			rounds.get(name)!.push(await load(collections[name]!, queries, options, clients, SECONDS));
		}
	}
	for (const [name, measured] of rounds) {
		const what = `${options.retriever}, ${clients} clients, ${name}`;
		report(`${what}, queries per second`, median(measured.map(({perSecond}) => perSecond)));
		report(`${what}, p50 in ms`, median(measured.map(({p50}) => p50)));
		report(`${what}, p99 in ms`, median(measured.map(({p99}) => p99)));
	}
}

/** Reads documents with their vectors. */
function* documents(data: string, from: number, to: number) {
	const lines = readFileSync(join(data, 'documents.jsonl'), 'utf8').split('\n', to);
	const bytes = readFileSync(join(data, 'vectors.f32'));
	const vectors = new Float32Array(bytes.buffer, bytes.byteOffset, to * DIM);
	for (let i = from; i < to; i++) {
		yield {id: `d${i}`, ...(JSON.parse(lines[i]!) as {text: string}), vector: vectors.subarray(i * DIM, (i + 1) * DIM)};
	}
}

/** Queries per second and percentiles of the latencies. */
interface Load {
	readonly perSecond: number;
	readonly p50: number;
	readonly p99: number;
}

/** Searches with several clients at the same time, each of which sends a query when its last one is answered. */
async function load(
	collection: Collection | OpenSearchCollection,
	queries: readonly BenchQuery[],
	options: CollectionSearchOptions<never>,
	clients: number,
	seconds: number,
): Promise<Load> {
	let next = 0;
	const latencies: number[] = [];
	const startedAt = performance.now();
	const client = async (): Promise<void> => {
		while (performance.now() < startedAt + 1000 * seconds) {
			const {text, vector} = queries[next++ % queries.length]!;
			const began = performance.now();
			await collection.search(text, options.retriever === 'bm25' ? options : {...options, vector});
			latencies.push(performance.now() - began);
		}
	};
	await Promise.all(Array.from({length: clients}, client));
	const took = (performance.now() - startedAt) / 1000;
	latencies.sort((a, b) => a - b);
	const at = (share: number): number => latencies[Math.min(latencies.length - 1, Math.floor(share * latencies.length))]!;
	return {perSecond: latencies.length / took, p50: at(0.5), p99: at(0.99)};
}
