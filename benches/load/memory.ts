// Measures memory during long mixed work on data of constant size: BM25 writes, merges and searches, updates and searches of dense
// indexes, and questions to a collection with an encoder and a reader. If nothing leaks, memory stops growing after the first minutes.
// The means over the second, third and last quarters of the run then differ by no more than single samples do.
//
// Each sample has the resident memory of the process, the anonymous part of it (memory that is not mapped from a file), V8's heap, and array
// buffers.
//
// PASSAGEKIT_MEMORY_SECONDS (default 600) sets the duration.
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {setTimeout as sleep} from 'node:timers/promises';
import {setFlagsFromString} from 'node:v8';
import {runInNewContext} from 'node:vm';
import {Bm25Index, Bm25Writer, Collection, FlatIndex, HnswIndex, type Passage, encyclopedia} from '../../ts/index.ts';
import type {Benchmark} from '../support/benchmark.ts';

const SECONDS = Number(process.env['PASSAGEKIT_MEMORY_SECONDS'] ?? 600);
const SAMPLE_SECONDS = 10;
/** Number of passages in the BM25 index. */
const PASSAGES = 20_000;
/** Number of rows in each dense index. */
const ROWS = 10_000;
const DIM = 128;
const MIB = 2 ** 20;

/** Memory at one moment, in MiB, after a garbage collection. */
interface Sample {
	/** Time since the start of the benchmark. */
	readonly seconds: number;
	readonly resident: number;
	/** Resident memory that is not mapped from a file; 0 on operating systems other than Linux. */
	readonly anonymous: number;
	readonly v8Heap: number;
	readonly arrayBuffers: number;
}

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

export const memory: Benchmark = async say => {
	const folder = await mkdtemp(join(tmpdir(), 'passagekit-memory-'));
	const samples: Sample[] = [];
	/** Number of repetitions by the name of the operation. */
	const done: Record<string, number> = {};
	const began = performance.now();
	const seconds = (): number => (performance.now() - began) / 1000;
	/** Repeats an operation until `SECONDS` have passed, with a pause of `pause` milliseconds after each repetition. */
	const repeat = async (name: string, work: () => Promise<void>, pause: number): Promise<void> => {
		while (seconds() < SECONDS) {
			await work();
			done[name] = (done[name] ?? 0) + 1;
			await sleep(pause);
		}
	};
	try {
		const workloads = [
			await bm25Workload(join(folder, 'bm25')),
			await denseWorkload(join(folder, 'dense')),
			await questionWorkload(join(folder, 'collection')),
		];
		const operations = workloads.flatMap(workload => Object.entries(workload.operations));
		await Promise.all([
			// Searches are followed by a pause of 1 ms; the other operations, which take longer, by one of 20 ms.
			...operations.map(async ([name, work]) => repeat(name, work, name.startsWith('search') ? 1 : 20)),
			repeat(
				'sample',
				async () => {
					samples.push(takeSample(seconds()));
					say(formatted(samples.at(-1)!));
				},
				SAMPLE_SECONDS * 1000,
			),
		]);
		await Promise.all(workloads.map(async ({close}) => close()));
	} finally {
		await rm(folder, {recursive: true, force: true});
	}
	const quarters = [0, 1, 2, 3].map(quarter => means(samples.slice((samples.length * quarter) / 4, (samples.length * (quarter + 1)) / 4)));
	quarters.forEach((quarter, i) => say(`mean of quarter ${i + 1}: ${JSON.stringify(quarter)} MiB`));
	return {seconds: SECONDS, passages: PASSAGES, rows: ROWS, dim: DIM, done, meanMiBOfQuarters: quarters, samples};
};

/** Operations on one kind of index, or on a collection, which run concurrently. `close` closes it after all operations have ended. */
interface Workload {
	readonly operations: Readonly<Record<string, () => Promise<void>>>;
	readonly close: () => Promise<void> | void;
}

let state = 7;
/** Returns a random integer from 0 to `bound - 1`, from a linear congruential generator. */
function randomBelow(bound: number): number {
	state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
	return Math.floor((state / 2 ** 32) * bound);
}

/** Returns a passage of 40 random words. Calls with the same id return different texts. */
function passage(id: number): Passage {
	// Words from w0 to w1980. Squaring makes words with low numbers the most frequent.
	const words = Array.from({length: 40}, () => `w${Math.floor(randomBelow(200) ** 2 / 20)}`);
	return {
		id: `p${id}`,
		title: `title ${id % 100}`,
		text: words.join(' '),
		fields: {price: randomBelow(1000), group: `g${randomBelow(50)}`},
	};
}

/** Returns up to `count` different random integers from 0 to `bound - 1`. */
const distinct = (count: number, bound: number): number[] => [...new Set(Array.from({length: count}, () => randomBelow(bound)))];
/** Returns a query of three random words, the first of which has a low number and is therefore frequent. Some words are in no passage. */
const query = (): string => `w${randomBelow(100)} w${randomBelow(2000)} w${randomBelow(2000)}`;

/** Changes and searches a BM25 index. */
async function bm25Workload(path: string): Promise<Workload> {
	const all = Array.from({length: PASSAGES}, (_, id) => passage(id));
	const index = await Bm25Index.build(path, all);
	let writer = await Bm25Writer.open(path, {memoryBytes: 32e6});
	let commits = 0;
	return {
		operations: {
			async write() {
				await writer.update(distinct(200, PASSAGES).map(passage));
				const deleted = distinct(50, PASSAGES);
				await writer.delete(deleted.map(id => `p${id}`));
				await writer.add(deleted.map(passage));
				if (randomBelow(8) === 0) {
					await writer.rollback();
					return;
				}
				await writer.commit();
				commits++;
				if (commits % 20 === 0) {
					await writer.merge();
				}
				if (commits % 50 === 0) {
					await writer.close();
					writer = await Bm25Writer.open(path, {memoryBytes: 32e6});
				}
				await index.reload();
				assert.equal(index.size, PASSAGES);
			},
			async 'search BM25'() {
				const hits = await index.search(query(), {k: 10});
				await index.explain(query(), hits[0]?.id ?? 'p0');
			},
			async 'search BM25 with a filter'() {
				const from = randomBelow(900);
				await index.search(query(), {k: 10, filter: {range: {field: 'price', gte: from, lt: from + 100}}});
			},
			async 'search many BM25'() {
				const run = await index.searchMany(
					Array.from({length: 200}, (_, i) => ({id: `q${i}`, text: query()})),
					{k: 100},
				);
				assert.equal(run.get('q0') === undefined, false);
			},
		},
		async close() {
			await writer.close();
			index.close();
		},
	};
}

/** Changes and searches a flat index and an HNSW index, which have the same ids. */
async function denseWorkload(path: string): Promise<Workload> {
	const pool = Float32Array.from({length: 2 * ROWS * DIM}, () => randomBelow(1000) / 1000 - 0.5);
	/** Returns consecutive vectors of the pool, starting at a random position. */
	const vectors = (rows: number) => {
		const first = randomBelow(2 * ROWS - rows);
		return {data: pool.subarray(first * DIM, (first + rows) * DIM), rows, dim: DIM};
	};
	const names = (ids: readonly number[]): string[] => ids.map(id => `row-${id}`);
	const allIds = names(Array.from({length: ROWS}, (_, id) => id));
	let indexes: Array<FlatIndex | HnswIndex> = [new FlatIndex({dim: DIM, storage: 'int8Rescored'}), new HnswIndex({dim: DIM, m: 16})];
	for (const index of indexes) {
		await index.add(allIds, vectors(ROWS));
	}
	let rounds = 0;
	return {
		operations: {
			async 'change dense'() {
				rounds++;
				for (const [at, index] of indexes.entries()) {
					const ids = names(distinct(300, ROWS));
					await index.update(ids, vectors(ids.length));
					const deleted = names(distinct(100, ROWS));
					await index.delete(deleted);
					await index.add(deleted, vectors(deleted.length));
					// Compaction frees the memory of deleted rows.
					if (rounds % 10 === 0) {
						await index.compact();
					}
					if (rounds % 25 === 0) {
						await index.save(`${path}${at}`);
						const opened = await (at === 0 ? FlatIndex : HnswIndex).open(`${path}${at}`);
						indexes = indexes.with(at, opened);
						index.close();
					}
					assert.equal(indexes[at]!.size, ROWS);
				}
			},
			async 'search dense'() {
				for (const index of indexes) {
					await index.search(vectors(1).data, {k: 10}).catch(assertClosed);
				}
			},
			async 'search many dense'() {
				for (const index of indexes) {
					await index.searchMany(vectors(100), {k: 50}).catch(assertClosed);
				}
			},
		},
		close() {
			indexes.forEach(index => index.close());
		},
	};
}

/** Asserts that a search failed because its index was closed, after the saved index was opened in its place. */
function assertClosed(error: unknown): void {
	assert.equal((error as {code?: string}).code, 'ERR_CLOSED');
}

/** Searches a collection of the bundled encyclopedia, and asks it questions. */
async function questionWorkload(path: string): Promise<Workload> {
	const {articles, questions: readQuestions} = encyclopedia();
	const collection = await Collection.build(articles, path);
	const questions = await readQuestions('test');
	const hybrid = await collection.searcher('hybrid');
	return {
		operations: {
			async ask() {
				await collection.ask(questions[randomBelow(questions.length)]!.text, {passages: 5});
			},
			async 'search hybrid'() {
				await hybrid.search(questions[randomBelow(questions.length)]!.text, {k: 10});
			},
		},
		async close() {
			await collection.close();
		},
	};
}

/** Collects garbage, and measures memory. */
function takeSample(seconds: number): Sample {
	collectGarbage();
	const {rss, heapUsed, arrayBuffers} = process.memoryUsage();
	const status = process.platform === 'linux' ? readFileSync('/proc/self/status', 'utf8') : '';
	const anonymous = Number(/RssAnon:\s+(\d+)/u.exec(status)?.[1] ?? 0) * 1024;
	const inMib = (bytes: number): number => Math.round((bytes / MIB) * 10) / 10;
	return {
		seconds: Math.round(seconds),
		resident: inMib(rss),
		anonymous: inMib(anonymous),
		v8Heap: inMib(heapUsed),
		arrayBuffers: inMib(arrayBuffers),
	};
}

function formatted({seconds, resident, anonymous, v8Heap, arrayBuffers}: Sample): string {
	return `${String(seconds).padStart(5)} s  resident ${resident}  anonymous ${anonymous}  V8 ${v8Heap}  buffers ${arrayBuffers} MiB`;
}

/** Returns the means over the samples, in MiB, of all their quantities except array buffers. */
function means(samples: readonly Sample[]): Readonly<Record<string, number>> {
	const mean = (quantity: (sample: Sample) => number): number =>
		Math.round((samples.reduce((sum, sample) => sum + quantity(sample), 0) / samples.length) * 10) / 10;
	return {
		resident: mean(sample => sample.resident),
		anonymous: mean(sample => sample.anonymous),
		v8Heap: mean(sample => sample.v8Heap),
	};
}
