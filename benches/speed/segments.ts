// Compares searches of a collection that was written in many commits, and so has many segments, with searches of the same collection
// after `optimize`: queries per second, and the recall of the nearest vectors. The documents are those of benches/collections.
import {cpSync, mkdtempSync, readFileSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {setTimeout as sleep} from 'node:timers/promises';
import {Collection} from '../../ts/collection/index.ts';
import type {CollectionSearchOptions} from '../../ts/collection/index.ts';
import {type BenchQuery, DIM, PRICES, nearest, prepareData} from '../collections/data.ts';
import {recallOf} from '../collections/measure.ts';
import {median} from '../qps/statistics/statistics.ts';
import type {Benchmark} from '../support/benchmark.ts';

/**
Number of documents. It is small because a BM25 index is searched on the thread pool if the files that searches read have more than 64 MiB
in total. With several times as many documents, the index with many segments would exceed that limit and the merged index would not, so the
benchmark would compare threads instead of segments.
*/
const DOCUMENTS = 50_000;
const DOCUMENTS_PER_COMMIT = 1000;
const QUERIES = 200;
const K = 10;
const ROUNDS = 11;
/** A search finds documents whose price is below one of these limits: all documents, or a tenth of them. */
const PRICE_LIMITS = [PRICES, PRICES / 10] as const;

export const segments: Benchmark = async say => {
	const data = prepareData(DOCUMENTS, QUERIES, say);
	const queries: readonly BenchQuery[] = JSON.parse(readFileSync(join(data, 'queries.json'), 'utf8'));
	const folder = mkdtempSync(join(tmpdir(), 'passagekit-segments-'));
	try {
		const [many, one] = [join(folder, 'many'), join(folder, 'one')];
		await load(data, many);
		cpSync(many, one, {recursive: true});
		await using merged = await Collection.open(one, {encoder: false});
		await merged.optimize();
		await using written = await Collection.open(many, {encoder: false});
		const collections = {'many segments': written, 'one segment': merged};
		const counts: Record<string, number> = {};
		for (const [name, collection] of Object.entries(collections)) {
			counts[name] = (await collection.stats()).segments;
			say(`${name}: ${counts[name]}`);
		}
		const figures: Record<string, number> = {};
		for (const limit of PRICE_LIMITS) {
			const truth = nearest(data, DOCUMENTS, limit, K, queries);
			for (const retriever of ['bm25', 'dense', 'hybrid'] as const) {
				const what = `${retriever}, ${(100 * limit) / PRICES}% match`;
				const options: CollectionSearchOptions = {retriever, k: K, ...(limit === PRICES ? {} : {filter: {price: {lt: limit}}})};
				const speeds: Record<string, number[]> = {};
				// The first round warms up. The collections alternate, so that other load on the machine affects both.
				for (let round = 0; round <= ROUNDS; round++) {
					for (const [name, collection] of Object.entries(collections)) {
						const began = performance.now();
						const found = await searchEach(collection, queries, options);
						const perSecond = (1000 * queries.length) / (performance.now() - began);
						if (round > 0) {
							(speeds[name] ??= []).push(perSecond);
						} else if (retriever === 'dense') {
							figures[`${what}, recall, ${name}`] = recallOf(found, truth);
						}
					}
				}
				for (const [name, values] of Object.entries(speeds)) {
					figures[`${what}, queries per second, ${name}`] = median(values);
				}
				const ratios = speeds['many segments']!.map((speed, round) => speed / speeds['one segment']![round]!);
				figures[`${what}, speed of many segments over one`] = median(ratios);
			}
		}
		for (const [name, value] of Object.entries(figures)) {
			say(`${name.padEnd(60)} ${value.toFixed(value > 10 ? 0 : 3)}`);
		}
		return {documents: DOCUMENTS, documentsPerCommit: DOCUMENTS_PER_COMMIT, dim: DIM, k: K, segments: counts, figures};
	} finally {
		rmSync(folder, {recursive: true, force: true});
	}
};

/** Writes the documents in commits, and waits until the graph has all vectors. */
async function load(data: string, folder: string): Promise<void> {
	const lines = readFileSync(join(data, 'documents.jsonl'), 'utf8').split('\n', DOCUMENTS);
	const bytes = readFileSync(join(data, 'vectors.f32'));
	const vectors = new Float32Array(bytes.buffer, bytes.byteOffset, DOCUMENTS * DIM);
	await using collection = await Collection.open(folder, {create: true, encoder: false, vectors: {dim: DIM}});
	for (let from = 0; from < DOCUMENTS; from += DOCUMENTS_PER_COMMIT) {
		await collection.add(
			lines.slice(from, from + DOCUMENTS_PER_COMMIT).map((line, i) => {
				const at = from + i;
				return {id: `d${at}`, ...JSON.parse(line), vector: vectors.subarray(at * DIM, (at + 1) * DIM)};
			}),
		);
		await collection.commit();
	}
	while ((await collection.stats()).pendingVectors > 0) {
		await sleep(100);
	}
	// This commits nothing, because there are no changes left. When the collection is closed after this, it saves the graph that was
	// completed in the background.
	await collection.commit();
}

/** Runs the queries one by one, and returns the ids of the documents that each query finds. */
async function searchEach(collection: Collection, queries: readonly BenchQuery[], options: CollectionSearchOptions): Promise<string[][]> {
	const found: string[][] = [];
	for (const {text, vector} of queries) {
		const {hits} = await collection.search(text, options.retriever === 'bm25' ? options : {...options, vector});
		found.push(hits.map(({document}) => document));
	}
	return found;
}
