// Measures the time of calls from JavaScript on the bundled encyclopedia: the time of one awaited search, encoding or answer; the time of a
// batch search for all questions, divided by the number of questions ("a query of a batch"); and the answers per second if eight questions are
// asked at a time.
import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {Collection} from '../../ts/collection/index.ts';
import {encyclopedia} from '../../ts/corpus/index.ts';
import type {Benchmark} from '../support/benchmark.ts';

const ROUNDS = 5;
/** Number of questions to answer. Answers take much longer than searches, so these are only some of the questions, and one round. */
const NUM_ASKED = 64;
/** Number of calls of `ask` at the same time. */
const NUM_CONCURRENT = 8;

export const latency: Benchmark = async say => {
	const folder = await mkdtemp(join(tmpdir(), 'passagekit-latency-'));
	try {
		const {articles, questions} = encyclopedia();
		await using collection = await Collection.build(articles, join(folder, 'index'));
		const queries = [...(await questions('train')), ...(await questions('dev')), ...(await questions('test'))];
		const encoder = await collection.encoder();
		const vectors = await encoder.encode(
			queries.map(({text}) => text),
			// Encodes each question on its own, as a single call does.
			{batchTokens: 1},
		);
		const vector = (i: number): Float32Array => vectors.data.subarray(i * vectors.dim, (i + 1) * vectors.dim);
		const [flat, hnsw] = [await collection.flat(), await collection.hnsw()];
		const singleCalls: Record<string, (i: number) => Promise<unknown>> = {
			'BM25, one search': async i => collection.bm25.search(queries[i]!.text, {k: 10}),
			'flat, one search': async i => flat.search(vector(i), {k: 10}),
			'HNSW, one search': async i => hnsw.search(vector(i), {k: 10}),
			'encode one question': async i => encoder.encode([queries[i]!.text]),
		};
		const batchCalls: Record<string, () => Promise<unknown>> = {
			'BM25, a query of a batch': async () => collection.bm25.searchMany(queries, {k: 10}),
			'flat, a query of a batch': async () => flat.searchMany(vectors, {k: 10}),
			'HNSW, a query of a batch': async () => hnsw.searchMany(vectors, {k: 10}),
		};
		const figures: Record<string, number> = {};
		for (const [name, call] of Object.entries(singleCalls)) {
			const times: number[] = [];
			for (let round = 0; round < ROUNDS; round++) {
				for (let i = 0; i < queries.length; i++) {
					const began = performance.now();
					await call(i);
					times.push((performance.now() - began) * 1000);
				}
			}
			figures[`${name}, median µs`] = median(times);
		}
		for (const [name, call] of Object.entries(batchCalls)) {
			const times: number[] = [];
			for (let round = 0; round < ROUNDS; round++) {
				const began = performance.now();
				await call();
				times.push(((performance.now() - began) * 1000) / queries.length);
			}
			figures[`${name}, median µs`] = median(times);
		}
		const asked = queries.filter((_, i) => i % Math.floor(queries.length / NUM_ASKED) === 0).slice(0, NUM_ASKED);
		// The first call loads the models.
		await collection.ask(asked[0]!.text);
		const times: number[] = [];
		for (const {text} of asked) {
			const began = performance.now();
			await collection.ask(text);
			times.push(performance.now() - began);
		}
		figures['answer one question, median ms'] = median(times);
		const remaining = asked.values();
		const began = performance.now();
		await Promise.all(
			Array.from({length: NUM_CONCURRENT}, async () => {
				for (const {text} of remaining) {
					await collection.ask(text);
				}
			}),
		);
		figures[`answers to ${NUM_CONCURRENT} questions at a time, per second`] = (asked.length * 1000) / (performance.now() - began);
		for (const [name, value] of Object.entries(figures)) {
			say(`${name.padEnd(40)} ${value.toFixed(1)}`);
		}
		return {passages: collection.manifest.passages, queries: queries.length, asked: asked.length, figures};
	} finally {
		await rm(folder, {recursive: true, force: true});
	}
};

function median(values: readonly number[]): number {
	const sorted = values.toSorted((a, b) => a - b);
	return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
