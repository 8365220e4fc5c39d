// Measures memory under a long mixed load on data of constant size: BM25 writes, merges and searches, updates and searches of
// dense indexes, and questions to a collection with encoder and reader. Memory must not keep growing after the first minutes.
// Every sample breaks memory down by owner: V8, the addon's allocator (its own statistics), and mapped files.
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
import {Bm25Index, Bm25Writer, Collection, FlatIndex, HnswIndex, type Passage, encyclopedia} from '../ts/index.ts';
import {native} from '../ts/core/native/native.ts';
import type {Benchmark} from './benchmark.ts';

const SECONDS = Number(process.env['PASSAGEKIT_MEMORY_SECONDS'] ?? 600);
const SAMPLE_SECONDS = 10;
const PASSAGES = 20_000;
const ROWS = 10_000;
const DIM = 128;
const MIB = 2 ** 20;

/** Memory at one moment, in MiB, after a garbage collection. */
interface Sample {
	readonly seconds: number;
	readonly resident: number;
	/** Resident memory that is not backed by a file. */
	readonly anonymous: number;
	readonly v8Heap: number;
	readonly arrayBuffers: number;
	/** Memory that the addon's allocator has committed from the system. */
	readonly addon: number;
}

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

export const memory: Benchmark = async say => {
	const folder = await mkdtemp(join(tmpdir(), 'passagekit-memory-'));
	const samples: Sample[] = [];
	const done: Record<string, number> = {};
	const began = performance.now();
	const seconds = (): number => (performance.now() - began) / 1000;
	/** Repeats work until the time is over. */
	const loop = async (name: string, work: () => Promise<void>, pause = 0): Promise<void> => {
		while (seconds() < SECONDS) {
			await work();
			done[name] = (done[name] ?? 0) + 1;
			await sleep(pause);
		}
	};
	try {
		const load = [await bm25(join(folder, 'bm25')), await dense(join(folder, 'dense')), await questions(join(folder, 'collection'))];
		const works = load.flatMap(({works: named}) => Object.entries(named));
		await Promise.all([
			...works.map(async ([name, work]) => loop(name, work, name.startsWith('search') ? 1 : 20)),
			loop(
				'sample',
				async () => {
					samples.push(sample(seconds()));
					say(shown(samples.at(-1)!));
				},
				SAMPLE_SECONDS * 1000,
			),
		]);
		await Promise.all(load.map(async ({close}) => close()));
	} finally {
		await rm(folder, {recursive: true, force: true});
	}
	const quarters = [0, 1, 2, 3].map(quarter => means(samples.slice((samples.length * quarter) / 4, (samples.length * (quarter + 1)) / 4)));
	quarters.forEach((quarter, at) => say(`mean of quarter ${at + 1}: ${JSON.stringify(quarter)} MiB`));
	return {seconds: SECONDS, passages: PASSAGES, rows: ROWS, dim: DIM, done, meanMiBOfQuarters: quarters, samples};
};

interface Load {
	readonly works: Readonly<Record<string, () => Promise<void>>>;
	readonly close: () => Promise<void> | void;
}

let state = 7;
function roll(sides: number): number {
	state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
	return Math.floor((state / 2 ** 32) * sides);
}

function passage(id: number): Passage {
	const words = Array.from({length: 40}, () => `w${Math.floor(roll(200) ** 2 / 20)}`);
	return {id: `p${id}`, title: `title ${id % 100}`, text: words.join(' '), fields: {price: roll(1000), group: `g${roll(50)}`}};
}

const some = (count: number, sides: number): number[] => [...new Set(Array.from({length: count}, () => roll(sides)))];
const query = (): string => `w${roll(100)} w${roll(2000)} w${roll(2000)}`;

async function bm25(path: string): Promise<Load> {
	const all = Array.from({length: PASSAGES}, (_, id) => passage(id));
	const index = await Bm25Index.build(path, all);
	let writer = await Bm25Writer.open(path, {memoryBytes: 32e6});
	let commits = 0;
	return {
		works: {
			async write() {
				await writer.update(some(200, PASSAGES).map(passage));
				const gone = some(50, PASSAGES);
				await writer.delete(gone.map(id => `p${id}`));
				await writer.add(gone.map(passage));
				if (roll(8) === 0) {
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
				const from = roll(900);
				await index.search(query(), {k: 10, filter: {range: {field: 'price', gte: from, lt: from + 100}}});
			},
			async 'search many BM25'() {
				const run = await index.searchMany(
					Array.from({length: 200}, (_, at) => ({id: `q${at}`, text: query()})),
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

async function dense(path: string): Promise<Load> {
	const pool = Float32Array.from({length: 2 * ROWS * DIM}, () => roll(1000) / 1000 - 0.5);
	const vectors = (rows: number) => {
		const first = roll(2 * ROWS - rows);
		return {data: pool.subarray(first * DIM, (first + rows) * DIM), rows, dim: DIM};
	};
	const names = (ids: readonly number[]): string[] => ids.map(id => `row-${id}`);
	const every = names(Array.from({length: ROWS}, (_, id) => id));
	let indexes: Array<FlatIndex | HnswIndex> = [new FlatIndex({dim: DIM, storage: 'int8Filtered'}), new HnswIndex({dim: DIM, m: 16})];
	for (const index of indexes) {
		await index.add(every, vectors(ROWS));
	}
	let rounds = 0;
	return {
		works: {
			async 'change dense'() {
				rounds++;
				for (const [at, index] of indexes.entries()) {
					const ids = names(some(300, ROWS));
					await index.update(ids, vectors(ids.length));
					const gone = names(some(100, ROWS));
					await index.delete(gone);
					await index.add(gone, vectors(gone.length));
					// Deleted rows take room until then.
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
					await index.search(vectors(1).data, {k: 10}).catch(closed);
				}
			},
			async 'search many dense'() {
				for (const index of indexes) {
					await index.searchMany(vectors(100), {k: 50}).catch(closed);
				}
			},
		},
		close() {
			indexes.forEach(index => index.close());
		},
	};
}

/** Asserts that a search failed because its index was closed and replaced by another. */
function closed(error: unknown): void {
	assert.equal((error as {code?: string}).code, 'ERR_CLOSED');
}

async function questions(path: string): Promise<Load> {
	const {articles, questions: read} = encyclopedia();
	const collection = await Collection.build(articles, path);
	const asked = await read('test');
	const hybrid = await collection.searcher('hybrid');
	return {
		works: {
			async ask() {
				await collection.ask(asked[roll(asked.length)]!.text, {passages: 5});
			},
			async 'search hybrid'() {
				await hybrid.search(asked[roll(asked.length)]!.text, {k: 10});
			},
		},
		async close() {
			await collection.close();
		},
	};
}

function sample(at: number): Sample {
	collectGarbage();
	const {rss, heapUsed, arrayBuffers} = process.memoryUsage();
	const status = process.platform === 'linux' ? readFileSync('/proc/self/status', 'utf8') : '';
	const anonymous = Number(/RssAnon:\s+(\d+)/u.exec(status)?.[1] ?? 0) * 1024;
	const allocator = JSON.parse(native.allocatorStatistics()) as {committed?: {current?: number}};
	const inMib = (bytes: number): number => Math.round((bytes / MIB) * 10) / 10;
	return {
		seconds: Math.round(at),
		resident: inMib(rss),
		anonymous: inMib(anonymous),
		v8Heap: inMib(heapUsed),
		arrayBuffers: inMib(arrayBuffers),
		addon: inMib(allocator.committed?.current ?? 0),
	};
}

function shown({seconds, resident, anonymous, v8Heap, arrayBuffers, addon}: Sample): string {
	return `${String(seconds).padStart(5)} s  resident ${resident}  anonymous ${anonymous}  V8 ${v8Heap}  buffers ${arrayBuffers}  addon ${addon} MiB`;
}

/** If memory is bounded, the quarters after the first do not differ by more than single samples do. */
function means(samples: readonly Sample[]): Readonly<Record<string, number>> {
	const mean = (of: (at: Sample) => number): number =>
		Math.round((samples.reduce((sum, at) => sum + of(at), 0) / samples.length) * 10) / 10;
	return {
		resident: mean(at => at.resident),
		anonymous: mean(at => at.anonymous),
		v8Heap: mean(at => at.v8Heap),
		addon: mean(at => at.addon),
	};
}
