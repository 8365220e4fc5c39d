// Compares a collection in an OpenSearch cluster with an embedded one: passages added per second, bytes on disk, queries per second and
// latencies with several clients. The cluster is that of the tests: three nodes with 512 MiB of heap each, on this machine, without
// replicas. So the cluster, the client and the embedded collection share the cores; the figures show costs, not what a cluster can do.
import {mkdtempSync, readFileSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {setTimeout as sleep} from 'node:timers/promises';
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
/** How long each number of clients searches. */
const SECONDS = 10;
/** The sizes are measured after each of these numbers of passages, to see whether the bytes per passage stay the same. */
const SLICES = [PASSAGES / 4, PASSAGES / 2, PASSAGES];

export const remote: Benchmark = async say => {
	const data = prepareData(PASSAGES, QUERIES, say);
	const queries: readonly BenchQuery[] = JSON.parse(readFileSync(join(data, 'queries.json'), 'utf8'));
	const truth = nearest(data, PASSAGES, Number.POSITIVE_INFINITY, K, queries);
	const folder = mkdtempSync(join(tmpdir(), 'passagekit-remote-bench-'));
	const cluster = await Cluster.start();
	try {
		const settings = {encoder: false, vectors: {dim: DIM}, split: false} as const;
		await using embedded = await Collection.open(join(folder, 'embedded'), {create: true, ...settings});
		await using distributed = await OpenSearchCollection.create('bench', {url: cluster.urls, ...settings, shards: 3, replicas: 0});
		const figures: Record<string, number> = {};
		const report = (name: string, value: number): void => {
			figures[name] = Number(value.toPrecision(4));
			say(`${name}: ${figures[name]}`);
		};
		let from = 0;
		for (const to of SLICES) {
			for (const [name, collection] of Object.entries({embedded, cluster: distributed})) {
				const began = performance.now();
				await collection.add(documents(data, from, to));
				await (collection instanceof Collection ? collection.commit() : collection.refresh());
				report(`passages added per second up to ${to}, ${name}`, (1000 * (to - from)) / (performance.now() - began));
			}
			await cluster.request('/bench/_flush', {});
			report(`bytes per passage at ${to}, cluster`, (await distributed.stats()).bytes / to);
			from = to;
		}
		const began = performance.now();
		await distributed.optimize();
		report('seconds to merge, cluster', (performance.now() - began) / 1000);
		await cluster.request('/bench/_flush', {});
		report('bytes per passage after merging, cluster', (await distributed.stats()).bytes / PASSAGES);
		while ((await embedded.stats()).pendingVectors > 0) {
			await sleep(100);
		}
		await embedded.commit();
		for (const retriever of ['bm25', 'dense', 'hybrid'] as const) {
			for (const [name, collection] of Object.entries({embedded, cluster: distributed})) {
				for (const clients of CLIENTS) {
					const {perSecond, p50, p99} = await load(collection, queries, {retriever, k: K}, clients);
					const what = `${retriever}, ${clients} clients, ${name}`;
					report(`${what}, queries per second`, perSecond);
					report(`${what}, p50 in ms`, p50);
					report(`${what}, p99 in ms`, p99);
				}
				if (retriever === 'dense') {
					const found: string[][] = [];
					for (const {text, vector} of queries) {
						const {hits} = await collection.search(text, {retriever, k: K, vector});
						found.push(hits.map(({document}) => document));
					}
					report(`dense, recall@${K}, ${name}`, recallOf(found, truth));
				}
			}
		}
		return {engine: `OpenSearch ${engineVersion}`, passages: PASSAGES, dim: DIM, figures};
	} finally {
		await cluster.stop();
		rmSync(folder, {recursive: true, force: true});
	}
};

/** Reads documents with their vectors. */
function* documents(data: string, from: number, to: number) {
	const lines = readFileSync(join(data, 'documents.jsonl'), 'utf8').split('\n', to);
	const bytes = readFileSync(join(data, 'vectors.f32'));
	const vectors = new Float32Array(bytes.buffer, bytes.byteOffset, to * DIM);
	for (let i = from; i < to; i++) {
		yield {id: `d${i}`, ...(JSON.parse(lines[i]!) as {text: string}), vector: vectors.subarray(i * DIM, (i + 1) * DIM)};
	}
}

/** Searches with several clients at the same time, each of which sends a query when its last one is answered. */
async function load(
	collection: Collection | OpenSearchCollection,
	queries: readonly BenchQuery[],
	options: CollectionSearchOptions<never>,
	clients: number,
): Promise<{readonly perSecond: number; readonly p50: number; readonly p99: number}> {
	let [next, end] = [0, Number.POSITIVE_INFINITY];
	let latencies: number[] = [];
	const client = async (): Promise<void> => {
		while (performance.now() < end) {
			const {text, vector} = queries[next++ % queries.length]!;
			const began = performance.now();
			await collection.search(text, options.retriever === 'bm25' ? options : {...options, vector});
			latencies.push(performance.now() - began);
		}
	};
	const run = async (seconds: number): Promise<number> => {
		latencies = [];
		const began = performance.now();
		end = began + 1000 * seconds;
		await Promise.all(Array.from({length: clients}, client));
		return (performance.now() - began) / 1000;
	};
	// The first seconds warm up the Java virtual machines.
	await run(SECONDS / 3);
	const seconds = await run(SECONDS);
	latencies.sort((a, b) => a - b);
	const at = (share: number): number => latencies[Math.min(latencies.length - 1, Math.floor(share * latencies.length))]!;
	return {perSecond: latencies.length / seconds, p50: at(0.5), p99: at(0.99)};
}
