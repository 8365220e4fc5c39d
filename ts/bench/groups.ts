/** The groups of subjects that the quick benchmark times: each kind of index with its data, and an encoder. */
import {readdir, stat} from 'node:fs/promises';
import {join} from 'node:path';
import {FlatIndex, type FlatStorage, HnswIndex} from '../dense/index.ts';
import {OnnxEncoder} from '../encoders/index.ts';
import {onPath} from '../core/file-system.ts';
import {Bm25Index} from '../sparse/index.ts';
import type {Hit, Passage, SearchOptions} from '../core/types.ts';
import {borneOut, identical, leastEffort, rowsOf} from './checks.ts';
import {clusteredVectors, embeddedPassages, embeddedQuestions} from './embedded.ts';
import type {Subject} from './measure.ts';

export interface Check {
	readonly what: string;
	readonly holds: boolean;
}

/** Subjects that share data, with the results of the checks that run before the timing. */
export interface Group {
	readonly name: string;
	/** A description of the data. */
	readonly over: string;
	/** The unit that rates count. */
	readonly unit: 'queries' | 'texts';
	/** Build time in seconds, and size on disk in bytes. */
	readonly built?: {readonly seconds: number; readonly bytes: number};
	readonly checks: readonly Check[];
	readonly subjects: readonly Subject[];
	close(): Promise<void>;
}

export interface Sizes {
	readonly passages: number;
	readonly vectors: number;
	readonly dim: number;
	readonly k: number;
	/** Recall that approximate search must reach. */
	readonly recall: number;
}

/** Number of vector queries. */
const QUERIES = 500;
/** Number of texts that an encoder encodes in one call. */
const TEXTS = 64;
/** Number of neighbors per node, the default of `HnswIndex`. */
const M = 24;

export async function bm25Group(folder: string, {passages, k}: Sizes, signal: AbortSignal | undefined): Promise<Group> {
	const queries = await embeddedQuestions();
	const made: Passage[] = [];
	for await (const passage of embeddedPassages(passages)) {
		made.push(passage);
	}
	const began = performance.now();
	const index = await Bm25Index.build(folder, made, {signal});
	const seconds = (performance.now() - began) / 1000;
	const many = await index.searchMany(queries, {k, signal});
	const same = await identical(
		async i => index.search(queries[i]!.text, {k}),
		queries.map(({id}) => many.get(id)!),
	);
	const batch = (threads: number) => async (): Promise<void> => {
		await index.searchMany(queries, {k, threads});
	};
	return {
		name: 'BM25',
		over: `${grouped(passages)} passages of 100 words, ${grouped(queries.length)} questions`,
		unit: 'queries',
		built: {seconds, bytes: await bytesOf(folder)},
		checks: [agreement(same)],
		subjects: [
			each('one at a time', queries, async ({text}) => index.search(text, {k})),
			{name: 'in one call, one thread', count: queries.length, pass: batch(1)},
			{name: 'in one call, all cores', count: queries.length, pass: batch(0)},
		],
		close: async () => index.close(),
	};
}

/** Creates the groups for exact search with two storages, and for an HNSW graph of the same vectors. */
export async function vectorGroups(
	folder: string,
	{vectors: rows, dim, k, recall: wanted}: Sizes,
	signal: AbortSignal | undefined,
): Promise<Group[]> {
	const [vectors, queries] = [await clusteredVectors(rows, dim, 2), await clusteredVectors(QUERIES, dim, 3)];
	const ids = Array.from({length: rows}, (_, row) => String(row));
	const one = Array.from({length: QUERIES}, (_, query) => rowsOf(queries, query, 1).data);
	const over = `${grouped(rows)} vectors of ${dim} numbers, ${grouped(QUERIES)} queries`;
	const groups: Group[] = [];
	let truth: Hit[][] = [];
	for (const [storage, name] of Object.entries({f32: 'Exact', int8Filtered: 'Exact, int8Filtered'}) as Array<[FlatStorage, string]>) {
		const index = new FlatIndex({dim, storage});
		const began = performance.now();
		await index.add(ids, vectors, {signal});
		const path = join(folder, `flat-${storage}`);
		await index.save(path, {signal});
		const seconds = (performance.now() - began) / 1000;
		const found = await index.searchMany(queries, {k, signal});
		truth = storage === 'f32' ? found : truth;
		const right = await borneOut(found, vectors, queries);
		groups.push({
			name,
			over,
			unit: 'queries',
			built: {seconds, bytes: (await onPath('open', path, async () => stat(path))).size},
			checks: [
				{
					what: `${right.right} of ${right.queries} queries have the hits of an exhaustive search in double precision`,
					holds: right.right === right.queries,
				},
			],
			subjects: searches(index, queries, one, {k}),
			close: async () => index.close(),
		});
	}
	const graph = new HnswIndex({dim, m: M});
	const began = performance.now();
	await graph.add(ids, vectors, {signal});
	const seconds = (performance.now() - began) / 1000;
	const path = join(folder, 'hnsw');
	await graph.save(path, {signal});
	const found = await leastEffort(graph, queries, truth, {k, wanted, signal});
	groups.push({
		name: 'HNSW',
		over: `${over}, m ${M}, efSearch ${found.efSearch}`,
		unit: 'queries',
		built: {seconds, bytes: (await onPath('open', path, async () => stat(path))).size},
		checks: [{what: `recall@${k} ${found.recall.toFixed(3)}, ${wanted} wanted`, holds: found.recall >= wanted}],
		subjects: searches(graph, queries, one, {k, efSearch: found.efSearch}),
		close: async () => graph.close(),
	});
	return groups;
}

export async function encodingGroup(model: string, signal: AbortSignal | undefined): Promise<Group> {
	const encoder = await OnnxEncoder.load(model, {signal});
	const questions = (await embeddedQuestions()).slice(0, TEXTS);
	const passages: Passage[] = [];
	for await (const passage of embeddedPassages(TEXTS)) {
		passages.push(passage);
	}
	return {
		name: 'Encoding',
		over: `${model}, questions one at a time, ${TEXTS} passages of 100 words in one call`,
		unit: 'texts',
		checks: [],
		subjects: [
			each('questions, one at a time', questions, async ({text}) => encoder.encode([text])),
			{
				name: 'passages, in one call',
				count: TEXTS,
				async pass() {
					await encoder.encode(passages);
				},
			},
		],
		close: async () => encoder[Symbol.asyncDispose](),
	};
}

function searches(
	index: FlatIndex | HnswIndex,
	queries: Parameters<FlatIndex['searchMany']>[0],
	one: readonly Float32Array[],
	options: SearchOptions & {readonly efSearch?: number},
): Subject[] {
	const batch = (threads: number) => async (): Promise<void> => {
		await index.searchMany(queries, {...options, threads});
	};
	return [
		each('one at a time', one, async query => index.search(query, options)),
		{name: 'in one call, one thread', count: queries.rows, pass: batch(1)},
		{name: 'in one call, all cores', count: queries.rows, pass: batch(0)},
	];
}

function each<T>(name: string, items: readonly T[], work: (item: T) => Promise<unknown>): Subject {
	return {
		name,
		count: items.length,
		async pass(lap) {
			for (const item of items) {
				await work(item);
				lap();
			}
		},
	};
}

const agreement = ({queries, right}: {readonly queries: number; readonly right: number}): Check => ({
	what: `${right} of ${queries} queries have the same hits and scores one at a time and in one call`,
	holds: right === queries,
});

async function bytesOf(folder: string): Promise<number> {
	let sum = 0;
	for (const entry of await onPath('read', folder, async () => readdir(folder, {recursive: true, withFileTypes: true}))) {
		const path = join(entry.parentPath, entry.name);
		sum += entry.isFile() ? (await onPath('open', path, async () => stat(path))).size : 0;
	}
	return sum;
}

const grouped = (count: number): string => count.toLocaleString('en');
