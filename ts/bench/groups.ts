/** The workloads of the quick benchmark, grouped by their data: BM25, exact and HNSW search, and an encoder. */
import {readdir, stat} from 'node:fs/promises';
import {join} from 'node:path';
import {FlatIndex, type FlatStorage, HnswIndex} from '../dense/index.ts';
import {OnnxEncoder} from '../encoders/index.ts';
import {onPath} from '../core/file-system.ts';
import {Bm25Index} from '../sparse/index.ts';
import type {Hit, Passage, SearchOptions} from '../core/types.ts';
import {compareWithSingle, rowsOf, smallestEfSearch, verifyHits} from './checks.ts';
import {clusteredVectors, encyclopediaQuestions, generatedPassages} from './data.ts';
import type {Workload} from './measure.ts';

/** The result of a check of search results. */
export interface Check {
	/** What was checked, and the outcome, in words. */
	readonly what: string;
	readonly holds: boolean;
}

/** Workloads that share data, with the results of the checks that run before the timing. */
export interface Group {
	readonly name: string;
	/** A description of the data. */
	readonly over: string;
	/** The unit of rates: queries or texts per second. */
	readonly unit: 'queries' | 'texts';
	/** Build time in seconds, and size on disk in bytes. */
	readonly built?: {readonly seconds: number; readonly bytes: number};
	readonly checks: readonly Check[];
	readonly workloads: readonly Workload[];
	close(): Promise<void>;
}

/** Amounts of data, and the number and recall of the hits. */
export interface Sizes {
	/** Number of passages. */
	readonly passages: number;
	/** Number of vectors, and their dimension. */
	readonly vectors: number;
	readonly dim: number;
	/** Number of hits per query. */
	readonly k: number;
	/** Minimum recall of approximate search, from 0 to 1. */
	readonly recall: number;
}

/** Number of vector queries. */
const QUERIES = 500;
/** Number of questions that an encoder encodes one at a time, and of passages that it encodes in one call. */
const TEXTS = 64;
/** The parameter m of the HNSW graph: its default in `HnswIndex`. */
const M = 24;

/** Builds a BM25 index in `folder` and checks batch search against single searches. */
export async function bm25Group(folder: string, {passages, k}: Sizes, signal: AbortSignal | undefined): Promise<Group> {
	const queries = await encyclopediaQuestions();
	const generated: Passage[] = [];
	for await (const passage of generatedPassages(passages)) {
		generated.push(passage);
	}
	const began = performance.now();
	const index = await Bm25Index.build(folder, generated, {signal});
	const seconds = (performance.now() - began) / 1000;
	const hits = await index.searchMany(queries, {k, signal});
	const counts = await compareWithSingle(
		async i => index.search(queries[i]!.text, {k}),
		queries.map(({id}) => hits.get(id)!),
	);
	const batch = (threads: number) => async (): Promise<void> => {
		await index.searchMany(queries, {k, threads});
	};
	return {
		name: 'BM25',
		over: `${withCommas(passages)} passages of 100 words, ${withCommas(queries.length)} questions`,
		unit: 'queries',
		built: {seconds, bytes: await bytesOf(folder)},
		checks: [agreement(counts)],
		workloads: [
			oneByOne('one at a time', queries, async ({text}) => index.search(text, {k})),
			{name: 'in one call, one thread', count: queries.length, run: batch(1)},
			{name: 'in one call, all cores', count: queries.length, run: batch(0)},
		],
		close: async () => index.close(),
	};
}

/**
Creates groups for exact search with two storage formats, and for an HNSW index of the same vectors. The index files are written to
`folder`.
*/
export async function vectorGroups(
	folder: string,
	{vectors: rows, dim, k, recall: minRecall}: Sizes,
	signal: AbortSignal | undefined,
): Promise<Group[]> {
	const [vectors, queries] = [await clusteredVectors(rows, dim, 2), await clusteredVectors(QUERIES, dim, 3)];
	const ids = Array.from({length: rows}, (_, row) => String(row));
	const single = Array.from({length: QUERIES}, (_, query) => rowsOf(queries, query, 1).data);
	const over = `${withCommas(rows)} vectors of ${dim} numbers, ${withCommas(QUERIES)} queries`;
	const groups: Group[] = [];
	/** The hits of exact search without quantization. */
	let truth: Hit[][] = [];
	for (const [storage, name] of Object.entries({f32: 'Exact', int8Rescored: 'Exact, int8Rescored'}) as Array<[FlatStorage, string]>) {
		const index = new FlatIndex({dim, storage});
		const began = performance.now();
		await index.add(ids, vectors, {signal});
		const path = join(folder, `flat-${storage}`);
		await index.save(path, {signal});
		// Unlike that of HNSW below, this time includes saving.
		const seconds = (performance.now() - began) / 1000;
		const found = await index.searchMany(queries, {k, signal});
		truth = storage === 'f32' ? found : truth;
		const counts = await verifyHits(found, vectors, queries, k);
		groups.push({
			name,
			over,
			unit: 'queries',
			built: {seconds, bytes: (await onPath('open', path, async () => stat(path))).size},
			checks: [
				{
					what: `${counts.right} of ${counts.queries} queries have the hits of an exhaustive search in double precision`,
					holds: counts.right === counts.queries,
				},
			],
			workloads: searches(index, queries, single, {k}),
			close: async () => index.close(),
		});
	}
	const graph = new HnswIndex({dim, m: M});
	const began = performance.now();
	await graph.add(ids, vectors, {signal});
	const seconds = (performance.now() - began) / 1000;
	const path = join(folder, 'hnsw');
	await graph.save(path, {signal});
	const found = await smallestEfSearch(graph, queries, truth, {k, minRecall, signal});
	groups.push({
		name: 'HNSW',
		over: `${over}, m ${M}, efSearch ${found.efSearch}`,
		unit: 'queries',
		built: {seconds, bytes: (await onPath('open', path, async () => stat(path))).size},
		checks: [{what: `recall@${k} ${found.recall.toFixed(3)}, at least ${minRecall} expected`, holds: found.recall >= minRecall}],
		workloads: searches(graph, queries, single, {k, efSearch: found.efSearch}),
		close: async () => graph.close(),
	});
	return groups;
}

/** Loads an encoder and returns its group, which has no checks. */
export async function encodingGroup(model: string, signal: AbortSignal | undefined): Promise<Group> {
	const encoder = await OnnxEncoder.load(model, {signal});
	const questions = (await encyclopediaQuestions()).slice(0, TEXTS);
	const passages: Passage[] = [];
	for await (const passage of generatedPassages(TEXTS)) {
		passages.push(passage);
	}
	return {
		name: 'Encoding',
		over: `${model}, questions one at a time, ${TEXTS} passages of 100 words in one call`,
		unit: 'texts',
		checks: [],
		workloads: [
			oneByOne('questions, one at a time', questions, async ({text}) => encoder.encode([text])),
			{
				name: 'passages, in one call',
				count: TEXTS,
				async run() {
					await encoder.encode(passages);
				},
			},
		],
		close: async () => encoder[Symbol.asyncDispose](),
	};
}

/**
Returns the workloads of vector search: single searches, and batch searches on one thread and on all cores. `single` has the rows of
`queries`.
*/
function searches(
	index: FlatIndex | HnswIndex,
	queries: Parameters<FlatIndex['searchMany']>[0],
	single: readonly Float32Array[],
	options: SearchOptions & {readonly efSearch?: number},
): Workload[] {
	const batch = (threads: number) => async (): Promise<void> => {
		await index.searchMany(queries, {...options, threads});
	};
	return [
		oneByOne('one at a time', single, async query => index.search(query, options)),
		{name: 'in one call, one thread', count: queries.rows, run: batch(1)},
		{name: 'in one call, all cores', count: queries.rows, run: batch(0)},
	];
}

/** Returns a workload that processes items one after another. */
function oneByOne<T>(name: string, items: readonly T[], work: (item: T) => Promise<unknown>): Workload {
	return {
		name,
		count: items.length,
		async run(onItem) {
			for (const item of items) {
				await work(item);
				onItem();
			}
		},
	};
}

/** Reports whether batch search returned the hits of single searches. */
const agreement = ({queries, right}: {readonly queries: number; readonly right: number}): Check => ({
	what: `${right} of ${queries} queries have the same hits and scores one at a time and in one call`,
	holds: right === queries,
});

/** Returns the total size of the files in a folder. */
async function bytesOf(folder: string): Promise<number> {
	let sum = 0;
	for (const entry of await onPath('read', folder, async () => readdir(folder, {recursive: true, withFileTypes: true}))) {
		const path = join(entry.parentPath, entry.name);
		sum += entry.isFile() ? (await onPath('open', path, async () => stat(path))).size : 0;
	}
	return sum;
}

/** Formats a number with thousands separators. */
const withCommas = (count: number): string => count.toLocaleString('en');
